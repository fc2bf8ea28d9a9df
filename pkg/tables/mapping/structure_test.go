package mapping

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// structureOf is a remembered structure of data type t, given the members of
// the node of its rows.
func structureOf(members string) string {
	return `{"data":{"_t":{"[]":{` + members + `},"nodeType":"array"}},"parent_aliases":[]}`
}

const twoColumns = `"_id":{"nodeType":"scalar","headerNames":"id"},"_old":{"nodeType":"scalar","headerNames":"old"},"nodeType":"object","headerNames":"data"`

func TestStructure(t *testing.T) {
	rows := []struct {
		name     string
		previous string
		pages    []page
		want     string
	}{
		{
			name: "nothing", want: `{"data":{},"parent_aliases":[]}`,
		},
		{
			name:  "one row",
			pages: []page{rowsOf(`{"id":1}`)},
			want:  structureOf(`"_id":{"nodeType":"scalar","headerNames":"id"},"nodeType":"object","headerNames":"data"`),
		},
		{
			name:  "every type",
			pages: []page{{dataType: "u", rows: []string{`{"id":1,"a":{},"b":[],"c":null,"d":{"x":{}},"e":{"y":[]}}`}}},
			want:  `{"data":{"_u":{"[]":{"_id":{"nodeType":"scalar","headerNames":"id"},"_a":{"nodeType":"object","headerNames":"a"},"_b":{"[]":{"nodeType":"null","headerNames":"data"},"nodeType":"array","headerNames":"b"},"_c":{"nodeType":"null","headerNames":"c"},"_d":{"_x":{"nodeType":"object","headerNames":"d_x"},"nodeType":"object","headerNames":"d"},"_e":{"_y":{"[]":{"nodeType":"null","headerNames":"data"},"nodeType":"array","headerNames":"e_y"},"nodeType":"object","headerNames":"e"},"nodeType":"object","headerNames":"data"},"nodeType":"array"}},"parent_aliases":[]}`,
		},
		{
			name:  "null first: the type comes first",
			pages: []page{rowsOf(`{"o":null,"1":null}`, `{"o":{"x":1},"1":[{"y":1}]}`)},
			want:  structureOf(`"_o":{"nodeType":"object","_x":{"nodeType":"scalar","headerNames":"o_x"},"headerNames":"o"},"_1":{"nodeType":"array","[]":{"_y":{"nodeType":"scalar","headerNames":"y"},"nodeType":"object","headerNames":"data"},"headerNames":"1"},"nodeType":"object","headerNames":"data"`),
		},
		{
			name:  "properties of later rows come after the type",
			pages: []page{rowsOf(`{"a":1}`), rowsOf(`{"b":2}`)},
			want:  structureOf(`"_a":{"nodeType":"scalar","headerNames":"a"},"nodeType":"object","_b":{"nodeType":"scalar","headerNames":"b"},"headerNames":"data"`),
		},
		{
			name:  "no user columns, no parent's id",
			pages: []page{{dataType: "t", columns: `{"u":1}`, rows: []string{`{"v":[1]}`}}},
			want:  structureOf(`"_v":{"[]":{"nodeType":"scalar","headerNames":"data"},"nodeType":"array","headerNames":"v"},"nodeType":"object","headerNames":"data"`),
		},
		{
			name:     "what no longer occurs stays, in its place",
			previous: `{"parent_aliases":[],"data":{"_x":{"nodeType":"array","[]":{"nodeType":"null","headerNames":"data"}},"_t":{"nodeType":"array","[]":{` + twoColumns + `}}}}`,
			pages:    []page{rowsOf(`{"new":1,"id":2}`)},
			want:     `{"parent_aliases":[],"data":{"_x":{"nodeType":"array","[]":{"nodeType":"null","headerNames":"data"}},"_t":{"nodeType":"array","[]":{` + twoColumns + `,"_new":{"nodeType":"scalar","headerNames":"new"}}}}}`,
		},
		{
			name:     "an object becomes an array: its properties stay beside the elements",
			previous: structureOf(`"_v":{"_k":{"nodeType":"scalar","headerNames":"v_k"},"nodeType":"object","headerNames":"v"},"nodeType":"object","headerNames":"data"`),
			pages:    []page{rowsOf(`{"v":[{"k":1}]}`)},
			want:     structureOf(`"_v":{"_k":{"nodeType":"scalar","headerNames":"v_k"},"nodeType":"array","headerNames":"v","[]":{"_k":{"nodeType":"scalar","headerNames":"k"},"nodeType":"object","headerNames":"data"}},"nodeType":"object","headerNames":"data"`),
		},
		{
			name:     "the platform's empty objects",
			previous: `{"data":[],"parent_aliases":[]}`,
			pages:    []page{rowsOf(`{"id":1}`)},
			want:     structureOf(`"_id":{"nodeType":"scalar","headerNames":"id"},"nodeType":"object","headerNames":"data"`),
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := collect(t, row.previous, row.pages...)
			if got := c.Structure().JSON(); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			c.tables(t)
			if got := c.Structure().JSON(); got != row.want {
				t.Errorf("after the tables were written: %s", got)
			}
			again := collect(t, row.want, row.pages...)
			if got := again.Structure().JSON(); got != row.want {
				t.Errorf("after another run: %s", got)
			}
		})
	}
}

