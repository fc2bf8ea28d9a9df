package csvtable

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// TestLargeCells are written in parts.
func TestLargeCells(t *testing.T) {
	dir := t.TempDir()
	w, err := NewSet(dir, "").Create(Table{Name: "t", Columns: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "\"a\",\"b\",\"c\"\n"
	for _, long := range []string{strings.Repeat("x", flushSize-1), strings.Repeat("x", flushSize), strings.Repeat(`"`, flushSize), strings.Repeat(`ab"`, flushSize)} {
		for _, cells := range [][]string{{"1", long, ""}, {long, `q"`, long}, {"1", "2", "3"}} {
			if err := w.Row([][]byte{[]byte(cells[0]), []byte(cells[1]), []byte(cells[2])}, nil); err != nil {
				t.Fatal(err)
			}
			if cap(w.buf) > 8*flushSize {
				t.Fatalf("%d bytes are gathered", cap(w.buf))
			}
			for i, cell := range cells {
				cells[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			want += strings.Join(cells, ",") + "\n"
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "t")); err != nil || string(got) != want {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
}

func TestManifest(t *testing.T) {
	rows := []struct {
		name  string
		table Table
		file  string
		want  string
	}{
		{"bucket", Table{Name: "t", Bucket: "b"}, "b.t", `{"destination":"in.c-b.t","incremental":false}`},
		{"primary key", Table{Name: "it", Bucket: "b", PrimaryKey: []string{"K", "pid"}}, "b.it",
			`{"destination":"in.c-b.it","incremental":false,"primary_key":["K","pid"]}`},
		{"no bucket", Table{Name: "t"}, "t", `{"incremental":false}`},
		{"incremental", Table{Name: "t", Incremental: true, PrimaryKey: []string{"é"}}, "t",
			`{"incremental":true,"primary_key":["\u00e9"]}`},
		{"bucket as given", Table{Name: "x", Bucket: "in.c-foo ě/"}, "in.c-foo ě/.x",
			`{"destination":"in.c-in.c-foo \u011b\/.x","incremental":false}`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := row.table.FileName(); got != row.file {
				t.Errorf("file name %q, want %q", got, row.file)
			}
			if got := row.table.manifestName(); got != row.file+".manifest" {
				t.Errorf("manifest name %q", got)
			}
			if got := string(row.table.manifest(nil)); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestCheckName(t *testing.T) {
	rows := []struct {
		name  string
		table Table
		want  string // part of the error, "" for none
	}{
		{"plain", Table{Name: "t"}, ""},
		{"dots inside", Table{Name: "..", Bucket: "b"}, ""},
		{"as long as it may be", Table{Name: strings.Repeat("a", 246)}, ""},
		{"one byte longer", Table{Name: strings.Repeat("a", 245), Bucket: "b"}, "longer than 246 bytes"},
		{"no name", Table{Bucket: "b"}, "no name"},
		{"slash", Table{Name: "a/b"}, "slash"},
		{"slash in the bucket", Table{Name: "a", Bucket: "../b"}, "slash"},
		{"NUL", Table{Name: "a\x00"}, "NUL"},
		{"this directory", Table{Name: "."}, "directory"},
		{"directory above", Table{Name: ".."}, "directory"},
		{"manifest", Table{Name: "a.manifest"}, "manifest"},
		{"temporary file", Table{Name: ".extractor-a"}, "names that begin with .extractor- are those of temporary files"},
		{"temporary file by the bucket", Table{Name: "users", Bucket: ".extractor-a"}, "temporary files"},
		{"no temporary file in a bucket", Table{Name: ".extractor-a", Bucket: "b"}, ""},
		{"no temporary file", Table{Name: ".extractor"}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			err := row.table.CheckName()
			if row.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) || failure.KindOf(err) != failure.User {
				t.Fatalf("got %v, want a user error with %q", err, row.want)
			}
			if _, created := NewSet(t.TempDir(), "").Create(row.table); created == nil || created.Error() != err.Error() {
				t.Errorf("Create says %v", created)
			}
		})
	}
}

func TestWriter(t *testing.T) {
	dir := t.TempDir()
	w, err := NewSet(dir, "").Create(Table{Name: "t", Bucket: "b", Columns: []string{"id", `a"b`}})
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range [][]string{{"1", ""}, {"x,y\nz\x00 ", `"`}, {`""ě`, `end"`}} {
		if err := w.Row(cellsOf(cells...), nil); err != nil {
			t.Fatal(err)
		}
	}
	if w.rows != 3 {
		t.Errorf("%d rows", w.rows)
	}
	if got := w.table.Columns; len(got) != 2 {
		t.Errorf("columns %v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.t.manifest")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the manifest is there before its table is complete")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, dir, "b.t", "\"id\",\"a\"\"b\"\n\"1\",\"\"\n\"x,y\nz\x00 \",\"\"\"\"\n\"\"\"\"\"ě\",\"end\"\"\"\n")
	check(t, dir, "b.t.manifest", `{"destination":"in.c-b.t","incremental":false}`)
}

func TestWriterFlushesLargeTables(t *testing.T) {
	dir := t.TempDir()
	w, err := NewSet(dir, "").Create(Table{Name: "t", Columns: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	cell := strings.Repeat("x", 1000)
	want := "\"c\"\n"
	for range 200 {
		if err := w.Row(cellsOf(cell), nil); err != nil {
			t.Fatal(err)
		}
		want += `"` + cell + "\"\n"
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, dir, "t", want)
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := NewSet(dir, "").Create(Table{Name: "empty"}); failure.KindOf(err) != failure.Application {
		t.Errorf("no columns: %v", err)
	}
	w, err := NewSet(dir, "").Create(Table{Name: "t", Columns: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Row(cellsOf("1"), nil); err == nil || failure.KindOf(err) != failure.Application {
		t.Errorf("short record: %v", err)
	}
	half := make([]byte, maxRow/2)
	if err := w.Row([][]byte{half, append(half, 'x')}, nil); failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), `a row of table "t" has cells of more than 128 MiB together`) {
		t.Errorf("a huge row: %v", err)
	}
	if err := w.Row([][]byte{half[:10], nil}, nil); err != nil {
		t.Errorf("a row after it: %v", err)
	}
	_, err = NewSet(dir, "").Create(Table{Name: "t", Columns: []string{"a"}})
	if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), `"t" is written twice`) {
		t.Errorf("same name again: %v", err)
	}
	if _, err := NewSet(filepath.Join(dir, "none"), "").Create(Table{Name: "t", Columns: []string{"a"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	w.abort()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := w.Close(); err == nil || failure.KindOf(err) != failure.Application {
		t.Errorf("closing an aborted table: %v", err)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add("a", "")
	f.Add(`"`, "x,\ny")
	f.Add(`""""`, "\r\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		if max(len(a), len(b)) >= flushSize/4 {
			return // it would be written
		}
		w := &Writer{set: &Set{}, table: Table{Columns: []string{"a", "b"}}}
		if err := w.Row(cellsOf(a, b), nil); err != nil || string(AppendRecord(nil, []string{a, b})) != string(w.buf) {
			t.Errorf("record %q, %v, but header %q", w.buf, err, AppendRecord(nil, []string{a, b}))
		}
		r := csv.NewReader(strings.NewReader(string(w.buf)))
		got, err := r.Read()
		// The reader of the standard library turns CR LF into LF.
		want := []string{strings.ReplaceAll(a, "\r\n", "\n"), strings.ReplaceAll(b, "\r\n", "\n")}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q %q: read back %q, %v", a, b, got, err)
		}
	})
}

// cellsOf are texts as the cells of a record.
func cellsOf(texts ...string) [][]byte {
	cells := make([][]byte, len(texts))
	for i, text := range texts {
		cells[i] = []byte(text)
	}
	return cells
}

func BenchmarkRow(b *testing.B) {
	w, err := NewSet(b.TempDir(), "").Create(Table{Name: "t", Columns: make([]string, 10)})
	if err != nil {
		b.Fatal(err)
	}
	texts := []string{"1234567", "John Doe", "", "1", "2020-01-01T00:00:00Z", "12.50", `say "hi"`, "x", "london", "some longer text in a cell"}
	b.SetBytes(int64(len(AppendRecord(nil, texts))))
	b.ReportAllocs()
	cells := cellsOf(texts...)
	for b.Loop() {
		if err := w.Row(cells, nil); err != nil {
			b.Fatal(err)
		}
	}
	w.abort()
}

func check(t *testing.T, dir, name, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v\nwant %q", name, got, err, want)
	}
}
