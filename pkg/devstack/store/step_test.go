package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// observed is a context that calls see whenever a load checks whether it was cancelled.
type observed struct {
	context.Context
	see func()
}

func (o observed) Err() error {
	o.see()
	return o.Context.Err()
}

// numbered is a load of the rows from first to last, with the text in each.
func numbered(first, last int, text string, each func(row int)) Load {
	l := Load{Table: "in.c-b.t", Columns: []Column{{Name: "k"}, {Name: "n"}}, PrimaryKey: []string{"k"}, Incremental: true}
	row := first
	l.Next = func() ([]string, error) {
		each(row)
		row++
		if row > last+1 {
			return rowsOf()()
		}
		return []string{strconv.Itoa(row - 1), text}, nil
	}
	return l
}

// contentOf is the number of rows with each text.
func contentOf(s *Store) (string, error) {
	count := map[string]int{}
	err := s.Rows("in.c-b.t", func(cells []string) bool { count[cells[1]]++; return true })
	return fmt.Sprint(count), err
}

// TestKilledAtEachStep: the files as they are at each step of an incremental load hold the
// table before the load or after it. Opening them deletes the others. No step needs more
// disk than twice the table after the load, its new rows, and the sorted keys.
func TestKilledAtEachStep(t *testing.T) {
	const rows = 3000
	now := clock
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "store"), func() time.Time { return now() })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	must[Table](t)(s.Load(t.Context(), numbered(1, rows, "old", func(int) {})))
	var copies []string
	var most int64
	snapshot := func() {
		copied := t.TempDir()
		copies = append(copies, copied)
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		most = max(most, sizeOf(t, filepath.Join(copied, "tables")))
	}
	committed := s.Changes()
	now = func() time.Time { snapshot(); return clock() }
	s.opening.RLock() // keeps the load from deleting the old rows
	done := make(chan error)
	go func() {
		_, err := s.Load(observed{t.Context(), snapshot}, numbered(rows/2, 2*rows, "new", func(row int) {
			if row%1000 == 0 {
				snapshot()
			}
		}))
		done <- err
	}()
	<-committed
	now = clock
	snapshot()
	s.opening.RUnlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	snapshot()
	const keyBytes = 100
	if after := sizeOf(t, s.rowsDir); most > 3*after+2*rows*keyBytes {
		t.Errorf("the load needed %d bytes for a table of %d", most, after)
	}
	old, loaded := fmt.Sprint(map[string]int{"old": rows}), fmt.Sprint(map[string]int{"old": rows/2 - 1, "new": 2*rows - rows/2 + 1})
	seen := ""
	for i, dir := range copies {
		s := openAt(t, filepath.Join(dir, "store"))
		content, err := contentOf(s)
		if want := map[bool]string{true: loaded, false: old}[i >= len(copies)-2]; err != nil || content != want {
			t.Errorf("step %d: got %s, want %s, %v", i, content, want, err)
		}
		checkNothingLeft(t, s, 1)
		seen += fmt.Sprint(len(content), " ")
	}
	if len(copies) < 10 {
		t.Errorf("only %d steps: %s", len(copies), seen)
	}
}

func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// TestReadDuringALoad: a reader that began before the end of a load sees all rows of the
// table before it, and one that begins later those after it.
func TestReadDuringALoad(t *testing.T) {
	s := open(t)
	const rows = 3000
	must[Table](t)(s.Load(t.Context(), numbered(1, rows, "old", func(int) {})))
	var during []string
	read := 0
	err := s.Rows("in.c-b.t", func(cells []string) bool {
		if read++; read == 10 {
			must[Table](t)(s.Load(t.Context(), numbered(1, rows, "new", func(row int) {
				if row == rows/2 {
					during = append(during, must[string](t)(contentOf(s)))
				}
			})))
			during = append(during, must[string](t)(contentOf(s)))
		}
		if cells[1] != "old" {
			t.Errorf("row %d is %q", read, cells)
		}
		return true
	})
	if want := fmt.Sprintf("[map[old:%d] map[new:%d]]", rows, rows); err != nil || read != rows || fmt.Sprint(during) != want {
		t.Errorf("read %d rows and %v, want %s, %v", read, during, want, err)
	}
	checkNothingLeft(t, s, 1)
}

// TestRowsThatCannotBeDeletedYet: a load succeeds although the old rows cannot be deleted,
// and the next load deletes them.
func TestRowsThatCannotBeDeletedYet(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can delete everything")
	}
	s := open(t)
	must[Table](t)(s.Load(t.Context(), fromText(false, "a\n1")))
	held := must[[]string](t)(filepath.Glob(filepath.Join(s.rowsDir, "*")))[0]
	if err := os.Chmod(held, 0o500); err != nil {
		t.Fatal(err)
	}
	must[Table](t)(s.Load(t.Context(), fromText(false, "a\n2")))
	if _, err := os.Stat(held); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(held, 0o700); err != nil {
		t.Fatal(err)
	}
	must[Table](t)(s.Load(t.Context(), fromText(false, "a\n3")))
	if _, err := os.Stat(held); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the rows are left: %v", err)
	}
	checkNothingLeft(t, s, 1)
}
