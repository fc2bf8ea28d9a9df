package store

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/internal/short"
)

// crashFile names the file that this test's program fills until it is killed.
const crashFile = "STORE_TEST_CRASH_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashFile); path != "" {
		fmt.Fprintln(os.Stderr, fillUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(ramdisk.Tests(m.Run).Run())
}

// crashRows is how many rows a load of the crash test has: several
// transactions.
const crashRows = batchRows + 50

// fillUntilKilled writes what can be written as fast as it can, and says
// what was acknowledged: a kind and an id on each line.
func fillUntilKilled(path string) error {
	s, err := Open(path, time.Now)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(kind, id string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(kind, id)
	}
	failed := make(chan error)
	forever := func(write func() error) {
		for {
			if err := write(); err != nil {
				failed <- err
			}
		}
	}
	for range 2 {
		go forever(func() error {
			c, err := s.CreateConfiguration(Configuration{Component: "c"})
			say("configuration", c.ID)
			return err
		})
		go forever(func() error {
			j, err := s.CreateJob(Job{})
			say("job", j.ID)
			return err
		})
		go forever(func() error {
			added, err := s.AddEvents(Event{RunID: "r"}, Event{RunID: "r"})
			for _, e := range added {
				say("event", e.ID)
			}
			return err
		})
	}
	for _, table := range []string{"full", "more"} {
		n := 0
		go forever(func() error {
			n++
			_, err := s.Load(crashLoad(table, n))
			say(table, strconv.Itoa(n))
			return err
		})
	}
	return <-failed
}

// crashLoad is the nth load of a table: full ones replace all rows by n, others
// write n over the rows that are there and add one.
func crashLoad(table string, n int) Load {
	rows := crashRows
	if table == "more" {
		rows += n
	}
	i := 0
	return Load{
		Table: "in.c-b." + table, Columns: []Column{{Name: "k"}, {Name: "n"}}, PrimaryKey: []string{"k"}, Incremental: table == "more",
		Next: func() ([]string, error) {
			if i == rows {
				return nil, io.EOF
			}
			i++
			return []string{strconv.Itoa(i), strconv.Itoa(n)}, nil
		},
	}
}

// TestCrash kills a process in the middle of its writes and looks for all that
// it had acknowledged.
func TestCrash(t *testing.T) {
	short.Skip(t, "it kills processes")
	self := must[string](t)(os.Executable())
	for _, lines := range []int{1, 100, 250} {
		t.Run(fmt.Sprintf("after %d lines", lines), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store")
			acknowledged := runUntilKilled(t, self, path, lines)
			s := openAt(t, path)
			for _, line := range acknowledged {
				kind, id, _ := strings.Cut(line, " ")
				var err error
				switch kind {
				case "configuration":
					_, err = s.Configuration("c", id)
				case "job":
					_, err = s.Job(id)
				case "event":
					_, err = s.Event(id)
				default:
					checkWhole(t, s, kind, id)
				}
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
			pairs := 0
			if err := s.EventsOf("r", 0, func(Event) bool { pairs++; return true }); err != nil || pairs%2 != 0 {
				t.Errorf("%d events, which come in pairs, %v", pairs, err)
			}
			if n, tables := generations(t, s), must[[]Table](t)(s.Tables("")); n != len(tables) {
				t.Errorf("%d generations for %d tables", n, len(tables))
			}
			for _, table := range must[[]Table](t)(s.Tables("")) {
				checkWhole(t, s, table.Name, "1")
			}
		})
	}
}

// checkWhole checks that all rows of a table are those of one load, which is not
// earlier than the one that was acknowledged.
func checkWhole(t *testing.T, s *Store, table, acknowledged string) {
	t.Helper()
	values, count := map[string]bool{}, 0
	err := s.Rows("in.c-b."+table, func(cells []string) bool {
		count++
		values[cells[1]] = true
		return cells[0] == strconv.Itoa(count)
	})
	if err != nil || len(values) != 1 {
		t.Errorf("%s: rows of the loads %v, %v", table, values, err)
		return
	}
	least := must[int](t)(strconv.Atoi(acknowledged))
	for value := range values {
		n := must[int](t)(strconv.Atoi(value))
		want := crashRows
		if table == "more" {
			want += n
		}
		if n < least || count != want {
			t.Errorf("%s: %d rows of load %d; %d was acknowledged", table, count, n, least)
		}
	}
}

// runUntilKilled is what the process said before it was killed, at least so
// many lines.
func runUntilKilled(t *testing.T, self, path string, lines int) (said []string) {
	t.Helper()
	child := exec.Command(self)
	child.Env = append(os.Environ(), crashFile+"="+path)
	child.Stderr = os.Stderr
	out := must[io.ReadCloser](t)(child.StdoutPipe())
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break // the rest of a line without its end was not said
		}
		if said = append(said, strings.TrimSuffix(line, "\n")); len(said) == lines {
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := child.Wait(); err == nil || len(said) < lines {
		t.Fatalf("the process said %d lines and ended with %v", len(said), err)
	}
	return said
}
