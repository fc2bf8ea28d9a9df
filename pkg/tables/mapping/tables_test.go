package mapping

import (
	"slices"
	"strings"
	"testing"
)

const (
	id1 = "t_56c75b9c10a0aeb30bb2f7f84a026e35" // of {"id":1,"v":"s"}
	id2 = "t_2108d60222e7a2d87a5c7f17b034b452" // of {"id":2,"v":["x","y"]}
)

// tableRows are pages and the tables they become, without user columns.
var tableRows = []struct {
	name     string
	pages    []page
	want     map[string]string
	warnings []string
}{
	{
		name:  "flat rows",
		pages: []page{rowsOf(`{"id":123,"name":"John \"J\" Doe","married":true}`, `{"id":234,"name":"a,b\nc","married":false}`)},
		want:  map[string]string{"t": csv(`id|name|married`, `123|John "J" Doe|1`, "234|a,b\nc|")},
	},
	{
		name:  "numbers stay as they stood",
		pages: []page{rowsOf(`[0.1]`, `1.50`, `1e3`, `12345678901234567890`, `-0`, `-0.0`, `1.123456789012345678`)},
		want: map[string]string{"t": csv(`data`, `[0.1]`, `1.50`, `1e3`, `12345678901234567890`, `-0`, `-0.0`,
			`1.123456789012345678`)},
		warnings: []string{"t: Converting nested array 't.[]' to JSON string."},
	},
	{
		name:  "an object in the place of an array is its only item",
		pages: []page{rowsOf(`{"v":{"a":1}}`, `{"v":[]}`)},
		want:  map[string]string{"t": csv(`v`, idOf(`O:8:"stdClass":1:{s:1:"v";O:8:"stdClass":1:{s:1:"a";i:1;}}`), ``), "t_v": csv(`a|JSON_parentId`, `1|`+idOf(`O:8:"stdClass":1:{s:1:"v";O:8:"stdClass":1:{s:1:"a";i:1;}}`))},
	},
	{
		name:  "scalar rows",
		pages: []page{rowsOf(`"a"`, `1`, `true`, `false`, `null`)},
		want:  map[string]string{"t": csv(`data`, `a`, `1`, `1`, ``, ``)},
	},
	{
		name:     "rows that are arrays",
		pages:    []page{rowsOf(`[1,2]`, `["ě/",{"a":0.10}]`)},
		want:     map[string]string{"t": csv(`data`, `[1,2]`, `["\u011b\/",{"a":0.10}]`)},
		warnings: []string{"t: Converting nested array 't.[]' to JSON string."},
	},
	{
		name:  "null row beside objects",
		pages: []page{rowsOf(`null`, `{"id":1}`)},
		want:  map[string]string{"t": csv(`id`, ``, `1`)},
	},
	{
		name:  "array in an array",
		pages: []page{rowsOf(`{"id":1,"m":[1,[3,4]]}`)},
		want: map[string]string{
			"t":   csv(`id|m`, `1|`+listInList),
			"t_m": csv(`data|JSON_parentId`, `1|`+listInList, `[3,4]|`+listInList),
		},
		warnings: []string{"t: Converting nested array 't.[].m.[]' to JSON string."},
	},
	{
		name:  "null first, object later",
		pages: []page{rowsOf(`{"o":null,"id":1}`, `{"o":{"x":1}}`, `{"id":3,"o":{"y":null}}`)},
		want:  map[string]string{"t": csv(`o_x|o_y|id`, `||1`, `1||`, `||3`)},
	},
	{
		name:  "two pages of one data type",
		pages: []page{rowsOf(`{"x":1}`), rowsOf(`{"y":2,"x":3}`)},
		want:  map[string]string{"t": csv(`x|y`, `1|`, `3|2`)},
	},
	{
		name:  "columns of an object are at its place",
		pages: []page{rowsOf(`{"a":1,"o":{"x":1},"b":2}`), rowsOf(`{"c":3,"o":{"y":2}}`)},
		want:  map[string]string{"t": csv(`a|o_x|o_y|b|c`, `1|1||2|`, `||2||3`)},
	},
	{
		name:  "object beside array on one page",
		pages: []page{rowsOf(`{"id":1,"v":{"k":1}}`, `{"id":2,"v":[{"k":2}]}`)},
		want:  objectBesideArray,
	},
	{
		name:  "object, array on the next page",
		pages: []page{rowsOf(`{"id":1,"v":{"k":1}}`), rowsOf(`{"id":2,"v":[{"k":2}]}`)},
		want:  objectBesideArray,
	},
	{
		name:  "array, object on the next page",
		pages: []page{rowsOf(`{"v":[{"k":1}]}`), rowsOf(`{"v":{"k":2}}`)},
		want: map[string]string{
			"t":   csv(`v`, idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"k";i:1;}}}`), idOf(`O:8:"stdClass":1:{s:1:"v";O:8:"stdClass":1:{s:1:"k";i:2;}}`)),
			"t_v": csv(`k|JSON_parentId`, `1|`+idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"k";i:1;}}}`), `2|`+idOf(`O:8:"stdClass":1:{s:1:"v";O:8:"stdClass":1:{s:1:"k";i:2;}}`)),
		},
	},
	{
		name:  "single value before an array",
		pages: []page{rowsOf(`{"id":1,"v":"s"}`, `{"id":2,"v":["x","y"]}`)},
		want: map[string]string{
			"t":   csv(`id|v`, `1|`+id1, `2|`+id2),
			"t_v": csv(`data|JSON_parentId`, `s|`+id1, `x|`+id2, `y|`+id2),
		},
	},
	{
		name:  "single value after an array, on another page",
		pages: []page{rowsOf(`{"id":2,"v":["x","y"]}`), rowsOf(`{"id":1,"v":"s"}`)},
		want: map[string]string{
			"t":   csv(`id|v`, `2|`+id2, `1|`+id1),
			"t_v": csv(`data|JSON_parentId`, `x|`+id2, `y|`+id2, `s|`+id1),
		},
	},
	{
		name:  "falsy values are wrapped, null is not",
		pages: []page{rowsOf(`{"v":0}`, `{"v":""}`, `{"v":false}`, `{"v":null}`, `{"v":[7]}`, `{}`)},
		want: map[string]string{
			"t": csv(`v`, falsy[0], falsy[1], falsy[2], ``, falsy[3], ``),
			"t_v": csv(`data|JSON_parentId`, `0|`+falsy[0], `|`+falsy[1], `|`+falsy[2],
				`7|`+falsy[3]),
		},
	},
	{
		name:  "null before an array of scalars",
		pages: []page{rowsOf(`{"v":null}`, `{"v":["a"]}`)},
		want:  map[string]string{"t": csv(`v`, ``, oneA), "t_v": csv(`data|JSON_parentId`, `a|`+oneA)},
	},
	{
		name:  "null and nothing after an array of scalars",
		pages: []page{rowsOf(`{"v":["a"]}`, `{"v":null}`, `{"v":[]}`)},
		want:  map[string]string{"t": csv(`v`, oneA, ``, ``), "t_v": csv(`data|JSON_parentId`, `a|`+oneA)},
	},
	{
		name:  "null beside an array of objects",
		pages: []page{rowsOf(`{"v":[{"k":1}]}`), rowsOf(`{"v":null}`)},
		want: map[string]string{
			"t":   csv(`v`, idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"k";i:1;}}}`), ``),
			"t_v": csv(`k|JSON_parentId`, `1|`+idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"k";i:1;}}}`)),
		},
	},
	{
		name:  "arrays that stay empty",
		pages: []page{rowsOf(`{"id":1,"v":[]}`)},
		want:  map[string]string{"t": csv(`id|v`, `1|`)},
	},
	{
		name:  "array of nulls only",
		pages: []page{rowsOf(`{"v":[null,null]}`)},
		want: map[string]string{
			"t": csv(`v`, idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;N;i:1;N;}}`)),
			"t_v": csv(`JSON_parentId`, idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;N;i:1;N;}}`),
				idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;N;i:1;N;}}`)),
		},
	},
	{
		name:  "null among items",
		pages: []page{rowsOf(`{"v":["a",null]}`)},
		want: map[string]string{
			"t": csv(`v`, idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;s:1:"a";i:1;N;}}`)),
			"t_v": csv(`data|JSON_parentId`, `a|`+idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;s:1:"a";i:1;N;}}`),
				`|`+idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;s:1:"a";i:1;N;}}`)),
		},
	},
	{
		name:  "array of empty objects",
		pages: []page{rowsOf(`{"v":[{},{}]}`)},
		want: map[string]string{
			"t":   csv(`v`, emptyObjects),
			"t_v": csv(`JSON_parentId`, emptyObjects, emptyObjects),
		},
	},
	{
		name:  "empty objects become nothing",
		pages: []page{rowsOf(`{"id":1,"a":{},"d":{"x":{}}}`)},
		want:  map[string]string{"t": csv(`id`, `1`)},
	},
	{name: "rows without any column", pages: []page{rowsOf(`{}`, `{}`)}, want: map[string]string{}},
	{name: "null rows only", pages: []page{rowsOf(`null`, `null`)}, want: map[string]string{}},
	{name: "one null row", pages: []page{rowsOf(`null`)}, want: map[string]string{}},
	{name: "no rows", pages: []page{rowsOf()}, want: map[string]string{}},
	{
		name:  "a page with one null row leaves no row behind",
		pages: []page{rowsOf(`null`), rowsOf(`{"id":1}`), rowsOf(`null`), rowsOf()},
		want:  map[string]string{"t": csv(`id`, `1`)},
	},
	{
		name:  "a property named like an array's element",
		pages: []page{rowsOf(`{"[]":1,"x":2}`)},
		want:  map[string]string{"t": csv(`|x`, `1|2`)},
	},
	{
		name:  "properties with the names of the structure's own keys",
		pages: []page{rowsOf(`{"nodeType":1,"headerNames":2,"type":3,"_x":4,"data":5}`)},
		want:  map[string]string{"t": csv(`nodeType|headerNames|type|x|data`, `1|2|3|4|5`)},
	},
	{
		name:  "tables of nested arrays",
		pages: []page{{dataType: "u", rows: []string{`{"c":{"a":[1]},"arr":[{"deep":[{"y":{"z":[5]}}]}]}`}}},
		want: map[string]string{
			"u":              csv(`c_a|arr`, `u.c_`+md5hex(sC+nestedTop)+`|`+nestedTop),
			"u_c_a":          csv(`data|JSON_parentId`, `1|u.c_`+md5hex(sC+nestedTop)),
			"u_arr":          csv(`deep|JSON_parentId`, nestedArr+`|`+nestedTop),
			"u_arr_deep":     csv(`y_z|JSON_parentId`, nestedY+`|`+nestedArr),
			"u_arr_deep_y_z": csv(`data|JSON_parentId`, `5|`+nestedY),
		},
	},
	{
		name:  "children in the order of their parents, depth first",
		pages: []page{rowsOf(`{"v":[{"w":["a"]},{"w":["b"]}]}`), rowsOf(`{"v":{"w":"c"}}`)},
		want: map[string]string{
			"t":     csv(`v`, depth[0], depth[1]),
			"t_v":   csv(`w|JSON_parentId`, depth[2]+`|`+depth[0], depth[3]+`|`+depth[0], depth[4]+`|`+depth[1]),
			"t_v_w": csv(`data|JSON_parentId`, `a|`+depth[2], `b|`+depth[3], `c|`+depth[4]),
		},
	},
	{
		name: "data types with one safe name share a table by column name",
		pages: []page{
			{dataType: "a.b", columns: `{"u":1}`, rows: []string{`{"x":1,"y":2}`}},
			{dataType: "a/b", rows: []string{`{"y":3,"z":4}`}},
			{dataType: "a.b", rows: []string{`{"x":5}`}},
		},
		want:     map[string]string{"a_b": csv(`x|y|z|u`, `1|2||1`, `|3|4|`, `5|||`)},
		warnings: []string{`a_b: "a.b" and "a/b" are stored in one table, because their table names are the same; columns are matched by name`},
	},
	{
		name:  "an array shares the table of its parent",
		pages: []page{rowsOf(`{"[]":["x"],"id":1}`)},
		want: map[string]string{"t": csv(`|id|data|JSON_parentId`,
			`||x|`+idOf(`O:8:"stdClass":2:{s:2:"[]";a:1:{i:0;s:1:"x";}s:2:"id";i:1;}`),
			idOf(`O:8:"stdClass":2:{s:2:"[]";a:1:{i:0;s:1:"x";}s:2:"id";i:1;}`)+`|1||`)},
		warnings: []string{`t: "t" and "t.[]" are stored in one table, because their table names are the same; columns are matched by name`},
	},
}

