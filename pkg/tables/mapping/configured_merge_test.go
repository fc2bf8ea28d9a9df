package mapping

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestMergedTables(t *testing.T) {
	const (
		tags = `{"type":"table","destination":"tg","parentKey":{"destination":"p","primaryKey":true},"tableMapping":{".":"tag"}}`
		both = `{"x":{"id":"id","tags":` + tags + `},"y":{"id":"id","tags":{"type":"table","destination":"tg","parentKey":{"destination":"p"},"tableMapping":{".":"tag"}}}}`
	)
	x, y := hashOf(t, `{"id":1,"tags":["a"]}`), hashOf(t, `{"id":2,"tags":["b"]}`)
	rows := []mappedCase{
		{
			name: "one child table of two data types: in the order of the definitions, the first key stays", mappings: both,
			pages: []page{{dataType: "y", rows: []string{`{"id":2,"tags":["b"]}`}}, {dataType: "x", rows: []string{`{"id":1,"tags":["a"]}`}}},
			want:  map[string]string{"x": csv(`id|tg`, `1|`+x), "y": csv(`id|tg`, `2|`+y), "tg": csv(`tag|p`, `a|`+x, `b|`+y)},
			keys:  map[string][]string{"tg": {"p"}},
		},
		{
			name: "the first of them without rows", mappings: both,
			pages: []page{{dataType: "y", rows: []string{`{"id":2,"tags":["b"]}`}}, {dataType: "x", rows: []string{`{"id":1}`}}},
			want:  map[string]string{"x": csv(`id|tg`, `1|`), "y": csv(`id|tg`, `2|`+y), "tg": csv(`tag|p`, `b|`+y)},
		},
		{
			name:     "own table, then child tables, depth first",
			mappings: `{"x":{"a":{"type":"table","destination":"m","parentKey":{"disable":true},"tableMapping":{"v":"v","b":{"type":"table","destination":"n","parentKey":{"disable":true},"tableMapping":{"v":"v"}}}},"c":{"type":"table","destination":"n","parentKey":{"disable":true},"tableMapping":{"v":"v"}}},"n":{"v":"v"},"m":{"v":"v"}}`,
			pages: []page{{dataType: "m", rows: []string{`{"v":1}`}}, {dataType: "n", rows: []string{`{"v":2}`}},
				{dataType: "x", rows: []string{`{"c":{"v":3},"a":{"v":4,"b":{"v":5}}}`}}},
			want: map[string]string{"m": csv(`v`, `4`, `1`), "n": csv(`v`, `5`, `3`, `2`)},
		},
		{
			name:     "automatic rows follow mapped ones",
			mappings: `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"a_b":"n","c":{"type":"table","destination":"a b","parentKey":{"disable":true},"tableMapping":{"z":"z"}}},"x":{"c":{"type":"table","destination":"a_b","parentKey":{"disable":true},"tableMapping":{"q":"q"}}}}`,
			pages: []page{{dataType: "a.b", rows: []string{`{"q":1}`}}, {dataType: "x", rows: []string{`{"c":{"q":2}}`}},
				{dataType: "t", rows: []string{`{"id":1}`}}},
			want: map[string]string{"t": csv(`id|n`, `1|`), "a b": csv(`z`, ``), "a_b": csv(`q`, `2`, `1`)},
			keys: map[string][]string{"t": {"id"}},
		},
		{
			name:     "other columns without any row do not matter",
			mappings: `{"x":{"id":"id","tags":{"type":"table","destination":"tg","tableMapping":{".":"tag"}}},"y":{"id":"id","tags":{"type":"table","destination":"tg","tableMapping":{".":"tag"}}}}`,
			pages:    []page{{dataType: "y", rows: []string{`{"id":2,"tags":["b"]}`}}, {dataType: "x", rows: []string{`{"id":1}`}}},
			want:     map[string]string{"x": csv(`id|tg`, `1|`), "y": csv(`id|tg`, `2|`+y), "tg": csv(`tag|y_pk`, `b|`+y)},
		},
		{
			name:     "an automatic table stands for one without rows",
			mappings: `{"x":{"id":"id","tags":{"type":"table","destination":"z","tableMapping":{".":"tag"}}}}`,
			pages:    []page{{dataType: "x", rows: []string{`{"id":1}`}}, {dataType: "z", rows: []string{`{"v":1}`}}},
			want:     map[string]string{"x": csv(`id|z`, `1|`), "z": csv(`v`, `1`)},
		},
	}
	for _, row := range rows {
		t.Run(row.name, row.run)
	}
}

