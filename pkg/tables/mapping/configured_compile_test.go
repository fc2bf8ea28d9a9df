package mapping

import (
	"context"
	csvtext "encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// brokenMappings are mappings with their problems.
var brokenMappings = []struct {
	name, mappings string
	want           []string
}{
	{"no object", `"t"`, []string{`: expected an object, found "t"`}},
	{"a list", `[{"a":"b"}]`, []string{`: expected an object, found a list of 1; write an object, {"name": value}, instead of the list`}},
	{"empty mappings", `{"a":{},"b":[],"c":"","d":null}`, []string{
		`/a: expected a mapping with at least one path, found an empty object`,
		`/b: expected a mapping with at least one path, found an empty list`,
		`/c: expected a mapping with at least one path, found an empty string`,
		`/d: expected a mapping with at least one path, found null`,
	}},
	{"mappings of wrong types", `{"a":"x","b":5,"c":true}`, []string{
		`/a: expected a mapping with at least one path, found "x"`,
		`/b: expected a mapping with at least one path, found 5`,
		`/c: expected a mapping with at least one path, found true`,
	}},
	{"settings of wrong types", `{"t":{"a":true,"b":[1],"c":null,"d":""}}`, []string{
		`/t/a: expected the name of a column or a mapping setting, found true`,
		`/t/b: expected the name of a column or a mapping setting, found a list of 1`,
		`/t/c: expected the name of a column or a mapping setting, found null`,
		`/t/d: expected the name of a column, found an empty string`,
	}},
	{"unknown type", `{"t":{"a":{"type":"colum","mapping":{"destination":"A"}},"b":{"type":["column"],"mapping":{"destination":"B"}}}}`, []string{
		`/t/a/type: expected one of "column", "user", "table", found "colum"; did you mean "column"?`,
		`/t/b/type: expected one of "column", "user", "table", found a list of 1`,
	}},
	{"no column", `{"t":{"a":{},"b":[],"c":{"type":"user"},"d":{"mapping":{}},"e":{"mapping":{"primaryKey":true}},"f":{"mapping":{"destination":""}},"g":{"mapping":{"destination":["x"]}},"h":{"mapping":"x"}}}`, []string{
		`/t/a: expected the key "mapping" with the name of the column as "destination"`,
		`/t/b: expected the key "mapping" with the name of the column as "destination"`,
		`/t/c: expected the key "mapping" with the name of the column as "destination"`,
		`/t/d/mapping: expected the key "destination", the name of the column`,
		`/t/e/mapping: expected the key "destination", the name of the column`,
		`/t/f/mapping: expected the key "destination", the name of the column`,
		`/t/g/mapping/destination: expected a string, found a list of 1`,
		`/t/h/mapping: expected an object, found "x"`,
	}},
	{"another path for other types than columns", `{"t":{"a":{"type":"user","or":"b","mapping":{"destination":"A"}},"c":{"type":"table","or":"d","destination":"c","tableMapping":{"x":"X"}}}}`, []string{
		`/t/a/or: unexpected key: it is only for settings of the type "column", found "b"; remove the key`,
		`/t/c/or: unexpected key: it is only for settings of the type "column", found "d"; remove the key`,
	}},
	{"no child table", `{"t":{"a":{"type":"table","tableMapping":{"x":"X"}},"b":{"type":"table","destination":"b"},"c":{"type":"table","destination":"c","tableMapping":{}},
		"d":{"type":"table","destination":"d","tableMapping":"x"},"e":{"type":"table","destination":"e","tableMapping":{"x":{}}}}}`, []string{
		`/t/a: expected the key "destination", the name of the child table`,
		`/t/b: expected the key "tableMapping", the mapping of the child table`,
		`/t/c/tableMapping: expected a mapping with at least one path, found an empty object`,
		`/t/d/tableMapping: expected a mapping with at least one path, found "x"`,
		`/t/e/tableMapping/x: expected the key "mapping" with the name of the column as "destination"`,
	}},
	{"names of tables", `{"a/b":{"x":"X"},"t":{"c":{"type":"table","destination":"c/d","tableMapping":{"x":"X"}},"d":{"type":"table","destination":"d.manifest","tableMapping":{"x":"X"}}},".extractor-x":{"x":"X"},"..":{"x":"X"},"":{"x":"X"}}`, []string{
		`/a~1b: table "a/b" cannot be written to a file: a slash or a NUL byte cannot be part of a file name`,
		`/t/c/destination: table "c/d" cannot be written to a file: a slash or a NUL byte cannot be part of a file name`,
		`/t/d/destination: table "d.manifest" cannot be written to a file: the name is that of a manifest`,
		`/.extractor-x: table ".extractor-x" cannot be written to a file: names that begin with .extractor- are those of temporary files of this program`,
		`/..: table ".." cannot be written to a file: this names a directory`,
		`/: table "" cannot be written to a file: the table has no name`,
	}},
	{"columns of one name", `{"t":{"a":"A","b":{"mapping":{"destination":"A"}},"c":{"type":"user","mapping":{"destination":"A"}},"d":{"type":"table","destination":"A","tableMapping":{"x":"X","y":{"type":"user","mapping":{"destination":"t_pk"}}}},
		"e":{"type":"table","destination":"e","parentKey":{"destination":"Y"},"tableMapping":{"y":"Y"}},"f":{"type":"table","destination":"f","tableMapping":{"x":"X"}},"g":"f"}}`, []string{
		`/t/b: expected another name for the column "A": table "t" already has a column with this name`,
		`/t/c: expected another name for the column "A": table "t" already has a column with this name`,
		`/t/d: expected another name for the column "t_pk": table "A" already has a column with this name`,
		`/t/d: expected another name for the column "A": table "t" already has a column with this name`,
		`/t/e: expected another name for the column "Y": table "e" already has a column with this name`,
		`/t/g: expected another name for the column "f": table "t" already has a column with this name`,
	}},
	{"no column of that name after all", `{"t":{"a":{"mapping":{"destination":"A","primaryKey":true}},"d":{"type":"table","destination":"A","parentKey":{"disable":1},"tableMapping":{"x":"t_pk"}},"e":{"type":"table","destination":"e","tableMapping":{"x":"X"}},"f":"e"}}`, nil},
	{"a list in the place of a column", `{"t":{"a":[1],"b":"B"}}`, []string{
		`/t/a: expected the name of a column or a mapping setting, found a list of 1`,
	}},
	{"own child", `{"t":{"a":{"type":"table","destination":"t"},".":{"type":"table","destination":"t","parentKey":{"disable":true}},"":{"type":"table","destination":"t","parentKey":{"disable":true}},
		"#":{"type":"table","destination":"t","delimiter":"#","parentKey":{"disable":true}},"b":{"type":"table","destination":"t","parentKey":{"disable":true}}}}`, []string{
		`/t/a: expected "parentKey" with "disable": true, because the child table is the table itself`,
		`/t/.: expected a path to a value in the item, because the child table is the table itself, and an item cannot contain itself`,
		`/t/: expected a path to a value in the item, because the child table is the table itself, and an item cannot contain itself`,
		`/t/#: expected a path to a value in the item, because the child table is the table itself, and an item cannot contain itself`,
	}},
	{"a setting instead of paths", `{"t":{"type":"table","destination":"zz","tableMapping":{"id":"ID"}}}`, []string{
		`/t: expected paths with their settings, found an object; this looks like a setting of the type "table": move the content of its tableMapping here`,
	}},
	{"types", `{"t":{"a":{"mapping":{"destination":"a","type":"NUMERIC","length":"5,2","nullable":false,"onMismatch":"warn"}},"b":{"type":"user","mapping":{"destination":"b","type":"STRING","length":5}},"c":{"mapping":{"destination":"c","type":"BOOLEAN"}}}}`, nil},
	{"no type", `{"t":{"a":{"mapping":{"destination":"a","nullable":true}},"b":{"mapping":{"destination":"b","length":"5","onMismatch":"warn"}}}}`, []string{
		`/t/a/mapping/nullable: unexpected key: it is only for columns with a "type", found true; add "type", or remove the key`,
		`/t/b/mapping/length: unexpected key: it is only for columns with a "type", found "5"; add "type", or remove the key`,
		`/t/b/mapping/onMismatch: unexpected key: it is only for columns with a "type", found "warn"; add "type", or remove the key`}},
	{"lengths", `{"t":{"a":{"mapping":{"destination":"a","type":"DATE","length":5}},"b":{"mapping":{"destination":"b","type":"STRING","length":"5,2"}}}}`, []string{
		`/t/a/mapping/length: unexpected key: only NUMERIC and STRING have a length, found 5`,
		`/t/b/mapping/length: expected a number of characters from 1 to 134217728, found "5,2"; for example "12,2" for a NUMERIC, "255" for a STRING`}},
	{"keys without a value", `{"t":{"a":{"mapping":{"destination":"a","type":"DATE","primaryKey":true,"nullable":true}},"b":{"mapping":{"destination":"b","type":"BOOLEAN","primaryKey":true}},"c":{"mapping":{"destination":"c","type":"BOOLEAN","nullable":false}}}}`, []string{
		`/t/a/mapping/nullable: expected false, because a column of the primary key needs a value, found true; remove the key`,
		`/t/b/mapping/type: expected a column that may be empty: false is an empty cell, found "BOOLEAN"; write "booleans": "text" in "config" to write true and false`,
		`/t/c/mapping/nullable: expected a column that may be empty: false is an empty cell, found false; write "booleans": "text" in "config" to write true and false`}},
	{"a typed link of a table without columns", `{"t":{"a":{"mapping":{"destination":"a","type":"DATE","primaryKey":true,"onMismatch":"warn"}},"k":{"type":"table","destination":"u/v","tableMapping":{"x":"x"}}}}`, []string{
		`/t/k/destination: table "u/v" cannot be written to a file: a slash or a NUL byte cannot be part of a file name`}},
	{"one table with different types", `{"t":{"a":{"mapping":{"destination":"a","type":"DATE"}},"k":{"type":"table","destination":"u","parentKey":{"disable":true},"tableMapping":{"x":{"mapping":{"destination":"x","type":"INTEGER"}},"y":"y"}}},"u":{"x":"x","y":"y"}}`, []string{
		`/u/x: expected the column "x" of table "u" to have the same type in both mappings, found without a declared type here and INTEGER at /parameters/config/mappings/t/k/tableMapping/x`}},
	{"paths that are named like settings", `{"t":{"type":"T","tableMapping":"M","destination":"D","mapping":{"mapping":{"destination":"x"}}}}`, nil},
}

// document is a whole configuration with mappings.
func document(t testing.TB, mappings string) value.Value {
	t.Helper()
	return testvalue.Parse(t, `{"parameters":{"api":{"baseUrl":"https://h.test"},"config":{"jobs":[{"endpoint":"t"}],"mappings":`+mappings+`}}}`)
}

// The schema finds some of the problems, the compilation the others, and none
// is reported twice.
func TestBrokenMappings(t *testing.T) {
	for _, row := range brokenMappings {
		t.Run(row.name, func(t *testing.T) {
			compiled, problems := config.Compile(document(t, row.mappings), config.Options{Tree: config.NewTree(config.Types{Mappings: Type()})})
			CompileMappings(compiled.Iterations[0].Mappings, false, false)
			var got []string
			for _, p := range *problems {
				got = append(got, strings.TrimPrefix(p.String(), "/parameters/config/mappings"))
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(row.want))
			if !slices.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// Without the schema in front of it, the compilation finds every fault itself.
func TestBrokenMappingsWithoutSchema(t *testing.T) {
	for _, row := range brokenMappings {
		t.Run(row.name, func(t *testing.T) {
			var problems failure.Problems
			CompileMappings(field.NewSection(testvalue.Parse(t, row.mappings), "", &problems), false, false)
			if (len(problems) == 0) != (len(row.want) == 0) {
				t.Errorf("got %v", problems)
			}
		})
	}
}

// FuzzMappings checks that mappings of any form do no harm: what is accepted
// makes tables whose records all have the cells of the header.
func FuzzMappings(f *testing.F) {
	for _, row := range brokenMappings {
		f.Add(row.mappings, `{"a":[1,{"x":[2]}],"id":3}`)
	}
	f.Add(`{"t":{"id":{"mapping":{"destination":"i","primaryKey":true}},"c":{"type":"table","destination":"t","parentKey":{"disable":true}}}}`, `{"id":1,"c":[{"id":2,"c":null},5]}`)
	f.Add(`{"t":{"":{"type":"table","destination":"c","tableMapping":{"0":"v",".":{"forceType":true,"mapping":{"destination":"j"}}}}}}`, `{"":[[1,2],null]}`)
	f.Fuzz(func(t *testing.T, mappings, row string) {
		given, err := value.Parse([]byte(mappings))
		if err != nil {
			return
		}
		item, err := value.Parse([]byte(row))
		if err != nil {
			return
		}
		for _, typed := range []bool{false, true} {
			tryMappings(t, given, item, typed)
		}
	})
}

// tryMappings stores one item by the given mappings, if they are right.
func tryMappings(t *testing.T, mappings, item value.Value, typed bool) {
	t.Helper()
	var problems failure.Problems
	m := CompileMappings(field.NewSection(mappings, "", &problems), typed, false)
	if problems.Err() != nil || !m.Has("t") {
		return
	}
	dir := t.TempDir()
	set := csvtable.NewSet(dir, t.TempDir())
	c := NewConfigured(m, set)
	if err := c.Batch("t", []Column{{Name: "u", Value: item}}).Row(pack(item)); err != nil {
		if failure.KindOf(err) != failure.User {
			t.Fatal(err)
		}
		set.Abort()
		return
	}
	err := c.Write(context.Background(), Defaults{})
	if err == nil {
		err = m.WriteMissing(set, Defaults{})
	}
	if err != nil {
		if failure.KindOf(err) != failure.User {
			t.Error(err)
		}
		set.Abort()
		return
	}
	written, err := set.Close()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range written {
		checkShape(t, dir, w)
	}
}

// checkShape checks that a table has as many records as it says, of one length.
func checkShape(t *testing.T, dir string, w csvtable.Finished) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, w.Table.FileName()))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csvtext.NewReader(file).ReadAll()
	if err != nil || len(records) != w.Rows+1 || len(records[0]) != len(w.Table.Columns) {
		t.Errorf("table %q: %d records for %d rows of %q, %v", w.Table.Name, len(records), w.Rows, w.Table.Columns, err)
	}
}
