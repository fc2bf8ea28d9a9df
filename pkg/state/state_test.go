package state

import (
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

// TestNext: the document of the next run, byte for byte.
func TestNext(t *testing.T) {
	for _, row := range []struct {
		name, previous string
		latest         string
		columns        []string // of the table "t"; nil when they are not watched
		want           string
	}{
		{"first run", `null`, `null`, nil, `{"time":{"previousStart":5}}`},
		{"what others left stays in its place", `{"own":[1],"time":{"currentStart":1,"previousStart":2,"x":3},"more":{}}`, `null`, nil,
			`{"own":[1],"time":{"previousStart":5,"x":3},"more":{}}`},
		{"a structure", `{"json_parser.structVersion":3}`, `{"data":{}}`, nil,
			`{"json_parser.structVersion":3,"time":{"previousStart":5},"json_parser.struct":{"data":{}}}`},
		{"a structure of old", `{"json_parser.struct":{"a":1},"json_parser.structVersion":2}`, `{"data":{}}`, nil,
			`{"json_parser.struct":{"data":{}},"json_parser.structVersion":3,"time":{"previousStart":5}}`},
		{"no structure", `{"json_parser.struct":{"a":1},"json_parser.structVersion":3}`, `null`, nil,
			`{"json_parser.struct":{"a":1},"json_parser.structVersion":3,"time":{"previousStart":5}}`},
		{"columns", `{"tableColumns":{"other":["a"]}}`, `{"data":{}}`, []string{"id"},
			`{"tableColumns":{"other":["a"],"t":["id"]},"time":{"previousStart":5},"json_parser.struct":{"data":{}},"json_parser.structVersion":3}`},
		{"columns that no one watches", `{"tableColumns":{"other":["a"]}}`, `null`, nil, `{"tableColumns":{"other":["a"]},"time":{"previousStart":5}}`},
		{"columns of tables 0 and 1 that PHP made a list of", `{"tableColumns":[["a"],["b"]]}`, `null`, []string{"id"}, `{"tableColumns":{"0":["a"],"1":["b"],"t":["id"]},"time":{"previousStart":5}}`},
		{"no columns, after PHP", `{"tableColumns":[]}`, `null`, []string{"id"}, `{"tableColumns":{"t":["id"]},"time":{"previousStart":5}}`},
		{"broken columns", `{"tableColumns":{"other":[1]}}`, `null`, []string{"id"}, `{"tableColumns":{"t":["id"]},"time":{"previousStart":5}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var structure Structure
			var columns Columns
			s := Open(testvalue.Parse(t, row.previous), NewTime(5), &structure, &columns)
			structure.Latest = testvalue.Parse(t, row.latest)
			if row.columns != nil {
				columns.Watch(func(string) {})
				columns.Changed("t", row.columns)
			}
			got, err := s.Next()
			if err != nil || got.JSON() != row.want {
				t.Errorf("got  %s, %v\nwant %s", got.JSON(), err, row.want)
			}
		})
	}
}

// TestLoad: what a run takes from the previous one.
func TestLoad(t *testing.T) {
	for _, row := range []struct {
		previous, start, structure string
		legacy                     bool
	}{
		{`null`, `0`, `null`, false},
		{`{"time":{"previousStart":0}}`, `0`, `null`, false},
		{`{"time":{"previousStart":"2020"}}`, `"2020"`, `null`, false},
		{`{"json_parser.struct":{"data":{}}}`, `0`, `null`, false},
		{`{"json_parser.struct":{"data":{}},"json_parser.structVersion":3}`, `0`, `{"data":{}}`, false},
		{`{"json_parser.struct":{"data":{}},"json_parser.structVersion":2}`, `0`, `null`, true},
	} {
		start, structure := NewTime(1), Structure{}
		Open(testvalue.Parse(t, row.previous), start, &structure)
		if start.Previous().JSON() != row.start || structure.Previous.JSON() != row.structure || structure.Legacy != row.legacy {
			t.Errorf("%s: previous start %s, structure %s, legacy %t", row.previous, start.Previous().JSON(), structure.Previous.JSON(), structure.Legacy)
		}
	}
}

// TestChangedColumns: columns are compared with those of the last run that wrote
// the table.
func TestChangedColumns(t *testing.T) {
	var c Columns
	Open(testvalue.Parse(t, `{"tableColumns":{"t":["a","b"]}}`), &c)
	c.Watch(func(text string) { t.Error(text) })
	added, removed, changed := c.Changed("t", []string{"b", "c"})
	if !changed || !slices.Equal(added, []string{"c"}) || !slices.Equal(removed, []string{"a"}) {
		t.Errorf("got %q, %q, %t", added, removed, changed)
	}
	if _, _, changed := c.Changed("t", []string{"b", "c"}); changed {
		t.Error("the same columns are reported again")
	}
	if _, _, changed := c.Changed("new", []string{"a"}); changed {
		t.Error("a table that no run has written has changed columns")
	}
}
