package response

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// columnsOf compiles the setting `columns`.
func columnsOf(t testing.TB, setting string) Columns {
	t.Helper()
	v, err := value.Parse([]byte(setting))
	if err != nil {
		t.Fatal(err)
	}
	var problems failure.Problems
	c := CompileColumns(field.NewSection(v, "/columns", &problems), ".")
	if len(problems) > 0 {
		t.Fatalf("%s: %v", setting, problems)
	}
	return c
}

// TestColumns: the values of lists get names, wherever the names, the text and the items
// are.
func TestColumns(t *testing.T) {
	tests := []struct{ name, columns, text, want string }{
		{"fixed names", `["a","b"]`, `{"r":[[1,"x"],[null,{"y":[2]}]]}`, `2 {"a":1,"b":"x"} {"a":null,"b":{"y":[2]}}`},
		{"a short row and an empty one", `["a","b"]`, `{"r":[[1],[]]}`, `2 {"a":1} {}`},
		{"null as a row", `["a","b"]`, `{"r":[null,[1]]}`, `2 {} {"a":1}`},
		{"names in front of the rows", `"head.names"`, `{"head":{"names":["a","b"]},"r":[[1,2]]}`, `1 {"a":1,"b":2}`},
		{"names after the rows", `"head.names"`, `{"r":[[1,2],[3,4]],"head":{"names":["a","b"]}}`, `2 {"a":1,"b":2} {"a":3,"b":4}`},
		{"names in objects", `"head.[].meta.name"`, `{"r":[[1,2]],"head":[{"meta":{"name":"a"}},{"meta.name":"b"}]}`, `1 {"a":1,"b":2}`},
		{"names that are numbers and booleans", `"head"`, `{"head":[2024,true],"r":[[1,2]]}`, `1 {"2024":1,"1":2}`},
		{"names that are missing, empty and equal", `"head.[].n"`, `{"head":[{},{"n":""},{"n":"x"},{"n":"x"},{"n":null}],"r":[[1,2,3,4,5]]}`, `1 {"column_1":1,"column_2":2,"x":3,"x_2":4,"column_5":5}`},
		{"the first item", `true`, `{"r":[["a","b"],[1,2],[3]]}`, `2 {"a":1,"b":2} {"a":3}`},
		{"only the first item", `true`, `{"r":[["a","b"]]}`, `0 `},
		{"no item", `true`, `{"r":[]}`, `0 `},
		{"nothing, and no names", `"head"`, `{"s":1}`, `0 `},
		{"a list in the items", `{"keys":["day","site"]}`, `{"r":[{"id":7,"keys":["2026-01-01","x"],"clicks":3},{"clicks":4}]}`, `2 {"id":7,"day":"2026-01-01","site":"x","clicks":3} {"clicks":4}`},
		{"two lists of objects", `{"d.[].v":"dh.[].n","m.[].v":"mh.[].n"}`, `{"dh":[{"n":"day"}],"mh":[{"n":"clicks"},{"n":"day"}],"r":[{"d":[{"v":"x"}],"m":[{"v":"1"},{}]},{"m":[{},{"v":"2"}]}]}`,
			`2 {"day":"x","clicks":"1"} {"day_2":"2"}`},
		{"a hostile name", `"head"`, `{"head":["__proto__","\u0000\"","[a=b]"],"r":[[1,2,3]]}`, `1 {"__proto__":1,"\u0000\"":2,"[a=b]":3}`},
		{"too many values", `["a"]`, `{"r":[[1],[1,2,3]]}`, `item 2 at 'r' has 3 values, but only the name of 1 column is known ('dataField.columns')`},
		{"too many values in a member", `{"k":["a","b"]}`, `{"r":[{"k":[1,2,3]}]}`, `'k' of item 1 at 'r' has 3 values, but only the names of 2 columns are known ('dataField.columns')`},
		{"a row that is an object", `["a"]`, `{"r":[{"a":1}]}`, `item 1 at 'r' is an object, expected a list of values ('dataField.columns')`},
		{"an item that is a text", `{"k":["a"]}`, `{"r":["x"]}`, `item 1 at 'r' is a string, expected an object with 'k' ('dataField.columns')`},
		{"a member that is a text", `{"k":["a"]}`, `{"r":[{"k":"x"}]}`, `'k' of item 1 at 'r' is a string, expected a list of values ('dataField.columns')`},
		{"a name that is taken", `{"k":["a"]}`, `{"r":[{"k":[1]},{"a":2,"k":[1]}]}`, `item 2 at 'r' has a member with the name of a column, 'a': one of the two would be lost ('dataField.columns')`},
		{"a long name that is taken", `{"k":["` + strings.Repeat("x", 101) + `"]}`, `{"r":[{"` + strings.Repeat("x", 101) + `":2}]}`, `item 1 at 'r' has a member with the name of a column, whose name is long: one of the two would be lost ('dataField.columns')`},
		{"a list that no item has", `{"k":["a"],"l":["b"]}`, `{"r":[{"k":[1]},{"k":[2],"v":3}]}`, `no item at 'r' has a member 'l' ('dataField.columns')`},
		{"a path in the place of a name", `{"k.l":["a"]}`, `{"r":[{"k":{"l":[1]}}]}`, `no item at 'r' has a member 'k.l' ('dataField.columns')`},
		{"a list that the last item has", `{"k":["a"]}`, `{"r":[{"v":1},{"k":null}]}`, `2 {"v":1} {}`},
		{"no names", `"head"`, `{"r":[[1]]}`, `there is nothing at 'head' of the response, expected the names of the columns ('dataField.columns')`},
		{"names that are no list", `"head"`, `{"head":{"a":1},"r":[[1]]}`, `the value at 'head' of the response is an object, expected the list of the names of the columns ('dataField.columns')`},
		{"a name that is a list", `"head"`, `{"head":["a",["b"]],"r":[[1]]}`, `the value at 'head' of the response has an array as name 2, expected a text ('dataField.columns')`},
		{"large names", `"head"`, `{"head":["` + strings.Repeat("x", maxField) + `"],"r":[[1]]}`, `the names of the columns at 'head' of the response have more than 1048576 bytes`},
		{"a first item that is an object", `true`, `{"r":[{"a":1},[1]]}`, `item 1 at 'r' is an object, expected the list of the names of the columns ('dataField.columns')`},
		{"many names", `true`, `{"r":[[` + strings.Repeat(`"",`, maxColumns) + `""],[1]]}`, `the response has 100001 names of columns, expected at most 100000 ('dataField.columns')`},
		{"a million values", `["a"]`, `{"r":[[` + strings.Repeat(`1,`, 999_999) + `1]]}`, `item 1 at 'r' has 1000000 values, but only the name of 1 column is known ('dataField.columns')`},
		{"a first item without end", `true`, `{"r":[["` + strings.Repeat("x", maxHeader) + `"],[1]]}`, `item 1 at 'r', which names the columns, has more than 8 MiB`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, q := range []Query{{}, {Volume: true}, {Fields: []Path{dot("r.0.0"), dot("head"), dot("r.-1.keys.0")}}, {Format: formatOf(t, `{"unpack":"gzip"}`)}} {
				q.Data, q.Columns = dot("r"), columnsOf(t, tt.columns)
				text := tt.text
				if i == 3 {
					text = gzipped(text)
				}
				for _, limit := range []int{MemoryLimit, 4} {
					if len(text) > 100_000 && (i > 0 || limit < MemoryLimit) {
						continue // no time for it
					}
					if got := keyedOutcome(t, text, q, limit); got != tt.want {
						t.Errorf("query %d, %d bytes in memory:\n got %s\nwant %s", i, limit, got, tt.want)
					}
				}
			}
		})
	}
}