var (
	listInList   = idOf(`O:8:"stdClass":2:{s:2:"id";i:1;s:1:"m";a:2:{i:0;i:1;i:1;a:2:{i:0;i:3;i:1;i:4;}}}`)
	emptyObjects = idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;O:8:"stdClass":0:{}i:1;O:8:"stdClass":0:{}}}`)
	oneA         = idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;s:1:"a";}}`)
	falsy        = []string{
		idOf(`O:8:"stdClass":1:{s:1:"v";i:0;}`), idOf(`O:8:"stdClass":1:{s:1:"v";s:0:"";}`),
		idOf(`O:8:"stdClass":1:{s:1:"v";b:0;}`), idOf(`O:8:"stdClass":1:{s:1:"v";a:1:{i:0;i:7;}}`),
	}
	objectFirst       = idOf(`O:8:"stdClass":2:{s:2:"id";i:1;s:1:"v";O:8:"stdClass":1:{s:1:"k";i:1;}}`)
	arraySecond       = idOf(`O:8:"stdClass":2:{s:2:"id";i:2;s:1:"v";a:1:{i:0;O:8:"stdClass":1:{s:1:"k";i:2;}}}`)
	objectBesideArray = map[string]string{
		"t":   csv(`id|v`, `1|`+objectFirst, `2|`+arraySecond),
		"t_v": csv(`k|JSON_parentId`, `1|`+objectFirst, `2|`+arraySecond),
	}

	sC        = `O:8:"stdClass":1:{s:1:"a";a:1:{i:0;i:1;}}`
	sY        = `O:8:"stdClass":1:{s:1:"z";a:1:{i:0;i:5;}}`
	sDeep     = `s:1:"y";` + sY
	sArr      = `s:4:"deep";a:1:{i:0;O:8:"stdClass":1:{` + sDeep + `}}`
	nestedTop = "u_" + md5hex(`O:8:"stdClass":2:{s:1:"c";`+sC+`s:3:"arr";a:1:{i:0;O:8:"stdClass":1:{`+sArr+`}}}`)
	nestedArr = "u.arr_" + md5hex(`O:8:"stdClass":2:{`+sArr+parentIs(nestedTop)+`}`)
	nestedY   = "u.arr.deep.y_" + md5hex(sY+"u.arr.deep_"+md5hex(`O:8:"stdClass":2:{`+sDeep+parentIs(nestedArr)+`}`))

	depthTop = []string{
		idOf(`O:8:"stdClass":1:{s:1:"v";a:2:{i:0;O:8:"stdClass":1:{s:1:"w";a:1:{i:0;s:1:"a";}}i:1;O:8:"stdClass":1:{s:1:"w";a:1:{i:0;s:1:"b";}}}}`),
		idOf(`O:8:"stdClass":1:{s:1:"v";O:8:"stdClass":1:{s:1:"w";s:1:"c";}}`),
	}
	depth = append(slices.Clip(depthTop),
		"t.v_"+md5hex(`O:8:"stdClass":2:{s:1:"w";a:1:{i:0;s:1:"a";}`+parentIs(depthTop[0])+`}`),
		"t.v_"+md5hex(`O:8:"stdClass":2:{s:1:"w";a:1:{i:0;s:1:"b";}`+parentIs(depthTop[0])+`}`),
		"t.v_"+md5hex(`O:8:"stdClass":2:{s:1:"w";s:1:"c";`+parentIs(depthTop[1])+`}`),
	)
)

