package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestFiles: a file is there after the store is opened again, a failed one leaves
// nothing, and what a crash left is deleted.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	open := func() *Store {
		s, err := Open(path, func() time.Time { return at })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	f, err := s.AddFile(File{Name: "a/../b", Tags: []string{"x"}}, write("text"))
	if err != nil || f.ID != "1" || f.Size != 4 || !f.Created.Equal(at) {
		t.Fatalf("%+v, %v", f, err)
	}
	broken := errors.New("broken")
	if _, err := s.AddFile(File{}, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	dir := filepath.Join(filepath.Dir(path), "files")
	for _, name := range []string{"77", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != "1" || entries[1].Name() != "notes.txt" {
		t.Errorf("%v, %v", entries, err)
	}
	got, contents, err := s.OpenFile("1")
	if err != nil || got.Name != "a/../b" {
		t.Fatalf("%+v, %v", got, err)
	}
	if text, err := io.ReadAll(contents); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if err := contents.Close(); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"2", "01", "../store", ""} {
		if _, _, err := s.OpenFile(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	at = at.Add(MaxFileAge + time.Second)
	if f, err = s.AddFile(File{}, write("")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.File("1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an old file: %v", err)
	}
	if err := s.DeleteFile(f.ID); err != nil {
		t.Error(err)
	}
	if err := s.DeleteFile(f.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestOperations(t *testing.T) {
	s := open(t)
	for _, name := range []string{"a", "b"} {
		if _, err := s.AddOperation(Operation{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if o, err := s.Operation("1"); err != nil || o.Name != "a" || o.Ended.IsZero() {
		t.Errorf("%+v, %v", o, err)
	}
	names := ""
	if err := s.Operations(func(o Operation) bool { names += o.Name; return true }); err != nil || names != "ba" {
		t.Errorf("%q, %v", names, err)
	}
	if _, err := s.Operation("x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestRowTimes: each row has the time of its last load.
func TestRowTimes(t *testing.T) {
	at := clock()
	s, err := Open(filepath.Join(t.TempDir(), "store"), func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	must[Table](t)(s.Load(t.Context(), fromText(true, "a*,b\n1,x\n2,y")))
	at = at.Add(time.Hour)
	must[Table](t)(s.Load(t.Context(), fromText(true, "a*,b,c\n2,z,\n3,q,")))
	got := ""
	err = s.TimedRows("in.c-b.t", func(loaded time.Time, cells []string) bool {
		got += fmt.Sprint(cells[0], " ", loaded.Sub(clock()), ", ")
		return true
	})
	if want := "1 0s, 2 1h0m0s, 3 1h0m0s, "; err != nil || got != want {
		t.Errorf("got %s, want %s, %v", got, want, err)
	}
}

func TestDeleteBucket(t *testing.T) {
	s := open(t)
	for _, table := range []string{"in.c-a.t", "in.c-a.u", "in.c-ab.t"} {
		left := 2
		if _, err := s.Load(t.Context(), Load{Table: table, Columns: []Column{{Name: "a"}}, Next: func() ([]string, error) {
			if left--; left < 0 {
				return nil, io.EOF
			}
			return []string{"x"}, nil
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeleteBucket("in.c-a", false); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
	if err := s.DeleteBucket("in.c-a", true); err != nil {
		t.Error(err)
	}
	if tables, err := s.Tables(""); err != nil || len(tables) != 1 || tables[0].ID != "in.c-ab.t" {
		t.Errorf("%v, %v", tables, err)
	}
	if err := s.DeleteTable("in.c-ab.t"); err != nil {
		t.Error(err)
	}
	if err := s.DeleteTable("in.c-ab.t"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if err := s.DeleteBucket("in.c-ab", false); err != nil {
		t.Error(err)
	}
	if err := s.DeleteBucket("in.c-ab", false); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
