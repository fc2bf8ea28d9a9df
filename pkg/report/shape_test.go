package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestShapeOf(t *testing.T) {
	for cell, want := range map[string]string{
		"1": integer, "-12": integer, "9223372036854775808": number, "1.50": number, "-2e7": number, "0": integer,
		"007": text, "1_000": text, "12 rows": text, "-": text, "+5": text, ".5": text, strings.Repeat("9", 41): text,
		"2026-02-28": date, "2026-02-30": text, "2026-2-1": text,
		"2026-02-28T10:00:00Z": instant, "2026-02-28T10:00:00.123+02:00": instant, "2026-02-28T10:00:00+0200": instant, "2026-02-28 10:00:00": instant, "2026-02-28T10:00:00": instant,
		`{"a":1}`: jsonish, "[]": jsonish, "[1": text, "{x}": text,
		"true": text, "word": text, " 1": text, "\x00": text,
	} {
		if got := shapeOf(cell); got != want {
			t.Errorf("%q is %s, want %s", cell, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	dir := t.TempDir()
	long := "\"n\"\n" + strings.Repeat("\"7\"\n", MaxSampleRows) + "\"not looked at\"\n"
	wide := "\"n\"\n\"" + strings.Repeat("x", MaxSampleBytes) + "\"\n\"not looked at\"\n"
	for name, content := range map[string]string{
		"b.t": "\"id\",\"k\"\"ey\"\n\"1\",\"\"\n\"22\",\"a \"\"b\"\"\nč\"\n\"\",\"2026-01-02\"\n\"x\",\"\"\n", "b.t.manifest": "{}",
		"b.long": long, "b.wide": wide, "b.none": "\"id\"\n", "s3cret-1": "\"id\"\n\"1\"\n", "s3cret-2": "\"id\"\n\"xx\"\n", "s3cret-1.x": "\"id\"\n\"1\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := newFixture()
	f.secrets.Add("s3cret-1")
	f.secrets.Add("s3cret-2")
	if err := f.Tables(dir); err != nil {
		t.Fatal(err)
	}
	f.emit(0, event.TableWritten{Table: "b.t", Rows: 4, Columns: []string{"id", `k"ey`}}, event.TableWritten{Table: "b.long", Rows: MaxSampleRows + 1, Columns: []string{"n"}},
		event.TableWritten{Table: "b.wide", Rows: 2, Columns: []string{"n"}}, event.TableWritten{Table: "b.none", Columns: []string{"id"}},
		event.TableWritten{Table: "s3cret-1", Rows: 1, Columns: []string{"s3cret-2"}}, event.TableWritten{Table: "s3cret-1.x", Rows: 1, Columns: []string{"id"}})
	r := f.result("")
	equal(t, "tables", r.Tables, []*table{
		{Table: "b.t", Rows: 4, Sampled: 4, Columns: []Column{
			{Name: "id", Empty: 1, Shapes: []Shape{{integer, 2, 1, 2}, {text, 1, 1, 1}}},
			{Name: `k"ey`, Empty: 2, Shapes: []Shape{{text, 1, 7, 7}, {date, 1, 10, 10}}},
		}},
		{Table: "b.long", Rows: MaxSampleRows + 1, Sampled: MaxSampleRows, Columns: []Column{{Name: "n", Shapes: []Shape{{integer, MaxSampleRows, 1, 1}}}}},
		{Table: "b.wide", Rows: 2, Sampled: 1, Columns: []Column{{Name: "n", Shapes: []Shape{{text, 1, MaxSampleBytes, MaxSampleBytes}}}}},
		{Table: "b.none", Columns: []Column{{Name: "id", Shapes: []Shape{}}}},
		// Two files have the same masked name.
		{Table: "[hidden]", Rows: 1, Columns: []Column{{Name: "[hidden]", Shapes: []Shape{}}}},
		{Table: "[hidden].x", Rows: 1, Sampled: 1, Columns: []Column{{Name: "id", Shapes: []Shape{{integer, 1, 1, 1}}}}},
	})
	if r.Totals.Tables != 6 || r.Totals.Rows != MaxSampleRows+9 {
		t.Errorf("totals %+v", r.Totals)
	}
}

func TestTablesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "\"a\",\"b\"\n\"1\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, "t"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := newFixture().Tables(dir); failure.KindOf(err) != failure.Application {
			t.Errorf("%q: got %v", content, err)
		}
	}
	if err := newFixture().Tables(filepath.Join(dir, "none")); failure.KindOf(err) != failure.Application {
		t.Errorf("no directory: got %v", err)
	}
}

// FuzzReadShapes: every cell of any file is counted once.
func FuzzReadShapes(f *testing.F) {
	f.Add("\"a\",\"b\"\n\"1\",\"\"\n\"2026-01-01\",\"[1]\"\n")
	f.Add("\"a\"\n\"\xff\"\n")
	f.Fuzz(func(t *testing.T, content string) {
		s, err := readShapes(strings.NewReader(content))
		if err != nil {
			return
		}
		for _, c := range s.columns {
			n := c.Empty
			for _, shape := range c.Shapes {
				n += shape.Count
				if shape.Shortest < 1 || shape.Shortest > shape.Longest {
					t.Errorf("%+v", shape)
				}
			}
			if n != s.sampled {
				t.Errorf("%d cells of %d rows are counted", n, s.sampled)
			}
		}
	})
}