func TestTables(t *testing.T) {
	for _, row := range tableRows {
		t.Run(row.name, func(t *testing.T) {
			c := collect(t, "", row.pages...)
			checkTables(t, c.tables(t), row.want)
			if !slices.Equal(c.warnings, row.warnings) {
				t.Errorf("warnings %q, want %q", c.warnings, row.warnings)
			}
		})
	}
}

func TestColumnNames(t *testing.T) {
	rows := []struct {
		name string
		row  string
		want string
	}{
		{"taken names", `{"a b":1,"a.b":2,"a_b":3,"a":{"b":4},"A_b":5}`, `a_b|a_b_u0|a_b_u1|a_b_u2|A_b`},
		{"underscores at the ends", `{"_x_":1,"x":2}`, `x|x_u0`},
		{"nothing left of the name", `{"ě":1,"":2,"$":3}`, `|_u0|_u1`},
		{"an object takes its own name", `{"a":{"b":1},".a":2}`, `a_b|a_u0`},
		{"objects are named before their properties", `{"a":{"":1}}`, `a_u0`},
		{"61 letters stay", `{"` + strings.Repeat("a", 61) + `":1}`, strings.Repeat("a", 61)},
		{"64 letters do not", `{"` + strings.Repeat("a", 64) + `":1}`, `85cf20d5cc7ef0d0af6f93ee8964e47a`},
		{"a long path", `{"data":{"modules":{"#DistributionGroups":{"outputs":{"groupCharacteristics":{"persistent":1}}}}}}`,
			`DistributionGroups_outputs_groupCharacteristics_persistent`},
		{"many words", `{"` + strings.Repeat("abc_", 20) + `":1}`, strings.TrimSuffix(strings.Repeat("abc_", 15), "_")},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, _, _ := strings.Cut(collect(t, "", rowsOf(row.row)).tables(t)["t"], "\n")
			if got+"\n" != csv(row.want) {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestNameOfAPropertyFoundLater(t *testing.T) {
	// Inside an object that is first, so its column comes and is named
	// before the one that was found earlier.
	c := collect(t, "", rowsOf(`{"o":{"a":1},"o_x":2}`), rowsOf(`{"o":{"x":3}}`))
	checkTables(t, c.tables(t), map[string]string{"t": csv(`o_a|o_x|o_x_u0`, `1||2`, `|3|`)})
}
