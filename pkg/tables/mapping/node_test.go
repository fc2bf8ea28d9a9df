package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestTypesMerge(t *testing.T) {
	// One property v: the first value, the second one, and what is known then,
	// arrays with the type of their elements; or the error.
	const errA = `Error parsing response JSON: Unhandled nodeType change from `
	const keep = `; "responseFilter" of the job stores such a value as JSON text`
	const errB = `Error parsing response JSON: Data array in 't.[].v' contains incompatible types `
	rows := []struct{ first, second, want string }{
		{`null`, `null`, "null"},
		{`null`, `1`, "scalar"},
		{`null`, `{}`, "object"},
		{`null`, `[]`, "array of null"},
		{`null`, `[1]`, "array of scalar"},
		{`null`, `[{}]`, "array of object"},
		{`null`, `[1,{"k":1}]`, errA + `"scalar" to "object" in "t.[].v.[]"`},
		{`1`, `null`, "scalar"},
		{`5`, `"x"`, "scalar"},
		{`"x"`, `true`, "scalar"},
		{`1`, `{"k":1}`, errA + `"scalar" to "object" in "t.[].v"`},
		{`1`, `[]`, "array of scalar"},
		{`1`, `[null]`, "array of scalar"},
		{`1`, `["a"]`, "array of scalar"},
		{`1`, `[["a"]]`, "array of scalar"},
		{`1`, `[{"k":1}]`, errB + `'object' and 'scalar'`},
		{`1`, `["a",{"k":1}]`, errA + `"scalar" to "object" in "t.[].v.[]"`},
		{`{}`, `null`, "object"},
		{`{}`, `{}`, "object"},
		{`{"k":1}`, `1`, errA + `"object" to "scalar" in "t.[].v"`},
		{`{"k":1}`, `[]`, "array of object"},
		{`{"k":1}`, `[null]`, "array of object"},
		{`{"k":1}`, `[{}]`, "array of object"},
		{`{"k":1}`, `[1]`, errB + `'scalar' and 'object'`},
		{`{"k":1}`, `[[1]]`, errB + `'scalar' and 'object'`},
		{`{"k":1}`, `[{"k":1},1]`, errA + `"object" to "scalar" in "t.[].v.[]"`},
		{`{"k":1}`, `[1,{"k":1}]`, errA + `"scalar" to "object" in "t.[].v.[]"`},
		{`[]`, `null`, "array of null"},
		{`[1]`, `null`, "array of scalar"},
		{`[{}]`, `null`, "array of object"},
		{`[]`, `1`, "array of scalar"},
		{`[null]`, `1`, "array of scalar"},
		{`[1]`, `1`, "array of scalar"},
		{`[[]]`, `1`, "array of scalar"},
		{`[{"k":1}]`, `1`, errB + `'object' and 'scalar'`},
		{`[]`, `{}`, "array of object"},
		{`[{}]`, `{}`, "array of object"},
		{`[1]`, `{"k":1}`, errB + `'scalar' and 'object'`},
		{`[]`, `[]`, "array of null"},
		{`[]`, `[1]`, "array of scalar"},
		{`[1]`, `[]`, "array of scalar"},
		{`[1]`, `[[2]]`, "array of scalar"},
		{`[1]`, `[{"k":1}]`, errA + `"scalar" to "object" in "t.[].v.[]"`},
		{`[{"k":1}]`, `[1]`, errA + `"object" to "scalar" in "t.[].v.[]"`},
		{`[{"a":1}]`, `[{"a":{"b":1}}]`, errA + `"scalar" to "object" in "t.[].v.[].a"`},
		{`{"a":1}`, `{"a":{"b":1}}`, errA + `"scalar" to "object" in "t.[].v.a"`},
		{`{"a":[1]}`, `{"a":{"b":1}}`, `Error parsing response JSON: Data array in 't.[].v.a' contains incompatible types 'scalar' and 'object'`},

		// An empty object is not a conflict.
		{`1`, `{}`, "object and scalar"},
		{`1`, `[{}]`, "array of object and scalar"},
		{`1`, `["a",{}]`, "array of object and scalar"},
		{`{}`, `1`, "object and scalar"},
		{`{}`, `[]`, "array of object"},
		{`{}`, `[null]`, "array of object"},
		{`{}`, `[{}]`, "array of object"},
		{`{}`, `[1]`, "array of object and scalar"},
		{`{}`, `[[1]]`, "array of object and scalar"},
		{`{}`, `[{},1]`, "array of object and scalar"},
		{`{}`, `[1,{}]`, "array of object and scalar"},
		{`[{}]`, `1`, "array of object and scalar"},
		{`[1]`, `{}`, "array of object and scalar"},
		{`[1]`, `[{}]`, "array of object and scalar"},
		{`[{}]`, `[1]`, "array of object and scalar"},
		{`[{"a":1}]`, `{"a":{}}`, "array of object"},
		{`{"a":1}`, `[{"a":{}}]`, "array of object"},
		{`{"a":[1]}`, `{"a":{}}`, "object"},

		// The original forgets what the elements were when null is in the place
		// of a list, or below them when a single object does.
		{`null,[1]`, `[{"k":1}]`, "array of object and scalar"},
		{`null,[{"k":1}]`, `[1]`, "array of object and scalar"},
		{`[1],null`, `[{"k":1}]`, "array of object and scalar"},
		{`[1],null`, `{"k":1}`, "array of object and scalar"},
		{`[{"k":1}],null`, `1`, "array of object and scalar"},
		{`[{"k":1}],null`, `[1]`, "array of object and scalar"},
		{`[{"k":1}]`, `{"k":{"x":1}}`, "array of object"},
		{`{"k":1}`, `[{"k":{"x":1}}]`, "array of object"},
		{`[{"k":{"l":[1]}}]`, `{"k":{"l":[{"x":1}]}}`, "array of object"},
	}
	for _, row := range rows {
		for pages, split := range map[string][]page{
			"one page":  {rowsOf(append(valuesOf(t, row.first), `{"v":`+row.second+`}`)...)},
			"two pages": {rowsOf(valuesOf(t, row.first)...), rowsOf(`{"v":` + row.second + `}`)},
		} {
			t.Run(row.first+" then "+row.second+" on "+pages, func(t *testing.T) {
				c := newCollector(t, "")
				err := c.add(t, split...)
				if err != nil {
					if err.Error() != row.want+keep || failure.KindOf(err) != failure.User {
						t.Errorf("got error  %v\nwant %s", err, row.want)
					}
					return
				}
				v := c.types["t"].root.element.index["v"]
				got := v.kind.String()
				if v.kind == kindArray {
					v = v.element
					got += " of " + v.kind.String()
				}
				if v.mixed {
					got += " and scalar"
				}
				if got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
			})
		}
	}
}

