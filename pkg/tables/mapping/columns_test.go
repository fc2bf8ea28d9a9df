package mapping

import (
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

func TestExtraColumns(t *testing.T) {
	rows := []struct {
		name  string
		pages []page
		want  map[string]string
	}{
		{
			name:  "kinds of values",
			pages: []page{{dataType: "t", columns: `{"tag":"T","mode":5,"b":true,"n":null,"f":1.50}`, rows: []string{`{"id":1,"tag":"x"}`}}},
			want:  map[string]string{"t": csv(`id|tag|tag_u0|mode|b|n|f`, `1|x|T|5|1||1.50`)},
		},
		{
			name: "property of that name in one row only",
			pages: []page{
				{dataType: "c/{id}", columns: `{"parent_id":1}`, rows: []string{`{"x":1,"parent_id":"Z"}`}},
				{dataType: "c/{id}", columns: `{"parent_id":2}`, rows: []string{`{"x":2}`}},
			},
			want: map[string]string{"c_id": csv(`x|parent_id|parent_id_u0`, `1|Z|1`, `2||2`)},
		},
		{
			name:  "scalar rows have that column",
			pages: []page{{dataType: "t", columns: `{"data":"U"}`, rows: []string{`1`}}},
			want:  map[string]string{"t": csv(`data|data_u0`, `1|U`)},
		},
		{
			name:  "scalar rows have a column of that safe name",
			pages: []page{{dataType: "t", columns: `{"data.":"U"}`, rows: []string{`1`}}},
			want:  map[string]string{"t": csv(`data|data_u0`, `1|U`)},
		},
		{
			name: "property of that name on a later page",
			pages: []page{
				{dataType: "t", columns: `{"a":"A"}`, rows: []string{`{"x":1}`}},
				{dataType: "t", columns: `{"a":"A"}`, rows: []string{`{"a":2}`}},
			},
			want: map[string]string{"t": csv(`x|a|a_u0`, `1||A`, `|2|A`)},
		},
		{
			name:  "the next free name",
			pages: []page{{dataType: "t", columns: `{"a":1}`, rows: []string{`{"a":2,"a_u0":3}`}}},
			want:  map[string]string{"t": csv(`a|a_u0|a_u1`, `2|3|1`)},
		},
		{
			name:  "the new name is another column's",
			pages: []page{{dataType: "t", columns: `{"a":1,"a_u0":2}`, rows: []string{`{"a":3}`}}},
			want:  map[string]string{"t": csv(`a|a_u1|a_u0`, `3|1|2`)},
		},
		{
			name:  "unsafe name",
			pages: []page{{dataType: "t", columns: `{"parent_user-info.id":7,"parent_.":8}`, rows: []string{`{"id":1}`}}},
			want:  map[string]string{"t": csv(`id|parent_user-info_id|parent`, `1|7|8`)},
		},
		{
			name:  "only the safe names are the same",
			pages: []page{{dataType: "t", columns: `{"o_tag":"U"}`, rows: []string{`{"o":{"tag":2}}`}}},
			want:  map[string]string{"t": csv(`o_tag|o_tag_u0`, `2|U`)},
		},
		{
			name:  "an object has the name",
			pages: []page{{dataType: "t", columns: `{"o":"U"}`, rows: []string{`{"o":{"tag":2}}`}}},
			want:  map[string]string{"t": csv(`o_tag|o_u0`, `2|U`)},
		},
		{
			name: "pages with other columns",
			pages: []page{
				{dataType: "t", columns: `{"a":1}`, rows: []string{`{"id":1}`}},
				{dataType: "t", columns: `{"b":2}`, rows: []string{`{"id":1}`}},
				{dataType: "t", rows: []string{`{"id":1}`}},
				{dataType: "t", columns: `{"b":4,"a":3}`, rows: []string{`{"id":2}`}},
			},
			want: map[string]string{"t": csv(`id|a|b`, `1|1|`, `1||2`, `1||`, `2|3|4`)},
		},
		{
			name: "a page that leaves no trace adds no column",
			pages: []page{
				{dataType: "t", columns: `{"a":1}`, rows: []string{`null`}},
				{dataType: "t", rows: []string{`{"id":1}`}},
			},
			want: map[string]string{"t": csv(`id`, `1`)},
		},
		{
			name: "renamed in one data type and in those after it, not in those before",
			pages: []page{
				{dataType: "z", columns: `{"tag":"U"}`, rows: []string{`{"id":1}`}},
				{dataType: "a", columns: `{"tag":"U","n":1}`, rows: []string{`{"tag":1}`}},
				{dataType: "b", columns: `{"tag":"U","n":1}`, rows: []string{`{"id":1}`}},
				{dataType: "c", columns: `{"tag":"U"}`, rows: []string{`{"tag_u0":1}`}},
			},
			want: map[string]string{
				"z": csv(`id|tag`, `1|U`), "a": csv(`tag|tag_u0|n`, `1|U|1`),
				"b": csv(`id|tag_u0|n`, `1|U|1`), "c": csv(`tag_u0|tag_u1`, `1|U`),
			},
		},
		{
			name:  "scalar rows",
			pages: []page{{dataType: "t", columns: `{"data":"U","x":1}`, rows: []string{`"a"`, `null`}}},
			want:  map[string]string{"t": csv(`data|data_u0|x`, `a|U|1`, `|U|1`)},
		},
		{
			name:  "rows without own columns",
			pages: []page{{dataType: "t", columns: `{"u":"U"}`, rows: []string{`{}`, `null`}}},
			want:  map[string]string{"t": csv(`u`, `U`, `U`)},
		},
		{
			name:  "hashed, but not added to the tables below",
			pages: []page{{dataType: "t", columns: `{"u":"U","n":2}`, rows: []string{`{"v":["a"]}`}}},
			want: map[string]string{
				"t":   csv(`v|u|n`, userRow+`|U|2`),
				"t_v": csv(`data|JSON_parentId`, `a|`+userRow),
			},
		},
		{
			name: "hashed in its place under its new name",
			pages: []page{
				{dataType: "t", columns: `{"x":1,"y":2}`, rows: []string{`{"x":0,"v":["a"]}`}},
				{dataType: "t", columns: `{"x":1,"y":2}`, rows: []string{`{"x":0,"v":["a"]}`}},
			},
			want: map[string]string{
				"t":   csv(`x|v|x_u0|y`, `0|`+renamedRow+`|1|2`, `0|`+renamedRow+`|1|2`),
				"t_v": csv(`data|JSON_parentId`, `a|`+renamedRow, `a|`+renamedRow),
			},
		},
		{
			name:  "unsafe name hashed as given",
			pages: []page{{dataType: "t", columns: `{"p.q":1}`, rows: []string{`{"v":["a"]}`}}},
			want: map[string]string{
				"t":   csv(`v|p_q`, unsafeRow+`|1`),
				"t_v": csv(`data|JSON_parentId`, `a|`+unsafeRow),
			},
		},
		{
			name:  "the parent's id has a name of the data",
			pages: []page{rowsOf(`{"JSON_parentId":"own","v":[{"JSON_parentId":"mine","w":[1]}]}`)},
			want: map[string]string{
				"t":     csv(`JSON_parentId|v`, `own|`+ownParent),
				"t_v":   csv(`JSON_parentId|w|JSON_parentId_u0`, `mine|`+ownChild+`|`+ownParent),
				"t_v_w": csv(`data|JSON_parentId`, `1|`+ownChild),
			},
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := collect(t, "", row.pages...)
			checkTables(t, c.tables(t), row.want)
			if len(c.warnings) > 0 {
				t.Errorf("warnings %q", c.warnings)
			}
		})
	}
}