func TestRememberedStructure(t *testing.T) {
	rows := []struct {
		name     string
		previous string
		rows     []string
		want     map[string]string
	}{
		{"old columns stay", structureOf(twoColumns), []string{`{"new":1,"id":2}`},
			map[string]string{"t": csv(`id|old|new`, `2||1`)}},
		{"old types of other spellings", structureOf(`"_a":{"nodeType":"string","headerNames":"A"},"_b":{"nodeType":"integer","headerNames":"b"},"_c":{"nodeType":"double","headerNames":"c"},"_d":{"nodeType":"boolean","headerNames":"d"},"nodeType":"object"`),
			[]string{`{"a":1,"b":"x","c":true,"d":null}`}, map[string]string{"t": csv(`A|b|c|d`, `1|x|1|`)}},
		{"old names are taken first", structureOf(`"_a.b":{"nodeType":"scalar","headerNames":"a_b"},"nodeType":"object"`),
			[]string{`{"a":{"b":1},"a.b":2}`}, map[string]string{"t": csv(`a_b|a_b_u0`, `2|1`)}},
		{"an old name that is not the safe one", structureOf(`"_x":{"nodeType":"scalar","headerNames":"y"},"nodeType":"object"`),
			[]string{`{"y":1,"x":2}`}, map[string]string{"t": csv(`y|y_u0`, `2|1`)}},
		{"one name twice", structureOf(`"_a b":{"nodeType":"scalar","headerNames":"a_b"},"_a.b":{"nodeType":"scalar","headerNames":"a_b"},"nodeType":"object"`),
			[]string{`{"a.b":1,"a b":2}`}, map[string]string{"t": csv(`a_b|a_b_u0`, `2|1`)}},
		{"scalar becomes array", structureOf(`"_v":{"nodeType":"scalar","headerNames":"v"},"nodeType":"object"`),
			[]string{`{"v":["a"]}`}, map[string]string{"t": csv(`v`, oneA), "t_v": csv(`data|JSON_parentId`, `a|`+oneA)}},
		{"array stays array", structureOf(`"_v":{"[]":{"nodeType":"scalar"},"nodeType":"array","headerNames":"v"},"nodeType":"object"`),
			[]string{`{"v":""}`}, map[string]string{"t": csv(`v`, falsy[1]), "t_v": csv(`data|JSON_parentId`, `|`+falsy[1])}},
		{"a table without rows is not written", structureOf(`"_v":{"[]":{"nodeType":"scalar"},"nodeType":"array","headerNames":"v"},"nodeType":"object"`),
			[]string{`{"v":[]}`}, map[string]string{"t": csv(`v`, ``)}},
		{"a scalar that is an array without items now", structureOf(`"_v":{"nodeType":"scalar","headerNames":"v"},"nodeType":"object"`),
			[]string{`{"v":[]}`}, map[string]string{"t": csv(`v`, ``)}},
		{"an object becomes an array", structureOf(`"_v":{"_m":{"nodeType":"scalar","headerNames":"v_m"},"_k":{"nodeType":"scalar","headerNames":"v_k"},"nodeType":"object","headerNames":"v"},"nodeType":"object"`),
			[]string{`{"v":[{"k":1}]}`}, map[string]string{
				"t":   csv(`v`, idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"k";i:1;}}}`)),
				"t_v": csv(`m|k|JSON_parentId`, `|1|`+idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"k";i:1;}}}`)),
			}},
		{"an object in an object becomes an array", structureOf(`"_v":{"_o":{"_k":{"nodeType":"scalar","headerNames":"v_o_k"},"nodeType":"object","headerNames":"v_o"},"nodeType":"object","headerNames":"v"},"nodeType":"object"`),
			[]string{`{"v":[{"o":{"k":1}}]}`}, map[string]string{
				"t":   csv(`v`, idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"o";O:8:"stdClass":1:{s:1:"k";i:1;}}}}`)),
				"t_v": csv(`o_k|JSON_parentId`, `1|`+idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"o";O:8:"stdClass":1:{s:1:"k";i:1;}}}}`)),
			}},
		{"left over from such a change", structureOf(`"_v":{"_k":{"nodeType":"scalar","headerNames":"v_k"},"nodeType":"array","headerNames":"v","[]":{"nodeType":"scalar"}},"nodeType":"object"`),
			[]string{`{"v":[]}`}, map[string]string{"t": csv(`v`, ``)}},
		{"a column that is not data", structureOf(`"_p":{"nodeType":"scalar","type":"parent","headerNames":"p"},"nodeType":"object"`),
			[]string{`{"a":1}`}, map[string]string{"t": csv(`a`, `1`)}},
		{"a column of a user that was a property once", structureOf(twoColumns), []string{`{"id":1}`},
			map[string]string{"t": csv(`id|old`, `1|`)}},
		{"no rows", structureOf(twoColumns), nil, map[string]string{}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			checkTables(t, collect(t, row.previous, rowsOf(row.rows...)).tables(t), row.want)
		})
	}
}

