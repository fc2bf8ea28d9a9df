package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"go.etcd.io/bbolt"
)

func clock() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) }

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func open(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "store"))
}

// must is for what a test needs and does not look at.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func checkUserError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || failure.KindOf(err) != failure.User {
		t.Errorf("got  %v (%s)\nwant a user error with %s", err, failure.KindOf(err), want)
	}
}

func TestOpenRefuses(t *testing.T) {
	slowtest.Skip(t, "it waits for a lock")
	dir := t.TempDir()
	used := filepath.Join(dir, "used")
	openAt(t, used)
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte(strings.Repeat("no such file", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "old")
	s, err := Open(old, clock)
	if err == nil {
		err = s.write(func(tx *bbolt.Tx) error { return tx.Bucket(keys).Put(formatKey, []byte("1")) })
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, path, want string }{
		{"another format", old, "old: the data was written by another version of this program: start that version, or choose another data directory"},
		{"a file in use", used, "is in use by another local platform"},
		{"a file of something else", other, "cannot open the local platform's file " + other},
		{"a directory that is not there", filepath.Join(dir, "no", "file"), "cannot open the local platform's file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Open(row.path, clock)
			checkUserError(t, err, row.want)
		})
	}
}

func TestChanges(t *testing.T) {
	s := open(t)
	before := s.Changes()
	closed := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	if closed(before) {
		t.Error("a change before any write")
	}
	if _, err := s.UpdateJob("1", func(*Job) error { return nil }); !errors.Is(err, ErrNotFound) || closed(before) {
		t.Errorf("after a write that failed: %v, a change: %v", err, closed(before))
	}
	must[Job](t)(s.CreateJob(Job{}))
	if !closed(before) || closed(s.Changes()) {
		t.Error("a write does not wake exactly those who waited")
	}
}

// TestConcurrentWriters makes every kind of write at once, some of which fail:
// those must not take the others of their batch with them.
func TestConcurrentWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s, err := Open(path, clock)
	if err != nil {
		t.Fatal(err)
	}
	const writers = 200
	counter := must[Configuration](t)(s.CreateConfiguration(Configuration{Component: "c"}))
	job := must[Job](t)(s.CreateJob(Job{}))
	refused := errors.New("refused")
	var wait sync.WaitGroup
	var mu sync.Mutex
	given := map[string]bool{}
	note := func(id string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil || given[id] {
			t.Errorf("id %s, given before: %v, %v", id, given[id], err)
		}
		given[id] = true
	}
	// Events have numbers of their own.
	noteEvent := func(e Event) { note("event "+e.ID, nil) }
	for i := range writers {
		wait.Go(func() {
			_, err := s.UpdateConfiguration("c", counter.ID, func(c *Configuration) error { c.Name += "x"; return nil })
			if err != nil {
				t.Error(err)
			}
			if _, err := s.UpdateJob(job.ID, func(j *Job) error { j.Tag = "lost"; return refused }); err != refused {
				t.Errorf("got %v", err)
			}
			j, err := s.CreateJob(Job{})
			note(j.ID, err)
			added, err := s.AddEvents(Event{RunID: "r"}, Event{RunID: "r"})
			if err != nil {
				t.Error(err)
				return
			}
			noteEvent(added[0])
			noteEvent(added[1])
			id, err := s.NewID()
			note(id, err)
			if i%20 == 0 {
				_, err := s.Load(t.Context(), Load{Table: "in.c-b.t", Columns: []Column{{Name: "a"}}, Incremental: true, Next: rowsOf([]string{fmt.Sprint(i)})})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	c := must[Configuration](t)(s.Configuration("c", counter.ID))
	if c.Version != writers+1 || len(c.Name) != writers {
		t.Errorf("version %d, %d changes", c.Version, len(c.Name))
	}
	if j := must[Job](t)(s.Job(job.ID)); j.Tag != "" {
		t.Error("a refused change was written")
	}
	found := 0
	if err := s.EventsOf("r", 0, func(Event) bool { found++; return true }); err != nil || found != 2*writers {
		t.Errorf("%d events, %v", found, err)
	}
	if left := must[[]Job](t)(s.Unfinished()); len(left) != writers+1 {
		t.Errorf("%d jobs", len(left))
	}
	if table := must[Table](t)(s.Table("in.c-b.t")); table.Rows != writers/20 {
		t.Errorf("%d rows", table.Rows)
	}
}

// TestKey: a store has a key of its own, and keeps it.
func TestKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	s, err := Open(path, clock)
	if err != nil {
		t.Fatal(err)
	}
	key := s.Key()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := openAt(t, path).Key(); again != key {
		t.Error("another key after the store was closed")
	}
	if other := open(t).Key(); other == key || key == [keySize]byte{} {
		t.Error("the key of another store is the same")
	}
}