const aList = `s:1:"v";a:1:{i:0;s:1:"a";}`

var (
	userRow    = idOf(`O:8:"stdClass":3:{` + aList + `s:1:"u";s:1:"U";s:1:"n";i:2;}`)
	renamedRow = idOf(`O:8:"stdClass":4:{s:1:"x";i:0;` + aList + `s:4:"x_u0";i:1;s:1:"y";i:2;}`)
	unsafeRow  = idOf(`O:8:"stdClass":2:{` + aList + `s:3:"p.q";i:1;}`)

	ownItem   = `s:13:"JSON_parentId";s:4:"mine";s:1:"w";a:1:{i:0;i:1;}`
	ownParent = idOf(`O:8:"stdClass":2:{s:13:"JSON_parentId";s:3:"own";s:1:"v";a:1:{i:0;O:8:"stdClass":2:{` + ownItem + `}}}`)
	ownChild  = "t.v_" + md5hex(`O:8:"stdClass":3:{`+ownItem+`s:16:"JSON_parentId_u0";s:34:"`+ownParent+`";}`)
)

func TestExtraColumnsThatAreNotScalar(t *testing.T) {
	p := page{dataType: "t", columns: `{"o":{"a":"ě/"},"l":[1.0]}`, rows: []string{`{"id":1}`}}
	c := collect(t, "", p, p)
	line := `1|{"a":"\u011b\/"}|[1.0]`
	checkTables(t, c.tables(t), map[string]string{"t": csv(`id|o|l`, line, line)})
	want := []string{
		`t: column "o" holds values of type object; they are written as JSON text`,
		`t: column "l" holds values of type array; they are written as JSON text`,
	}
	if !slices.Equal(c.warnings, want) {
		t.Errorf("warnings %q", c.warnings)
	}
}

func TestColumnsOfOneNameInABatch(t *testing.T) {
	c := newCollector(t, "")
	b := c.Batch("t", []Column{
		{Name: "id", Value: testvalue.Parse(t, `1`)}, {Name: "x", Value: testvalue.Parse(t, `2`)}, {Name: "id", Value: testvalue.Parse(t, `3`)},
	})
	if err := b.Row(pack(testvalue.Parse(t, `{"a":1}`))); err != nil {
		t.Fatal(err)
	}
	checkTables(t, c.tables(t), map[string]string{"t": csv(`a|id|x`, `1|3|2`)})
}

func TestBatchesAtTheSameTime(t *testing.T) {
	c := newCollector(t, "")
	one := c.Batch("t", []Column{{Name: "p", Value: testvalue.Parse(t, `1`)}})
	two := c.Batch("u", nil)
	for i, b := range []*Batch{one, two, one} {
		if err := b.Row(pack(testvalue.Parse(t, `{"n":`+string(rune('0'+i))+`}`))); err != nil {
			t.Fatal(err)
		}
	}
	checkTables(t, c.tables(t), map[string]string{"t": csv(`n|p`, `0|1`, `2|1`), "u": csv(`n`, `1`)})
}
