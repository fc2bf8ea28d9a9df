package mapping

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var generatedID = regexp.MustCompile(`t_[0-9a-f]{32}`)

// Where scalars and objects are in one place and it is not an error, both are in
// the tables.
func TestScalarsBesideObjects(t *testing.T) {
	rows := []struct {
		name     string
		rows     []string
		want     map[string]string
		warnings []string
	}{
		{
			"an empty object beside scalars", []string{`{"id":1,"v":7}`, `{"id":2,"v":{}}`, `{"id":3,"v":null}`, `{"id":4,"v":{}}`},
			map[string]string{"t": csv(`id|v`, `1|7`, `2|{}`, `3|`, `4|{}`)},
			[]string{`t.v: column "v", row 2: it holds objects beside single values; objects are written as JSON text`},
		},
		{
			"an empty object before scalars", []string{`{"id":1,"v":{}}`, `{"id":2,"v":"x"}`, `{"id":3,"w":1}`},
			map[string]string{"t": csv(`id|v|w`, `1|{}|`, `2|x|`, `3||1`)},
			[]string{`t.v: column "v", row 1: it holds objects beside single values; objects are written as JSON text`},
		},
		{
			"an empty object beside null", []string{`{"id":1,"v":{}}`, `{"id":2,"v":null}`},
			map[string]string{"t": csv(`id`, `1`, `2`)}, nil,
		},
		{
			"an empty object beside a list", []string{`{"id":1,"v":[5]}`, `{"id":2,"v":{}}`, `{"id":3,"v":[{},6]}`},
			map[string]string{"t": csv(`id|v`, `1|ID`, `2|ID`, `3|ID`), "t_v": csv(`data|JSON_parentId`, `5|ID`, `|ID`, `|ID`, `6|ID`)}, nil,
		},
		{
			"an empty object as a row of scalars", []string{`1`, `{}`}, map[string]string{"t": csv(`data`, `1`, ``)}, nil,
		},
		{
			"objects and scalars in lists, where null was in the place of one",
			[]string{`{"v":[1,[2]]}`, `{"v":null}`, `{"v":[{"k":3}]}`, `{"v":4}`, `{"v":[null]}`},
			map[string]string{"t": csv(`v`, `ID`, ``, `ID`, `ID`, `ID`), "t_v": csv(`data|k|JSON_parentId`, `1||ID`, `[2]||ID`, `|3|ID`, `4||ID`, `||ID`)},
			[]string{
				`t: Converting nested array 't.[].v.[]' to JSON string.`,
				`t.v: column "data", row 1: the list holds single values beside objects; the column has the single values`,
			},
		},
		{
			"below a single object beside a list", []string{`{"v":[{"k":{"x":[1]}},{"k":8}]}`, `{"v":{"k":{"x":2}}}`, `{"v":{"k":5}}`},
			nil, nil,
		},
		{
			"below a list beside a single object", []string{`{"v":[{"k":{"x":[1]}}]}`, `{"v":{"k":5}}`, `{"v":[{"k":null},{"n":1}]}`},
			map[string]string{"t": csv(`v`, `ID`, `ID`, `ID`), "t_v": csv(`k|n|JSON_parentId`, `{"x":[1]}||ID`, `5||ID`, `||ID`, `|1|ID`)},
			[]string{`t.v.k: column "k", row 1: it holds objects beside single values; objects are written as JSON text`},
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newCollector(t, "")
			err := c.add(t, rowsOf(row.rows...))
			if row.want == nil {
				if err == nil || !strings.Contains(err.Error(), "nodeType change") {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			check := func(c *collector) {
				t.Helper()
				made := c.tables(t)
				for name, text := range made {
					made[name] = generatedID.ReplaceAllString(text, "ID")
				}
				checkTables(t, made, row.want)
				if !slices.Equal(c.warnings, row.warnings) {
					t.Errorf("warnings\n%q, want\n%q", c.warnings, row.warnings)
				}
			}
			structure := c.Structure()
			check(c)
			again := collect(t, structure.JSON(), rowsOf(row.rows...))
			if got := again.Structure().JSON(); got != structure.JSON() {
				t.Errorf("remembered at first\n%s, then\n%s", structure.JSON(), got)
			}
			check(again)
		})
	}
}

// A list that held both in the last run has the columns of both.
func TestScalarsBesideObjectsAreRemembered(t *testing.T) {
	first := collect(t, "", rowsOf(`{"v":[1]}`, `{"v":null}`, `{"v":[{"k":3,"data":4}]}`))
	second := collect(t, first.Structure().JSON(), rowsOf(`{"v":[5]}`))
	made := second.tables(t)
	checkTables(t, map[string]string{"t_v": generatedID.ReplaceAllString(made["t_v"], "ID")}, map[string]string{"t_v": csv(`data|k|data_u0|JSON_parentId`, `5|||ID`)})
}

// The columns of objects that a single value has not replaced stay as they are.
func TestSingleObjectsBesideLists(t *testing.T) {
	c := collect(t, "", rowsOf(`{"v":[{"k":{"x":1}}]}`, `{"v":{"k":{"x":2}}}`))
	made := c.tables(t)
	checkTables(t, map[string]string{"t_v": generatedID.ReplaceAllString(made["t_v"], "ID")}, map[string]string{"t_v": csv(`k_x|JSON_parentId`, `1|ID`, `2|ID`)})
}