func TestTablesThatCannotBeMerged(t *testing.T) {
	rows := []struct {
		name, mappings string
		pages          []page
		want           string
	}{
		{
			"links of different names",
			`{"x":{"tags":{"type":"table","destination":"tg","tableMapping":{".":"tag"}}},"y":{"tags":{"type":"table","destination":"tg","tableMapping":{".":"tag","z":"Z"}}}}`,
			[]page{{dataType: "x", rows: []string{`{"tags":[1]}`}}, {dataType: "y", rows: []string{`{"tags":[1]}`}}},
			`mapping of table "tg": table "b.tg" is written twice, with different columns: only the first one has "x_pk", only the second one has "Z", "y_pk"; the columns must be the same, or the names of the tables different (at /config/mappings/y/tags/tableMapping)`,
		},
		{
			"another order, no rows",
			`{"x":{"c":{"type":"table","destination":"y","parentKey":{"disable":true},"tableMapping":{"a":"a","b":"b"}}},"y":{"b":"b","a":"a"}}`,
			[]page{{dataType: "x", rows: []string{`{"c":{}}`}}, {dataType: "y"}},
			`mapping of table "y": table "b.y" is written twice, with different columns: their order differs; the columns must be the same, or the names of the tables different (at /config/mappings/y)`,
		},
		{
			"automatic",
			`{"x":{"c":{"type":"table","destination":"y","parentKey":{"disable":true},"tableMapping":{"a":"a"}}}}`,
			[]page{{dataType: "y", rows: []string{`{"a":1,"b":2}`}}, {dataType: "x", rows: []string{`{"c":{}}`}}},
			`data type "y": table "b.y" is written twice, with different columns: only the second one has "b"; the columns must be the same, or the names of the tables different`,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newMapper(t, mappingsOf(t, row.mappings))
			if err := c.add(t, row.pages...); err != nil {
				t.Fatal(err)
			}
			files, err := c.finish(t)
			if err == nil || err.Error() != row.want || failure.KindOf(err) != failure.User {
				t.Errorf("got  %v\nwant %s", err, row.want)
			}
			if len(files) > 0 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}

// Of several iterations with one bucket the first one's mappings are in force,
// but the tables of the others exist too.
func TestTablesOfLaterMappings(t *testing.T) {
	c := newMapper(t, mappingsOf(t, `{"t":{"id":"id"}}`))
	if err := c.add(t, rowsOf(`{"id":1,"n":2}`), page{dataType: "u", rows: []string{`{"v":1}`}}); err != nil {
		t.Fatal(err)
	}
	later := mappingsOf(t, `{"t":{"n":"N","c":{"type":"table","destination":"c","tableMapping":{".":"v"}}},"u":{"x":"X"},"w":{"y":{"mapping":{"destination":"Y","primaryKey":true}}}}`)
	got, err := c.finish(t, later)
	if err != nil {
		t.Fatal(err)
	}
	checkTables(t, got, map[string]string{
		"t": csv(`id`, `1`), "t.manifest": manifest("t"),
		"u": csv(`v`, `1`), "u.manifest": manifest("u"),
		"c": csv(`v|t_pk`), "c.manifest": manifest("c"),
		"w": csv(`Y`), "w.manifest": manifest("w", "Y"),
	})
}