// valuesOf are rows with these values, parted by commas, of one property.
func valuesOf(t *testing.T, values string) []string {
	t.Helper()
	var rows []string
	for _, v := range testvalue.Parse(t, "["+values+"]").Items() {
		rows = append(rows, `{"v":`+v.JSON()+`}`)
	}
	return rows
}

func TestTypesOfRowsMerge(t *testing.T) {
	rows := []struct {
		name string
		rows []string
		want string
	}{
		{"scalar and object", []string{`1`, `{"a":1}`}, `"scalar" to "object" in "t.[]"`},
		{"object and scalar", []string{`{"a":1}`, `null`, `1`}, `"object" to "scalar" in "t.[]"`},
		{"object and array", []string{`{"a":1}`, `[1]`}, `"object" to "scalar" in "t.[]"`},
		{"items of an array", []string{`{"id":1,"m":[{"a":1},[3,4]]}`}, `"object" to "scalar" in "t.[].m.[]"; "responseFilter" of the job stores such a value as JSON text`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			err := newCollector(t, "").add(t, rowsOf(row.rows...))
			want := "Error parsing response JSON: Unhandled nodeType change from " + row.want
			if err == nil || err.Error() != want || failure.KindOf(err) != failure.User {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// An object whose names are data is a mistake of the configuration, which must
// not take all memory.
func TestPropertiesAreLimited(t *testing.T) {
	slowtest.SkipRace(t, "it has a hundred thousand properties")
	many := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, `,"k%d":null`, i)
		}
		return `{"a":1,"by_id":{` + b.String()[1:] + `}}`
	}
	c := newCollector(t, "")
	// a and by_id are two more.
	if err := c.add(t, rowsOf(many(0, maxProperties-2)), rowsOf(many(7, 10))); err != nil {
		t.Fatal(err)
	}
	err := c.add(t, rowsOf(`{"more":1}`))
	if failure.KindOf(err) != failure.User || !strings.HasPrefix(err.Error(), "the rows of 't' have more than 100000 different properties, the last one below 't.[]'; ") {
		t.Errorf("got %v", err)
	}
}

func TestLevelsOfLists(t *testing.T) {
	row := func(levels int) string { return strings.Repeat(`{"a":`, levels) + "[1]" + strings.Repeat("}", levels) }
	c := newCollector(t, "")
	if err := c.add(t, rowsOf(row(maxLevels))); err != nil {
		t.Fatal(err)
	}
	err := newCollector(t, "").add(t, rowsOf(row(maxLevels+1)))
	if err == nil || failure.KindOf(err) != failure.User || !strings.HasSuffix(err.Error(), "in the rows of 't' is nested in more than 511 other lists; every list becomes a table: use 'responseFilter' or 'mappings' to store deeply nested lists as text, or to leave them out") {
		t.Errorf("got %v", err)
	}
	if n := len(err.Error()); n > maxErrorPath+300 {
		t.Errorf("the message has %d bytes", n)
	}
}

func TestPlacesInMessagesAreShort(t *testing.T) {
	end := strings.Repeat("é", maxErrorPath/2)
	for name, want := range map[string]string{"v": "t.[].v", end: "…." + end, "é" + end: "…"} {
		c := newCollector(t, "")
		err := c.add(t, rowsOf(`{"`+name+`":{"a":1}}`, `{"`+name+`":1}`))
		if err == nil || !strings.HasSuffix(err.Error(), `from "object" to "scalar" in "`+want+`"; "responseFilter" of the job stores such a value as JSON text`) {
			t.Errorf("got %v, want the end %s", err, want)
		}
	}
}

func TestNamesTakeMemory(t *testing.T) {
	c := newCollector(t, "")
	c.names = maxNames - 10
	const want = "the rows of 't' have more than 32 MiB of names of different properties, the last one below 't.[]'; every property becomes a column: use 'responseFilter' or 'mappings' to store objects whose keys are data as text, or to leave them out"
	if err := c.add(t, rowsOf(`{"0123456789":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := c.add(t, rowsOf(`{"a":1}`)); err == nil || failure.KindOf(err) != failure.User || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
