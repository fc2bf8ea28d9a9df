package mapping

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	rowA = `{"id":1,"tags":["a","b"],"items":[{"k":1,"sub":[{"z":9}]},{"k":2}]}`
	rowB = `{"id":2,"items":null,"tags":"s"}`

	nested = `"tags":{"type":"table","destination":"tg","tableMapping":{".":{"mapping":{"destination":"tag"}}}},`
)

func TestChildTables(t *testing.T) {
	a, b, k1 := hashOf(t, rowA), hashOf(t, rowB), hashOf(t, `{"k":1,"sub":[{"z":9}]}`)
	if b[:6] != "efba5a" || k1[:6] != "78700f" {
		t.Fatalf("the recipe of this test gives %s and %s", b, k1)
	}
	const withUser = `{"id":5,"arr":[1,2]}`
	userHash := md5hex(serialise(testvalue.Parse(t, withUser)) + `a:1:{s:9:"parent_id";i:1;}`)
	if userHash != "0ded8fb19d493ade5c77dd35585214fe" {
		t.Fatalf("the recipe of this test gives %s", userHash)
	}
	// Of items of list below other lists.
	const deep = `{"c":[{"d":[{"e":[5]}]}]}`
	h1, h2, h3 := hashOf(t, deep), hashOf(t, `{"d":[{"e":[5]}]}`), hashOf(t, `{"e":[5]}`)
	rows := []mappedCase{
		{
			name:     "without keys",
			mappings: `{"t":{"id":"ID",` + nested + `"items":{"type":"table","destination":"it","tableMapping":{"k":"K","sub":{"type":"table","destination":"sb","tableMapping":{"z":"Z"}}}}}}`,
			pages:    []page{rowsOf(rowA, rowB)},
			want: map[string]string{
				"t":  csv(`ID|tg|it`, `1|`+a+`|`+a, `2|`+b+`|`),
				"tg": csv(`tag|t_pk`, `a|`+a, `b|`+a, `s|`+b),
				"it": csv(`K|sb|t_pk`, `1|`+k1+`|`+a, `2||`+a),
				"sb": csv(`Z|it_pk`, `9|`+k1),
			},
		},
		{
			name: "with keys",
			mappings: `{"t":{"id":{"mapping":{"destination":"ID","primaryKey":true}},` + nested + `"items":{"type":"table","destination":"it","parentKey":{"destination":"pid","primaryKey":true},
				"tableMapping":{"k":{"mapping":{"destination":"K","primaryKey":true}},"sub":{"type":"table","destination":"sb","tableMapping":{"z":"Z"}}}}}}`,
			pages: []page{rowsOf(rowA, rowB)},
			want: map[string]string{
				"t":  csv(`ID`, `1`, `2`),
				"tg": csv(`tag|t_pk`, `a|1`, `b|1`, `s|2`),
				"it": csv(`K|pid`, `1|1`, `2|1`, `|2`),
				"sb": csv(`Z|it_pk`, `9|1,1`, `|2,1`, `|,2`),
			},
			keys: map[string][]string{"t": {"ID"}, "it": {"K", "pid"}},
		},
		{
			name:     "empty values without a key",
			mappings: `{"t":{"c":{"type":"table","destination":"c","tableMapping":{".":"v"}}}}`,
			pages:    []page{rowsOf(`{"c":null}`, `{}`, `{"c":[]}`, `{"c":""}`, `{"c":0}`, `{"c":0.0}`, `{"c":"0"}`, `{"c":false}`, `{"c":[null]}`)},
			want: map[string]string{
				"t": csv(`c`, ``, ``, ``, ``, ``, ``, ``, ``, hashOf(t, `{"c":[null]}`)),
				"c": csv(`v|t_pk`, `|`+hashOf(t, `{"c":[null]}`)),
			},
		},
		{
			name:     "empty values with a key",
			mappings: `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"c":{"type":"table","destination":"c","tableMapping":{".":"v"}}}}`,
			pages:    []page{rowsOf(`{"id":1,"c":null}`, `{"id":2}`, `{"id":3,"c":[]}`, `{"id":4,"c":""}`, `{"id":5,"c":0}`, `{"id":6,"c":false}`, `{"id":7,"c":[null]}`)},
			want: map[string]string{
				"t": csv(`id`, `1`, `2`, `3`, `4`, `5`, `6`, `7`),
				"c": csv(`v|t_pk`, `|1`, `|2`, `|4`, `0|5`, `|6`, `|7`),
			},
			keys: map[string][]string{"t": {"id"}},
		},
		{
			name:     "an object is one row, an empty one too",
			mappings: `{"t":{"c":{"type":"table","destination":"c","tableMapping":{"x":"X"}}}}`,
			pages:    []page{rowsOf(`{"c":{"x":1}}`, `{"c":{}}`)},
			want: map[string]string{
				"t": csv(`c`, hashOf(t, `{"c":{"x":1}}`), hashOf(t, `{"c":{}}`)),
				"c": csv(`X|t_pk`, `1|`+hashOf(t, `{"c":{"x":1}}`), `|`+hashOf(t, `{"c":{}}`)),
			},
		},
		{
			name:     "keys of several columns",
			mappings: `{"t":{"a":{"mapping":{"destination":"A","primaryKey":true}},"x":"X","u":{"type":"user","mapping":{"destination":"U","primaryKey":true}},"b":{"mapping":{"destination":"B","primaryKey":true}},"c":{"type":"table","destination":"c","tableMapping":{".":"v"}}}}`,
			pages: []page{{dataType: "t", columns: `{"u":"U,1"}`, rows: []string{`{"a":true,"b":null,"c":1}`, `{"a":1.50,"b":false,"c":2}`,
				`{"a":"x","b":12345678901234567890,"c":3}`}}},
			want: map[string]string{
				"t": csv(`A|X|U|B`, `1||U,1|`, `1.50||U,1|`, `x||U,1|12345678901234567890`),
				"c": csv(`v|t_pk`, `1|1,U,1,`, `2|1.50,U,1,`, `3|x,U,1,12345678901234567890`),
			},
			keys: map[string][]string{"t": {"A", "U", "B"}},
		},
		{
			name:     "a key whose values are JSON text",
			mappings: `{"t":{"a":{"forceType":true,"mapping":{"destination":"A","primaryKey":true}},"c":{"type":"table","destination":"c","tableMapping":{".":"v"}}}}`,
			pages:    []page{rowsOf(`{"a":[1,2],"c":1}`)},
			want:     map[string]string{"t": csv(`A`, `[1,2]`), "c": csv(`v|t_pk`, `1|[1,2]`)},
			keys:     map[string][]string{"t": {"A"}},
		},
		{
			name: "a key that is the link alone",
			mappings: `{"t":{"c":{"type":"table","destination":"c","parentKey":{"primaryKey":true},"tableMapping":{"x":"X",
				"d":{"type":"table","destination":"d","tableMapping":{".":"v"}}}}}}`,
			pages: []page{rowsOf(`{"c":[{"x":1,"d":[7]}]}`)},
			want: map[string]string{
				"t": csv(`c`, hashOf(t, `{"c":[{"x":1,"d":[7]}]}`)),
				"c": csv(`X|t_pk`, `1|`+hashOf(t, `{"c":[{"x":1,"d":[7]}]}`)),
				"d": csv(`v|c_pk`, `7|`+hashOf(t, `{"c":[{"x":1,"d":[7]}]}`)),
			},
			keys: map[string][]string{"c": {"t_pk"}},
		},
		{
			name: "no link",
			mappings: `{"t":{"id":"id","c":{"type":"table","destination":"c","parentKey":{"disable":true,"primaryKey":true,"destination":"p"},"tableMapping":{"x":"X",
				"d":{"type":"table","destination":"d","tableMapping":{".":"v"}}}}}}`,
			pages: []page{rowsOf(`{"id":1,"c":[{"x":1},{"x":2,"d":"q"}]}`)},
			want: map[string]string{
				"t": csv(`id`, `1`),
				"c": csv(`X|d`, `1|`, `2|`+hashOf(t, `{"x":2,"d":"q"}`)),
				"d": csv(`v|c_pk`, `q|`+hashOf(t, `{"x":2,"d":"q"}`)),
			},
		},
		{
			name:     "the table is its own child: children before their parents",
			mappings: `{"t":{"id":"ID","c":{"type":"table","destination":"t","parentKey":{"disable":true}},"tags":{"type":"table","destination":"tg","parentKey":{"destination":"p"},"tableMapping":{".":"tag"}}}}`,
			pages:    []page{rowsOf(`{"id":1,"c":[{"id":2,"c":{"id":3,"tags":["x"]}},{"id":4}],"tags":["y"]}`)},
			want: map[string]string{
				"t": csv(`ID|tg`, `3|`+hashOf(t, `{"id":3,"tags":["x"]}`), `2|`, `4|`,
					`1|`+hashOf(t, `{"id":1,"c":[{"id":2,"c":{"id":3,"tags":["x"]}},{"id":4}],"tags":["y"]}`)),
				"tg": csv(`tag|p`, `x|`+hashOf(t, `{"id":3,"tags":["x"]}`),
					`y|`+hashOf(t, `{"id":1,"c":[{"id":2,"c":{"id":3,"tags":["x"]}},{"id":4}],"tags":["y"]}`)),
			},
		},
		{
			name:     "its own child, row after row",
			mappings: `{"t":{"id":"ID","note":"N","c":{"type":"table","destination":"t","parentKey":{"disable":true}}}}`,
			pages:    []page{rowsOf(`{"id":1,"note":"a","c":{"id":2,"note":"b"}}`, `{"id":3,"note":"c","c":{"id":4,"c":[{"id":5,"note":"e"}]}}`)},
			want:     map[string]string{"t": csv(`ID|N`, `2|b`, `1|a`, `5|e`, `4|`, `3|c`)},
		},
		{
			name:     "its own child, with a key: empty values bring no rows",
			mappings: `{"t":{"id":{"mapping":{"destination":"ID","primaryKey":true}},"c":{"type":"table","destination":"t","parentKey":{"disable":true},"tableMapping":{"ignored":"X"}}}}`,
			pages:    []page{rowsOf(`{"id":1,"c":[{"id":2,"c":null},{"id":3,"c":0}]}`)},
			want:     map[string]string{"t": csv(`ID`, `2`, `3`, `1`)},
			keys:     map[string][]string{"t": {"ID"}},
		},
		{
			name: "two settings with one child table",
			mappings: `{"t":{"a":{"type":"table","destination":"c","parentKey":{"destination":"p"},"tableMapping":{"x":"X"}},"id":"id",
				"b":{"type":"table","destination":"c","parentKey":{"destination":"q"},"tableMapping":{"y":"Y"}},
				"d":{"type":"table","destination":"c","parentKey":{"disable":true},"tableMapping":{"y":"Y"}}}}`,
			pages: []page{rowsOf(`{"id":1,"a":[{"x":1}],"b":[{"x":2,"y":3}]}`, `{"id":2,"b":{"y":4}}`, `{"id":3,"d":{"x":5}}`)},
			want: map[string]string{
				"t": csv(`c|id`, hashOf(t, `{"id":1,"a":[{"x":1}],"b":[{"x":2,"y":3}]}`)+`|1`, hashOf(t, `{"id":2,"b":{"y":4}}`)+`|2`, `|3`),
				"c": csv(`X|p`, `1|`+hashOf(t, `{"id":1,"a":[{"x":1}],"b":[{"x":2,"y":3}]}`), `2|`+hashOf(t, `{"id":1,"a":[{"x":1}],"b":[{"x":2,"y":3}]}`),
					`|`+hashOf(t, `{"id":2,"b":{"y":4}}`), `5|`),
			},
		},
		{
			name:     "parent columns count in the hash",
			mappings: `{"c":{"id":"id","arr":{"type":"table","destination":"arr","tableMapping":{".":"v"}}}}`,
			pages:    []page{{dataType: "c", columns: `{"parent_id":1}`, rows: []string{withUser}}},
			want:     map[string]string{"c": csv(`id|arr`, `5|`+userHash), "arr": csv(`v|c_pk`, `1|`+userHash, `2|`+userHash)},
		},
		{
			name: "user columns reach all levels",
			mappings: `{"t":{"c":{"type":"table","destination":"c","tableMapping":{"d":{"type":"table","destination":"d","tableMapping":{".":"v","u":{"type":"user","mapping":{"destination":"U"}}}},
				"u":{"type":"user","mapping":{"destination":"U"}}}}}}`,
			pages: []page{{dataType: "t", columns: `{"u":"x","n":null}`, rows: []string{`{"c":{"d":1}}`}}},
			want: map[string]string{
				"t": csv(`c`, md5hex(serialise(testvalue.Parse(t, `{"c":{"d":1}}`))+`a:2:{s:1:"u";s:1:"x";s:1:"n";N;}`)),
				"c": csv(`d|U|t_pk`, md5hex(serialise(testvalue.Parse(t, `{"d":1}`))+`a:2:{s:1:"u";s:1:"x";s:1:"n";N;}`)+`|x|`+md5hex(serialise(testvalue.Parse(t, `{"c":{"d":1}}`))+`a:2:{s:1:"u";s:1:"x";s:1:"n";N;}`)),
				"d": csv(`v|U|c_pk`, `1|x|`+md5hex(serialise(testvalue.Parse(t, `{"d":1}`))+`a:2:{s:1:"u";s:1:"x";s:1:"n";N;}`)),
			},
		},
		{
			name: "levels below levels, and items that are lists and scalars",
			mappings: `{"t":{"c":{"type":"table","destination":"c","tableMapping":{"d":{"type":"table","destination":"d","tableMapping":{"e":{"type":"table","destination":"e","tableMapping":{".":"v",
				"x":{"type":"table","destination":"f","tableMapping":{".":"w"}},"":{"type":"table","destination":"g","tableMapping":{".":"w"}}}}}}}}}}`,
			pages: []page{rowsOf(deep)},
			want: map[string]string{
				"t": csv(`c`, h1), "c": csv(`d|t_pk`, h2+`|`+h1), "d": csv(`e|c_pk`, h3+`|`+h2),
				"e": csv(`v|f|g|d_pk`, `5||`+md5hex(`i:5;`)+`|`+h3), "f": csv(`w|e_pk`), "g": csv(`w|e_pk`, `5|`+md5hex(`i:5;`)),
			},
		},
		{
			name:     "rows that are lists",
			mappings: `{"t":{".":{"type":"table","destination":"c","tableMapping":{".":"v"}}}}`,
			pages:    []page{rowsOf(`["a","b"]`, `null`)},
			want:     map[string]string{"t": csv(`c`, hashOf(t, `["a","b"]`), ``), "c": csv(`v|t_pk`, `a|`+hashOf(t, `["a","b"]`), `b|`+hashOf(t, `["a","b"]`))},
		},
		{
			name:     "equal items of different parents share their hash",
			mappings: `{"t":{"c":{"type":"table","destination":"c","tableMapping":{"d":{"type":"table","destination":"d","tableMapping":{".":"v"}}}}}}`,
			pages:    []page{rowsOf(`{"c":{"d":1}}`, `{"id":2,"c":{"d":1}}`)},
			want: map[string]string{
				"t": csv(`c`, hashOf(t, `{"c":{"d":1}}`), hashOf(t, `{"id":2,"c":{"d":1}}`)),
				"c": csv(`d|t_pk`, hashOf(t, `{"d":1}`)+`|`+hashOf(t, `{"c":{"d":1}}`), hashOf(t, `{"d":1}`)+`|`+hashOf(t, `{"id":2,"c":{"d":1}}`)),
				"d": csv(`v|c_pk`, `1|`+hashOf(t, `{"d":1}`), `1|`+hashOf(t, `{"d":1}`)),
			},
		},
		{
			name:     "another separator on the way to a child table",
			mappings: `{"t":{"a/b.c":{"type":"table","destination":"c","delimiter":"/","tableMapping":{"0":"v"}}}}`,
			pages:    []page{rowsOf(`{"a":{"b.c":[["x"],["y"]]}}`)},
			want: map[string]string{
				"t": csv(`c`, hashOf(t, `{"a":{"b.c":[["x"],["y"]]}}`)),
				"c": csv(`v|t_pk`, `x|`+hashOf(t, `{"a":{"b.c":[["x"],["y"]]}}`), `y|`+hashOf(t, `{"a":{"b.c":[["x"],["y"]]}}`)),
			},
		},
		{
			name:     "a table without columns is not written, its child tables are",
			mappings: `{"t":{"c":{"type":"table","destination":"c","parentKey":{"disable":true},"tableMapping":{"x":"X"}}}}`,
			pages:    []page{rowsOf(`{"c":[{"x":1},{"x":2}]}`)},
			want:     map[string]string{"c": csv(`X`, `1`, `2`)},
		},
	}
	for _, row := range rows {
		t.Run(row.name, row.run)
	}
}