// TestColumnsElsewhere: other formats, and items that were shaped before.
func TestColumnsElsewhere(t *testing.T) {
	tests := []struct{ name, response, columns, text, want string }{
		{"lines", `{"format":"jsonl"}`, `["a","b"]`, "[1,2]\n[3]\n", `2 {"a":1,"b":2} {"a":3}`},
		{"a list in lines", `{"format":"jsonl"}`, `{"k":["a"]}`, `{"i":1,"k":[2]}`, `1 {"i":1,"a":2}`},
		{"elements", `{"format":"xml"}`, `{"c":"head.c.[].@n"}`, `<d><row><c>1</c><c>2</c></row><row><c>3</c></row><row/><head><c n="a"/><c n="b"/></head></d>`, `3 {"a":"1","b":"2"} {"a":"3"} {}`},
		{"one name", `{"format":"xml"}`, `{"c":"head.c.[].@n"}`, `<d><head><c n="a"/></head><row id="7"><c>1</c></row></d>`, `1 {"@id":"7","a":"1"}`},
		{"the files of a zip have their own names", `{"unpack":"zip"}`, `true`, zipped("1.json", `{"row":[["a"],[1]]}`, "2.json", `{"row":[["b"],[2],[3]]}`), `3 {"a":1} {"b":2} {"b":3}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := Query{Format: formatOf(t, tt.response), Data: dot("row"), Columns: columnsOf(t, tt.columns)}
			if q.Format.Name == "jsonl" {
				q.Data = dot(".")
			}
			if got := keyedOutcome(t, tt.text, q, MemoryLimit); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestColumnsOfMembers: an object whose names are data may have lists as members.
func TestColumnsOfMembers(t *testing.T) {
	q := Query{Data: dot("r"), KeyAs: "day", Columns: columnsOf(t, `{"value":["open","close"]}`)}
	if got, want := keyedOutcome(t, `{"r":{"mon":[1,2],"tue":[3]}}`, q, MemoryLimit), `2 {"day":"mon","open":1,"close":2} {"day":"tue","open":3}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestColumnsSeparator: paths to names and to values have the separator of the data.
func TestColumnsSeparator(t *testing.T) {
	v, err := value.Parse([]byte(`{"c.d/[]/v/w":"head/c.d/[]/n/m"}`))
	if err != nil {
		t.Fatal(err)
	}
	q := Query{Data: Path{"a/r", "/"}, Columns: CompileColumns(field.NewSection(v, "", new(failure.Problems)), "/")}
	text := `{"a":{"r":[{"c.d":[{"v":{"w":1}}]}]},"head":{"c.d":[{"n":{"m":"x"}}]}}`
	if got, want := keyedOutcome(t, text, q, MemoryLimit), `1 {"x":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestParallel: the values of parallel lists are items.
func TestParallel(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"lists", `{"r":{"t":[1,2,3],"v":["a",null,{"x":[4]}]}}`, `3 {"t":1,"v":"a"} {"t":2,"v":null} {"t":3,"v":{"x":[4]}}`},
		{"members that are no list", `{"r":{"s":"ok","t":[1,2],"o":{"x":1},"n":null}}`, `2 {"s":"ok","t":1,"o":{"x":1},"n":null} {"s":"ok","t":2,"o":{"x":1},"n":null}`},
		{"several objects", `{"r":[{"t":[1,2]},{"t":[]},{"t":[3],"v":[4]}]}`, `3 {"t":1} {"t":2} {"t":3,"v":4}`},
		{"no list", `{"r":{"s":"no data"}}`, `0 `},
		{"empty lists", `{"r":{"t":[],"v":[]}}`, `0 `},
		{"an empty object", `{"r":{}}`, `0 `},
		{"an empty list, as PHP writes an empty object", `{"r":[]}`, `0 `},
		{"null", `{"r":null}`, `0 `},
		{"nothing", `{"s":1}`, `0 `},
		{"equal names", `{"r":{"t":[1],"t":[2,3]}}`, `2 {"t":2} {"t":3}`},
		{"lists of different length", `{"r":{"t":[1,2],"s":0,"v":[1]}}`, `the list 't' has 2 values, and the list 'v' has 1: expected lists of equal length ('dataField.parallel')`},
		{"a text", `{"r":"x"}`, `the data is a string, expected an object of lists ('dataField.parallel')`},
		{"a list of numbers", `{"r":[1]}`, `the data is a number, expected an object of lists ('dataField.parallel')`},
		{"much beside the lists", `{"r":{"t":[1],"s":"` + strings.Repeat("x", maxField) + `"}}`, `the members beside the lists have more than 1048576 bytes, which is too much for each row ('dataField.parallel')`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, q := range []Query{{}, {Volume: true}, {Fields: []Path{dot("r.t.0"), dot("r")}}, {Format: formatOf(t, `{"unpack":"gzip"}`)}} {
				q.Data, q.Parallel = dot("r"), true
				text := tt.text
				if i == 3 {
					text = gzipped(text)
				}
				for _, limit := range []int{MemoryLimit, 4} {
					if got := keyedOutcome(t, text, q, limit); got != tt.want {
						t.Errorf("query %d, %d bytes in memory:\n got %s\nwant %s", i, limit, got, tt.want)
					}
				}
			}
		})
	}
}

// TestParallelThenOthers: members of an object and lists in lists, too.
func TestParallelThenOthers(t *testing.T) {
	q := Query{Data: dot("r"), KeyAs: "place", Parallel: true, Columns: columnsOf(t, `{"v":["low","high"]}`)}
	text := `{"r":{"x":{"t":[1,2],"v":[[3,4],[5]]},"y":{"t":[]}}}`
	if got, want := keyedOutcome(t, text, q, MemoryLimit), `2 {"place":"x","t":1,"low":3,"high":4} {"place":"x","t":2,"low":5}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestColumnsOfConfiguration: settings that cannot be meant are problems.
func TestColumnsOfConfiguration(t *testing.T) {
	tests := []struct{ name, format, columns, want string }{
		{"brackets at the end", ``, `"names.[]"`, `expected a path without "[]" at its end`},
		{"brackets at the end of a member", ``, `{"v.[]":["a"]}`, `expected a name without "[]"`},
		{"a list twice", ``, `{"v.[].a":["a"],"v.[].b":["b"]}`, `expected each list of the items only once`},
		{"no member", ``, `{"":["a"]}`, `expected the name of a list`},
		{"csv", `csv`, `true`, `expected no such key`},
		{"text", `text`, `["a"]`, `expected no such key`},
		{"lines with names in them", `jsonl`, `true`, `expected a list of names`},
		{"elements that are no lists", `xml`, `["a"]`, `expected an object`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := value.Parse([]byte(tt.columns))
			if err != nil {
				t.Fatal(err)
			}
			var problems failure.Problems
			s := field.NewSection(v, "/columns", &problems)
			Format{Name: tt.format}.CheckColumns(CompileColumns(s, "."), false, s)
			if all := problems; len(all) != 1 || !strings.Contains(all[0].Expected.String(), tt.want) {
				t.Errorf("got %v, want %s", all, tt.want)
			}
		})
	}
}