func TestRememberedPropertyRenamesUserColumn(t *testing.T) {
	c := collect(t, structureOf(twoColumns), page{dataType: "t", columns: `{"old":"U"}`, rows: []string{`{"id":1}`}})
	checkTables(t, c.tables(t), map[string]string{"t": csv(`id|old|old_u0`, `1||U`)})
}

func TestRememberedTypeThatDoesNotFit(t *testing.T) {
	c := newCollector(t, structureOf(`"_v":{"_k":{"nodeType":"scalar","headerNames":"v_k"},"nodeType":"object","headerNames":"v"},"nodeType":"object"`))
	err := c.add(t, rowsOf(`{"v":1}`))
	want := `Error parsing response JSON: Unhandled nodeType change from "object" to "scalar" in "t.[].v"; "responseFilter" of the job stores such a value as JSON text`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestBrokenStructure(t *testing.T) {
	rows := []struct{ name, structure, want string }{
		{"not an object", `[1]`, `json_parser.struct: expected an object, found array`},
		{"text", `"x"`, `json_parser.struct: expected an object, found string`},
		{"data is text", `{"data":"x"}`, `/data: expected an object, found string`},
		{"data is a list", `{"data":[1]}`, `/data: expected an object, found array`},
		{"type without mark", `{"data":{"t":{}}}`, `/data/t: undefined property "t"`},
		{"node is not an object", `{"data":{"_t":5}}`, `/data/_t: expected an object, found number`},
		{"no type", structureOf(`"headerNames":"x"`), `/data/_t/[]: the node has no nodeType`},
		{"unknown type", structureOf(`"_a~/":{"nodeType":"date"},"nodeType":"object"`), `/data/_t/[]/_a~0~1: undefined node type "date"`},
		{"type that is not text", structureOf(`"nodeType":null`), `/data/_t/[]: undefined node type null`},
		{"array without elements", `{"data":{"_t":{"nodeType":"array"}}}`, `/data/_t: a node of type "array": only arrays have a member "[]", and always`},
		{"elements without array", structureOf(`"[]":{"nodeType":"scalar"},"nodeType":"object"`), `/data/_t/[]: a node of type "object": only arrays`},
		{"elements that are not a node", `{"data":{"_t":{"nodeType":"array","[]":[]}}}`, `/data/_t/[]: expected an object, found array`},
		{"array of arrays", `{"data":{"_t":{"nodeType":"array","[]":{"nodeType":"array","[]":{"nodeType":"null"}}}}}`, `/data/_t/[]: the elements of an array cannot be arrays`},
		{"type of rows missing", `{"data":{"_t":{"nodeType":"object"}}}`, `/data/_t: a data type must be an array, not "object"`},
		{"unknown member", structureOf(`"nodeType":"object","colour":"red"`), `/data/_t/[]/colour: undefined property "colour"`},
		{"unknown role", structureOf(`"nodeType":"object","type":"child"`), `/data/_t/[]/type: undefined data type "child"`},
		{"name that is not text", structureOf(`"nodeType":"object","headerNames":1`), `/data/_t/[]/headerNames: expected a string, found number`},
		{"property that is not a node", structureOf(`"nodeType":"object","_a":"scalar"`), `/data/_t/[]/_a: expected an object, found string`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := NewAutomatic(Options{Structure: testvalue.Parse(t, row.structure)})
			if err == nil || failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), row.want) ||
				!strings.HasPrefix(err.Error(), "in/state.json holds a broken structure: json_parser.struct") {
				t.Errorf("got %v, want a user error with %s", err, row.want)
			}
		})
	}
}

