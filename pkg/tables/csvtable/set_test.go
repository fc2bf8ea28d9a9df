package csvtable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// draft is a draft with one record for each cell.
func draft(t *testing.T, s *Set, columns []string, cells ...string) *Writer {
	t.Helper()
	w, err := s.Draft(Table{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w, cells...)
	return w
}

func fill(t *testing.T, w *Writer, cells ...string) {
	t.Helper()
	for _, cell := range cells {
		if err := w.Row(cellsOf(cell), nil); err != nil {
			t.Fatal(err)
		}
	}
}

func create(t *testing.T, s *Set, table Table) *Writer {
	t.Helper()
	w, err := s.Create(table)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func checkNoFiles(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSet(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	s, ctx, long := NewSet(dir, temp), context.Background(), strings.Repeat("x", 3*flushSize)
	columns := []string{`c"`}
	moved := draft(t, s, columns, "a", long)
	if err := moved.Publish(ctx, Table{Name: "t", Bucket: "b", Columns: columns, PrimaryKey: columns}); err != nil {
		t.Fatal(err)
	}
	appended := draft(t, s, columns, "b\n", long, "c")
	if err := appended.Publish(ctx, Table{Name: "t", Bucket: "b", Columns: columns, Incremental: true}); err != nil {
		t.Fatal(err)
	}
	fill(t, create(t, s, Table{Name: "t", Bucket: "b", Columns: columns}), "d")
	fill(t, create(t, s, Table{Name: "u", Bucket: "b", Columns: []string{"x"}}), "1")
	if err := draft(t, s, []string{"x"}, "2").Publish(ctx, Table{Name: "u", Bucket: "b", Columns: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	create(t, s, Table{Name: "empty", Columns: columns})
	for name, want := range map[string]bool{"t": true, "u": true, "x": false} {
		if got := s.Has(Table{Name: name, Bucket: "b"}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	written, err := s.Close()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(written); got != `[{{t b [c"] [] [] [c"] false false} 6} {{u b [x] [] [] [] false false} 2} {{empty  [c"] [] [] [] false false} 0}]` {
		t.Errorf("written %s", got)
	}
	check(t, dir, "b.t", "\"c\"\"\"\n\"a\"\n\""+long+"\"\n\"b\n\"\n\""+long+"\"\n\"c\"\n\"d\"\n")
	check(t, dir, "b.t.manifest", `{"destination":"in.c-b.t","incremental":false,"primary_key":["c\""]}`)
	check(t, dir, "b.u", "\"x\"\n\"1\"\n\"2\"\n")
	check(t, dir, "b.u.manifest", `{"destination":"in.c-b.u","incremental":false}`)
	check(t, dir, "empty", "\"c\"\"\"\n")
	check(t, dir, "empty.manifest", `{"incremental":false}`)
	checkNoFiles(t, temp)
	info, err := os.Stat(filepath.Join(dir, "b.t"))
	if other, otherErr := os.Stat(filepath.Join(dir, "b.u")); err != nil || otherErr != nil || info.Mode() != other.Mode() {
		t.Errorf("a table that was moved has mode %v, another one %v, %v, %v", info.Mode(), other.Mode(), err, otherErr)
	}
}

func TestSetRefuses(t *testing.T) {
	const twice = `table "b.t" is written twice`
	rows := []struct {
		name  string
		table Table
		want  string
	}{
		{"more columns", Table{Name: "t", Bucket: "b", Columns: []string{"x", "y", "z"}}, twice + `, with different columns: only the second one has "z"; the columns must be the same, or the names of the tables different`},
		{"fewer columns", Table{Name: "t", Bucket: "b", Columns: []string{"y"}}, twice + `, with different columns: only the first one has "x"; the columns must be the same, or the names of the tables different`},
		{"other columns", Table{Name: "t", Bucket: "b", Columns: []string{"a", "b"}}, twice + `, with different columns: only the first one has "x", "y", only the second one has "a", "b"; the columns must be the same, or the names of the tables different`},
		{"another order", Table{Name: "t", Bucket: "b", Columns: []string{"y", "x"}}, twice + `, with different columns: their order differs; the columns must be the same, or the names of the tables different`},
		{"declared types", Table{Name: "t", Bucket: "b", Columns: []string{"x", "y"}, Types: []ColumnType{{}, {Base: "DATE", Nullable: true}}}, twice + `, with different types: column "y" is without a declared type in the first and DATE in the second; the types must be the same, or the names of the tables different`},
		{"another bucket, the same file", Table{Name: "b.t", Columns: []string{"x", "y"}}, twice + `: two tables of this run have that file name`},
		{"no file name", Table{Name: "a/b", Columns: []string{"x"}}, `table "a/b" cannot be written to a file: a slash or a NUL byte cannot be part of a file name`},
		{"a file of somebody else", Table{Name: "there", Columns: []string{"x"}}, `table "there" is written twice: two tables of this run have that file name`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			dir, temp := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "there"), []byte("kept"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := NewSet(dir, temp)
			create(t, s, Table{Name: "t", Bucket: "b", Columns: []string{"x", "y"}})
			_, err := s.Create(row.table)
			if err == nil || err.Error() != row.want || failure.KindOf(err) != failure.User {
				t.Errorf("Create: got  %v\nwant %s", err, row.want)
			}
			w := draft(t, s, row.table.Columns)
			err = w.Publish(context.Background(), row.table)
			if err == nil || err.Error() != row.want || failure.KindOf(err) != failure.User {
				t.Errorf("Place: got  %v\nwant %s", err, row.want)
			}
			w.abort()
			s.Abort()
			checkNoFiles(t, temp)
			check(t, dir, "there", "kept")
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestSetEndsWithItsContext(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	s := NewSet(dir, temp)
	create(t, s, Table{Name: "t", Columns: []string{"x"}})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := draft(t, s, []string{"x"}, "1")
	if err := w.Publish(ctx, Table{Name: "t", Columns: []string{"x"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.abort()
	s.Abort()
	checkNoFiles(t, temp)
	checkNoFiles(t, dir)
}

func TestSetFaults(t *testing.T) {
	columns := []string{"x"}
	broken := func(t *testing.T, w *Writer) *Writer {
		t.Helper()
		if err := w.file.Close(); err != nil {
			t.Fatal(err)
		}
		return w
	}
	t.Run("a directory that is not there", func(t *testing.T) {
		s := NewSet(filepath.Join(t.TempDir(), "none"), t.TempDir())
		err := draft(t, s, columns).Publish(context.Background(), Table{Name: "t", Columns: columns})
		if !errors.Is(err, fs.ErrNotExist) || failure.KindOf(err) != failure.Application {
			t.Errorf("got %v", err)
		}
	})
	t.Run("records that cannot be written", func(t *testing.T) {
		s := NewSet(t.TempDir(), t.TempDir())
		for range 2 { // to be moved, to be appended
			w := broken(t, draft(t, s, columns, "1"))
			if err := w.Publish(context.Background(), Table{Name: "t", Columns: columns}); failure.KindOf(err) != failure.Application || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("got %v", err)
			}
			if !s.Has(Table{Name: "t"}) {
				create(t, s, Table{Name: "t", Columns: columns})
			}
		}
		s.Abort()
	})
	t.Run("one table cannot be completed", func(t *testing.T) {
		dir := t.TempDir()
		s := NewSet(dir, "")
		create(t, s, Table{Name: "t", Columns: columns})
		broken(t, create(t, s, Table{Name: "u", Columns: columns}))
		if _, err := s.Close(); failure.KindOf(err) != failure.Application || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("got %v", err)
		}
		checkNoFiles(t, dir)
	})
}