// Tables exist whether rows came or not, always with the same header.
func TestTablesWithoutRows(t *testing.T) {
	const mappings = `{"t":{"id":"ID","arr":{"type":"table","destination":"c","parentKey":{"destination":"PID"},"tableMapping":{"id":"ID","arr":{"type":"table","destination":"arr","tableMapping":{".":"v"}}}}},
		"k":{"id":{"mapping":{"destination":"id","primaryKey":true}},"s":"short","u":{"type":"user","mapping":{"destination":"U"}},
			"x":{"type":"table","destination":"kx","parentKey":{"primaryKey":true},"tableMapping":{"a":{"mapping":{"destination":"A","primaryKey":true}}}},
			"y":{"type":"table","destination":"ky","parentKey":{"disable":true},"tableMapping":{"a":"A"}},
			"z":{"type":"table","destination":"kz","parentKey":{"disable":true},"tableMapping":{"a":{"type":"table","destination":"kza","parentKey":{"disable":true},"tableMapping":{"v":"V"}}}}}}`
	headers := map[string]string{
		"t": csv(`ID|c`), "c": csv(`ID|arr|PID`), "arr": csv(`v|c_pk`),
		"k": csv(`id|short|U`), "kx": csv(`A|k_pk`), "ky": csv(`A`), "kza": csv(`V`),
	}
	keys := map[string][]string{"k": {"id"}, "kx": {"A", "k_pk"}}
	top, item := hashOf(t, `{"id":1,"arr":[{"id":2,"arr":[3]}]}`), hashOf(t, `{"id":2,"arr":[3]}`)
	with := func(tables map[string]string) map[string]string {
		all := map[string]string{}
		for name, text := range headers {
			all[name] = text
			if rows, ok := tables[name]; ok {
				all[name] += strings.TrimPrefix(rows, text)
			}
		}
		return all
	}
	rows := []mappedCase{
		{name: "no job used them", want: with(nil)},
		{name: "an empty page", pages: []page{rowsOf(), {dataType: "k"}}, want: with(nil)},
		{name: "an array that is always empty", pages: []page{rowsOf(`{"id":1,"arr":[]}`)}, want: with(map[string]string{"t": csv(`ID|c`, `1|`)})},
		{
			name: "rows", pages: []page{rowsOf(`{"id":1,"arr":[{"id":2,"arr":[3]}]}`)},
			want: with(map[string]string{"t": csv(`ID|c`, `1|`+top), "c": csv(`ID|arr|PID`, `2|`+item+`|`+top), "arr": csv(`v|c_pk`, `3|`+item)}),
		},
	}
	for _, row := range rows {
		row.mappings, row.keys = mappings, keys
		t.Run(row.name, row.run)
	}
}

func TestWritingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := newMapper(t, mappingsOf(t, `{"t":{"id":"id"}}`))
	if err := c.add(t, rowsOf(`{"id":1}`), page{dataType: "u", rows: []string{`{"v":1}`}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(ctx, Defaults{}); !errors.Is(err, context.Canceled) {
		t.Errorf("mapped tables: %v", err)
	}
	if err := c.automatic.Write(ctx, c.set, Defaults{}); !errors.Is(err, context.Canceled) {
		t.Errorf("automatic tables: %v", err)
	}
	c.set.Abort()
	if left, err := os.ReadDir(c.dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestMappedTablesThatCannotBeWritten(t *testing.T) {
	fill := func(t *testing.T, dir, temp string) (*ConfiguredMapper, error) {
		set := csvtable.NewSet(dir, temp)
		t.Cleanup(set.Abort)
		c := NewConfigured(mappingsOf(t, `{"t":{"id":"id"}}`), set)
		return c, c.Batch("t", nil).Row(pack(testvalue.Parse(t, `{"id":1}`)))
	}
	t.Run("no temporary directory", func(t *testing.T) {
		if _, err := fill(t, t.TempDir(), filepath.Join(t.TempDir(), "none")); failure.KindOf(err) != failure.Application || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no directory for the tables", func(t *testing.T) {
		c, err := fill(t, filepath.Join(t.TempDir(), "none"), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		err = c.Write(context.Background(), Defaults{})
		if err == nil || failure.KindOf(err) != failure.Application {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a name that no file can have", func(t *testing.T) {
		c, err := fill(t, t.TempDir(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		const want = `mapping of table "t": table "a/b.t" cannot be written to a file: a slash or a NUL byte cannot be part of a file name (at /config/mappings/t)`
		err = c.Write(context.Background(), Defaults{Bucket: "a/b"})
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		err = c.mappings.WriteMissing(c.out, Defaults{Bucket: "a/b"})
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}

func TestMemoryOfMappedTablesStaysFlat(t *testing.T) {
	slowtest.SkipRace(t, "it looks at the memory")
	c := newMapper(t, mappingsOf(t, `{"t":{"v":"v","c":{"type":"table","destination":"c","tableMapping":{".":"w"}}}}`))
	text := value.OfString(strings.Repeat("x", 1000))
	row := value.OfMembers(value.Member{Name: "v", Value: text}, value.Member{Name: "c", Value: value.OfItems(text, text)})
	for range 10_000 {
		if err := c.Batch("t", nil).Row(pack(row)); err != nil {
			t.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 12<<20 {
		t.Errorf("%d bytes in use after 30 MB of rows", m.HeapAlloc)
	}
	files, err := c.finish(t)
	if err != nil || strings.Count(files["t"], "\n") != 10_001 || strings.Count(files["c"], "\n") != 20_001 {
		t.Errorf("%d and %d lines, %v", strings.Count(files["t"], "\n"), strings.Count(files["c"], "\n"), err)
	}
}