func TestMergeStructures(t *testing.T) {
	scalar := func(name string) string { return `"_` + name + `":{"nodeType":"scalar","headerNames":"` + name + `"}` }
	object := `,"nodeType":"object","headerNames":"data"`
	rows := []struct {
		name       string
		structures []string
		want       string
	}{
		{"none", nil, `null`},
		{"one", []string{structureOf(twoColumns)}, structureOf(twoColumns)},
		{"nothing remembered", []string{`null`, structureOf(twoColumns)}, structureOf(twoColumns)},
		{"nothing new", []string{structureOf(twoColumns), `null`}, structureOf(twoColumns)},
		{"other properties", []string{structureOf(scalar("a") + object), structureOf(scalar("b") + object)},
			structureOf(scalar("a") + object + `,` + scalar("b"))},
		{"other data types", []string{`{"data":{"_a":{"[]":{"nodeType":"null"},"nodeType":"array"}},"parent_aliases":[]}`, structureOf(scalar("b") + object)},
			`{"data":{"_a":{"[]":{"nodeType":"null"},"nodeType":"array"},"_t":{"[]":{` + scalar("b") + object + `},"nodeType":"array"}},"parent_aliases":[]}`},
		{"the platform's empty objects give way", []string{`{"data":[],"parent_aliases":[]}`, structureOf(twoColumns)}, structureOf(twoColumns)},
		{"and do not come back", []string{structureOf(twoColumns), `{"data":[],"parent_aliases":[]}`}, structureOf(twoColumns)},
		{"null gives way", []string{structureOf(`"_a":{"nodeType":"null"},"_b":{"nodeType":"scalar"}` + object), structureOf(`"_a":{"nodeType":"scalar"},"_b":{"nodeType":"null"}` + object)},
			structureOf(`"_a":{"nodeType":"scalar"},"_b":{"nodeType":"scalar"}` + object)},
		{"other types are forgotten", []string{structureOf(`"_a":{"[]":{"nodeType":"scalar"},"nodeType":"array","headerNames":"a"}` + object), structureOf(scalar("a") + object)},
			structureOf(`"_a":{"nodeType":"null","headerNames":"a"}` + object)},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var structures []value.Value
			for _, text := range row.structures {
				structures = append(structures, testvalue.Parse(t, text))
			}
			merged := MergeStructures(structures...)
			if got := merged.JSON(); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			if _, err := loadStructure(merged); err != nil {
				t.Errorf("the next run cannot use it: %v", err)
			}
		})
	}
}

func FuzzStructure(f *testing.F) {
	f.Add(structureOf(twoColumns), `{"id":[1]}`)
	f.Add(structureOf(`"_v":{"[]":{"nodeType":"object"},"nodeType":"array"},"nodeType":"object"`), `{"v":{"a":null}}`)
	f.Add(structureOf(`"_v":{"_k":{"nodeType":"scalar"},"nodeType":"null"},"nodeType":"object"`), `{"v":[{"k":[]}]}`)
	f.Add(`{"data":[],"parent_aliases":{}}`, `null`)
	f.Fuzz(func(t *testing.T, structure, row string) {
		s, err := value.Parse([]byte(structure))
		if err != nil {
			return
		}
		v, err := value.Parse([]byte(row))
		if err != nil {
			return
		}
		a, err := NewAutomatic(Options{TempDir: t.TempDir(), Structure: s})
		if err != nil {
			return
		}
		b := a.Batch("t", nil)
		if b.Row(pack(v)) != nil {
			return
		}
		if _, err := writeInto(t.TempDir(), a, Defaults{}); err != nil {
			t.Fatalf("writing: %v", err)
		}
		latest := a.Structure()
		if _, err := loadStructure(latest); err != nil {
			t.Errorf("%s and %s make %s: %v", structure, row, latest.JSON(), err)
		}
		if merged := MergeStructures(s, latest); merged.Kind() == value.Object {
			if _, err := loadStructure(merged); err != nil {
				t.Errorf("%s merged with %s is %s: %v", structure, latest.JSON(), merged.JSON(), err)
			}
		}
	})
}
