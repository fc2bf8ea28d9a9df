package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/value"
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

// crashRows is how many rows a load of the crash test has.
const crashRows = 5000

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
			c, err := s.CreateConfiguration(Configuration{Component: "c", Configuration: sealed(s, "secret")})
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
	if _, err := s.CreateConfiguration(Configuration{Component: "c", ID: "changes", Configuration: json.RawMessage(`{"n":1}`)}); err != nil {
		return err
	}
	go forever(func() error {
		c, err := s.UpdateConfiguration("c", "changes", func(c *Configuration) error {
			c.Configuration = fmt.Appendf(nil, `{"n":%d}`, c.Version)
			return nil
		})
		say("version", strconv.Itoa(c.Version))
		return err
	})
	metadata := 0
	go forever(func() error {
		metadata++
		err := s.SetMetadata(map[Object][]Metadata{crashObject: {{Key: "a", Value: strconv.Itoa(metadata)}, {Key: "b", Value: strconv.Itoa(metadata)}}})
		say("metadata", strconv.Itoa(metadata))
		return err
	})
	go forever(func() error {
		f, err := s.AddFile(File{Name: "export"}, func(w io.Writer) error {
			_, err := io.WriteString(w, crashExport)
			return err
		})
		if err != nil {
			return err
		}
		say("file", f.ID)
		o, err := s.AddOperation(Operation{Name: "tableExport", Results: json.RawMessage(`{"file":` + f.ID + `}`)})
		say("operation", o.ID)
		return err
	})
	for _, table := range []string{"full", "more"} {
		n := 0
		go forever(func() error {
			n++
			_, err := s.Load(context.Background(), crashLoad(table, n))
			say(table, strconv.Itoa(n))
			return err
		})
	}
	return <-failed
}

// What the crash test exports, and the object whose metadata it sets.
const (
	crashExport        = "\"id\"\n\"1\"\n"
	crashObject Object = "configuration\x00c\x00changes\x00"
)

// sealed is a configuration with a secret, as the platform stores it.
func sealed(s *Store, secret string) json.RawMessage {
	cipher, err := encryption.NewBox(s.Key()).Encrypt(encryption.Scope{Component: "c"}, value.OfMembers(value.Member{Name: "#key", Value: value.OfString(secret)}))
	if err != nil {
		panic(err) // the scope is good
	}
	return cipher.AppendJSON(nil)
}

// checkCipher checks that the secret of a configuration can be read.
func checkCipher(s *Store, c Configuration) error {
	stored, err := value.Parse(c.Configuration)
	if err != nil {
		return err
	}
	plain, unread := encryption.NewBox(s.Key()).Decrypt(encryption.Scope{Component: "c"}, stored)
	if text := plain.Field("#key").Raw(); text != "secret" || len(unread) > 0 {
		return fmt.Errorf("the secret of %s is %q", c.ID, text)
	}
	return nil
}

// checkVersion checks that a version is there, with what it was made with.
func checkVersion(s *Store, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	c, err := s.Version("c", "changes", n)
	if want := fmt.Sprintf(`{"n":%d}`, n); err == nil && string(c.Configuration) != want {
		return fmt.Errorf("it is %s, want %s", c.Configuration, want)
	}
	return err
}

// checkMetadata checks that both values are those of one call, which is not earlier than the
// one that was acknowledged.
func checkMetadata(s *Store, acknowledged string) error {
	found, err := s.Metadata(crashObject)
	if err != nil {
		return err
	}
	least, err := strconv.Atoi(acknowledged)
	if err != nil || len(found) != 2 || found[0].Value != found[1].Value {
		return fmt.Errorf("found %+v, %w", found, err)
	}
	if n, err := strconv.Atoi(found[0].Value); err != nil || n < least {
		return fmt.Errorf("found %d, want at least %d, %w", n, least, err)
	}
	return nil
}

// checkFile checks that an export is complete.
func checkFile(s *Store, id string) error {
	_, file, err := s.OpenFile(id)
	if err != nil {
		return err
	}
	defer file.Close() // it is only read
	text, err := io.ReadAll(file)
	if err == nil && string(text) != crashExport {
		return fmt.Errorf("it has %q", text)
	}
	return err
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
	slowtest.OutsideCI(t, "it kills processes")
	self := must[string](t)(os.Executable())
	for _, lines := range []int{1, 100, 1 + rand.IntN(250)} {
		t.Run(fmt.Sprintf("after %d lines", lines), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store")
			acknowledged := runUntilKilled(t, self, path, lines)
			s := openAt(t, path)
			for _, line := range acknowledged {
				kind, id, _ := strings.Cut(line, " ")
				var err error
				switch kind {
				case "configuration":
					var c Configuration
					if c, err = s.Configuration("c", id); err == nil {
						err = checkCipher(s, c)
					}
				case "version":
					err = checkVersion(s, id)
				case "metadata":
					err = checkMetadata(s, id)
				case "file":
					err = checkFile(s, id)
				case "operation":
					_, err = s.Operation(id)
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
			var files []File
			if err := s.Files(func(f File) bool { files = append(files, f); return true }); err != nil {
				t.Error(err)
			}
			for _, f := range files { // those that were not acknowledged are complete too
				if err := checkFile(s, f.ID); err != nil {
					t.Errorf("file %s: %v", f.ID, err)
				}
			}
			pairs := 0
			if err := s.EventsOf("r", 0, func(Event) bool { pairs++; return true }); err != nil || pairs%2 != 0 {
				t.Errorf("%d events, which come in pairs, %v", pairs, err)
			}
			checkNothingLeft(t, s, len(must[[]Table](t)(s.Tables(""))))
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
