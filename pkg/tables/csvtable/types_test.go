package csvtable

import (
	"context"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestTypeOfAColumn(t *testing.T) {
	rows := []struct {
		name     string
		cells    []Kind
		want     string
		nullable bool
		// of the same column in the key
		keyWant     string
		keyNullable bool
	}{
		{"no rows", nil, "STRING", true, "STRING", false},
		{"only nulls", []Kind{Absent, Absent}, "STRING", true, "STRING", true},
		{"texts", []Kind{Text, Text}, "STRING", false, "STRING", false},
		{"a text and null", []Kind{Text, Absent}, "STRING", true, "STRING", true},
		{"integers", []Kind{Integer, Integer}, "INTEGER", false, "INTEGER", false},
		{"null, then an integer", []Kind{Absent, Integer}, "INTEGER", true, "INTEGER", true},
		{"numbers", []Kind{Number}, "NUMERIC", false, "NUMERIC", false},
		{"an integer and another number", []Kind{Integer, Number}, "NUMERIC", false, "NUMERIC", false},
		{"another number, an integer and null", []Kind{Number, Integer, Absent}, "NUMERIC", true, "NUMERIC", true},
		{"true", []Kind{True}, "BOOLEAN", false, "BOOLEAN", false},
		{"false", []Kind{False}, "BOOLEAN", true, "STRING", false},
		{"true and false", []Kind{True, False}, "BOOLEAN", true, "STRING", false},
		{"true and null", []Kind{True, Absent}, "BOOLEAN", true, "BOOLEAN", true},
		{"false and null", []Kind{False, Absent}, "BOOLEAN", true, "STRING", true},
		{"an integer and a text", []Kind{Integer, Text}, "STRING", false, "STRING", false},
		{"an integer and false", []Kind{Integer, False}, "STRING", false, "STRING", false},
		{"a number and true", []Kind{Number, True}, "STRING", false, "STRING", false},
		{"false and a text", []Kind{False, Text}, "STRING", false, "STRING", false},
		{"everything", []Kind{Text, False, True, Number, Integer, Absent}, "STRING", true, "STRING", true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			seen := KindsOf(row.cells...)
			if got, nullable := seen.columnType(false); got != row.want || nullable != row.nullable {
				t.Errorf("%s, nullable %v; want %s, %v", got, nullable, row.want, row.nullable)
			}
			if got, nullable := seen.columnType(true); got != row.keyWant || nullable != row.keyNullable {
				t.Errorf("in the key %s, nullable %v; want %s, %v", got, nullable, row.keyWant, row.keyNullable)
			}
		})
	}
}

// column is one column of a schema.
func column(name, baseType, rest string) string {
	return `{"name":"` + name + `","data_type":{"base":{"type":"` + baseType + `"}},"nullable":` + rest + `}`
}

func TestTypedTable(t *testing.T) {
	dir := t.TempDir()
	w, err := NewSet(dir, "").Create(Table{Name: "t", Bucket: "b", Columns: []string{"id", "n", "note"}, PrimaryKey: []string{"id"}, Incremental: true, Typed: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range []struct {
		cells []string
		kinds []Kind
	}{
		{[]string{"1", "2", ""}, []Kind{Integer, Integer, Absent}},
		{[]string{"2", "2.5", "x"}, []Kind{Integer, Number, Text}},
	} {
		if err := w.Row(cellsOf(record.cells...), record.kinds); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Row(cellsOf("3", "3", "y"), nil); failure.KindOf(err) != failure.Application || !strings.Contains(err.Error(), "kinds of 0 cells for 3 columns") {
		t.Errorf("a record without kinds: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, dir, "b.t", "\"id\",\"n\",\"note\"\n\"1\",\"2\",\"\"\n\"2\",\"2.5\",\"x\"\n")
	check(t, dir, "b.t.manifest", `{"destination":"in.c-b.t","incremental":true,"has_header":true,"schema":[`+
		column("id", "INTEGER", `false,"primary_key":true`)+","+column("n", "NUMERIC", "false")+","+column("note", "STRING", "true")+`]}`)
}

// TestTypesOfTablesThatMeet appends to a typed table in both ways.
func TestTypesOfTablesThatMeet(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	s, typed := NewSet(dir, temp), Table{Name: "t", Columns: []string{"x"}, Typed: true}
	row := func(w *Writer, cell string, kind Kind) {
		t.Helper()
		if err := w.Row(cellsOf(cell), []Kind{kind}); err != nil {
			t.Fatal(err)
		}
	}
	schema := func(baseType, nullable string) string {
		return `{"incremental":false,"has_header":true,"schema":[` + column("x", baseType, nullable) + `]}`
	}
	for _, part := range []struct {
		cell string
		kind Kind
		want string // the manifest, if there were no further part
	}{
		{"1", Integer, schema("INTEGER", "false")},
		{"", Absent, schema("INTEGER", "true")},
		{"0.5", Number, schema("NUMERIC", "true")},
	} {
		w, err := s.Draft(typed)
		if err != nil {
			t.Fatal(err)
		}
		row(w, part.cell, part.kind)
		if err := w.Publish(context.Background(), typed); err != nil {
			t.Fatal(err)
		}
		w = create(t, s, typed)
		if got := string(w.table.manifest(w.seen)); got != part.want {
			t.Errorf("after %q: got  %s\nwant %s", part.cell, got, part.want)
		}
	}
	row(create(t, s, typed), "a", Text)
	create(t, s, Table{Name: "empty", Columns: typed.Columns, PrimaryKey: typed.Columns, Typed: true})
	if _, err := s.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, dir, "t", "\"x\"\n\"1\"\n\"\"\n\"0.5\"\n\"a\"\n")
	check(t, dir, "t.manifest", schema("STRING", "true"))
	check(t, dir, "empty.manifest", schema("STRING", `false,"primary_key":true`))
}
