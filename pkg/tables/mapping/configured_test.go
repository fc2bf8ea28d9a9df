package mapping

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// mappingsOf compiles mappings that are right.
func mappingsOf(t testing.TB, text string) Mappings {
	t.Helper()
	var problems failure.Problems
	m := CompileMappings(field.NewSection(testvalue.Parse(t, text), "/config/mappings", &problems), false, false)
	if problems.Err() != nil {
		t.Fatal(problems)
	}
	return m
}

// mapper is a ConfiguredMapper with an AutomaticMapper for all other data types.
type mapper struct {
	*ConfiguredMapper
	automatic *collector
	set       *csvtable.Set
	dir       string
}

func newMapper(t testing.TB, m Mappings) *mapper {
	t.Helper()
	dir, temp := t.TempDir(), t.TempDir()
	set := csvtable.NewSet(dir, temp)
	c := &mapper{NewConfigured(m, set), newCollector(t, ""), set, dir}
	t.Cleanup(func() {
		set.Abort()
		if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	return c
}

func (c *mapper) add(t testing.TB, pages ...page) error {
	t.Helper()
	for _, p := range pages {
		if !c.Has(p.dataType) {
			if err := c.automatic.add(t, p); err != nil {
				return err
			}
			continue
		}
		var columns []Column
		if p.columns != "" {
			for _, m := range testvalue.Parse(t, p.columns).Members() {
				columns = append(columns, Column(m))
			}
		}
		b := c.Batch(p.dataType, columns)
		for _, row := range p.rows {
			if err := b.Row(pack(testvalue.Parse(t, row))); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish writes everything as a run does, and returns all files.
func (c *mapper) finish(t testing.TB, later ...Mappings) (map[string]string, error) {
	t.Helper()
	dir, out, d := c.dir, c.set, Defaults{Bucket: "b"}
	err := c.Write(context.Background(), d)
	if err == nil {
		err = c.automatic.Write(context.Background(), out, d)
	}
	for _, m := range append([]Mappings{c.mappings}, later...) {
		if err == nil {
			err = m.WriteMissing(out, d)
		}
	}
	if err == nil {
		_, err = c.set.Close()
	} else {
		c.set.Abort()
	}
	files := map[string]string{}
	entries, listing := os.ReadDir(dir)
	if listing != nil {
		t.Fatal(listing)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(entry.Name(), "b.")] = string(text)
	}
	return files, err
}

// manifest is the text of a manifest in bucket b.
func manifest(name string, key ...string) string {
	text := `{"destination":"in.c-b.` + name + `","incremental":false`
	if len(key) > 0 {
		text += `,"primary_key":["` + strings.Join(key, `","`) + `"]`
	}
	return text + "}"
}

// mappedCase are mappings, pages and the tables they become. Where keys names no
// primary key of a table, it has none.
type mappedCase struct {
	name     string
	mappings string
	pages    []page
	want     map[string]string
	keys     map[string][]string
}

func (row mappedCase) run(t *testing.T) {
	t.Helper()
	c := newMapper(t, mappingsOf(t, row.mappings))
	if err := c.add(t, row.pages...); err != nil {
		t.Fatal(err)
	}
	got, err := c.finish(t)
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(row.want)
	for name := range row.want {
		want[name+".manifest"] = manifest(name, row.keys[name]...)
	}
	checkTables(t, got, want)
}

// hashOf is what refers to a row without primary key.
func hashOf(t testing.TB, row string) string { return md5hex(serialise(testvalue.Parse(t, row))) }

func TestColumnsOfMappings(t *testing.T) {
	rows := []mappedCase{
		{
			name:     "only what is named, in the order of the settings",
			mappings: `{"t":{"address.country":{"type":"column","mapping":{"destination":"country"}},"name":{"mapping":{"destination":"name"}},"id":{"mapping":{"destination":"id","primaryKey":true}}}}`,
			pages:    []page{rowsOf(`{"id":1,"name":"x","address":{"country":"UK","city":"L"},"z":[1]}`, `{"id":2}`)},
			want:     map[string]string{"t": csv(`country|name|id`, `UK|x|1`, `||2`)},
			keys:     map[string][]string{"t": {"id"}},
		},
		{
			name:     "short form",
			mappings: `{"t":{"id":"ID","n":5}}`,
			pages:    []page{rowsOf(`{"id":1,"n":2}`)},
			want:     map[string]string{"t": csv(`ID|5`, `1|2`)},
		},
		{
			name:     "paths that are called as the keys of a setting",
			mappings: `{"t":{"type":"table","tableMapping":"m"},"u":{"type":{"mapping":{"destination":"a"}},"tableMapping":{"mapping":{"destination":"b"}}}}`,
			pages:    []page{rowsOf(`{"type":1,"tableMapping":2}`), {dataType: "u", rows: []string{`{"type":3,"tableMapping":4}`}}},
			want:     map[string]string{"t": csv(`table|m`, `1|2`), "u": csv(`a|b`, `3|4`)},
		},
		{
			name:     "short form of numeric paths",
			mappings: `{"t":{"0":"A","1":"B"}}`,
			pages:    []page{rowsOf(`["x","y"]`, `{"1":"z"}`)},
			want:     map[string]string{"t": csv(`A|B`, `x|y`, `|z`)},
		},
		{
			name:     "long form of numeric paths",
			mappings: `{"t":{"0":{"mapping":{"destination":"A"}}}}`,
			pages:    []page{rowsOf(`["x"]`)},
			want:     map[string]string{"t": csv(`A`, `x`)},
		},
		{
			name:     "a list as mapping",
			mappings: `{"t":["A",{"mapping":{"destination":"B"}}]}`,
			pages:    []page{rowsOf(`["x","y"]`)},
			want:     map[string]string{"t": csv(`A|B`, `x|y`)},
		},
		{
			name:     "names as written",
			mappings: `{"T y.p-":{"a":" A b","b":"c.d/e","c":"ě\"","A":"a","aa":"A"}}`,
			pages:    []page{{dataType: "T y.p-", rows: []string{`{"a":1,"b":2,"c":3,"A":4,"aa":5}`}}},
			want:     map[string]string{"T y.p-": csv(` A b|c.d/e|ě"|a|A`, `1|2|3|4|5`)},
		},
		{
			name:     "cells",
			mappings: `{"t":{"v":"v"}}`,
			pages: []page{rowsOf(`{"v":null}`, `{}`, `{"v":true}`, `{"v":false}`, `{"v":12345678901234567890}`, `{"v":1.50}`, `{"v":1e3}`, `{"v":-0}`,
				`{"v":"a\"b\n,"}`, `{"v":""}`)},
			want: map[string]string{"t": csv(`v`, ``, ``, `1`, ``, `12345678901234567890`, `1.50`, `1e3`, `-0`, "a\"b\n,", ``)},
		},
		{
			name:     "lists and objects as JSON text",
			mappings: `{"t":{"v":{"forceType":true,"mapping":{"destination":"v"}}}}`,
			pages:    []page{rowsOf(`{"v":["ě/",{"a":0.10,"b":12345678901234567890}]}`, `{"v":{}}`, `{"v":[]}`, `{"v":"s/ě"}`, `{"v":null}`, `{"v":false}`, `{"v":1.0}`)},
			want:     map[string]string{"t": csv(`v`, `["\u011b\/",{"a":0.10,"b":12345678901234567890}]`, `{}`, `[]`, `s/ě`, ``, ``, `1.0`)},
		},
		{
			name:     "another separator",
			mappings: `{"t":{"a/b.c":{"delimiter":"/","mapping":{"destination":"x"}},"a/d/e":{"delimiter":"/","mapping":{"destination":"y"}},"a.d.e":{"delimiter":"","mapping":{"destination":"z"}}}}`,
			pages:    []page{rowsOf(`{"a":{"b.c":1,"d":{"e":2}}}`, `{"a":{"b.c":null},"a.d":3}`)},
			want:     map[string]string{"t": csv(`x|y|z`, `1|2|2`, `||`)},
		},
		{
			name:     "paths",
			mappings: `{"t":{"tags.0":"first","tags.1.k":"k","o.n.m":"m","tags.9":"none","tags.00":"no index"}}`,
			pages:    []page{rowsOf(`{"tags":["x",{"k":1}],"o":{"n":{"m":2}}}`, `{"tags":[null,5],"o":{"n":null}}`, `{"tags":"s","o":3}`)},
			want:     map[string]string{"t": csv(`first|k|m|none|no index`, `x|1|2||`, `||||`, `||||`)},
		},
		{
			name:     "rows that are scalars",
			mappings: `{"t":{"":"empty","id":"id",".":"dot","/":{"delimiter":"/","mapping":{"destination":"slash"}}}}`,
			pages:    []page{rowsOf(`"a"`, `5`, `true`, `null`)},
			want:     map[string]string{"t": csv(`empty|id|dot|slash`, `a||a|a`, `5||5|5`, `1||1|1`, `|||`)},
		},
		{
			name:     "an empty name on the way",
			mappings: `{"t":{"":"e","a.":"ae"}}`,
			pages:    []page{rowsOf(`{"":1,"a":{"":2}}`)},
			want:     map[string]string{"t": csv(`e|ae`, `1|2`)},
		},
		{
			name: "user and parent columns only where requested",
			mappings: `{"t":{"id":"id","tag":{"type":"user","mapping":{"destination":"T","primaryKey":true}},"parent_user-info.id":{"type":"user","delimiter":"#","mapping":{"destination":"P"}},
				"o/x":{"type":"user","mapping":{"destination":"X"}},"none":{"type":"user","mapping":{"destination":"N"}}}}`,
			pages: []page{
				{dataType: "t", columns: `{"tag":"a","parent_user-info.id":1.50,"o":{"x":true},"other":9}`, rows: []string{`{"id":1,"tag":"row"}`}},
				{dataType: "t", columns: `{"tag":null}`, rows: []string{`{"id":2}`}},
				{dataType: "t", rows: []string{`{"id":3}`}},
			},
			want: map[string]string{"t": csv(`id|T|P|X|N`, `1|a|1.50|1|`, `2||||`, `3||||`)},
			keys: map[string][]string{"t": {"T"}},
		},
		{
			name:     "the last of user columns with one name",
			mappings: `{"t":{"a":{"type":"user","mapping":{"destination":"a"}}}}`,
			pages:    []page{{dataType: "t", columns: `{"a":1,"a":2}`, rows: []string{`{}`}}},
			want:     map[string]string{"t": csv(`a`, `2`)},
		},
		{
			name:     "data types without mapping are mapped automatically",
			mappings: `{"t":{"id":"ID"}}`,
			pages:    []page{rowsOf(`{"id":1}`), {dataType: "u", rows: []string{`{"id":2}`}}},
			want:     map[string]string{"t": csv(`ID`, `1`), "u": csv(`id`, `2`)},
		},
		{name: "no mappings", mappings: `{}`, pages: []page{rowsOf(`{"id":1}`)}, want: map[string]string{"t": csv(`id`, `1`)}},
		{name: "an empty list of mappings", mappings: `[]`, pages: []page{rowsOf(`{"id":1}`)}, want: map[string]string{"t": csv(`id`, `1`)}},
		{name: "null instead of mappings", mappings: `null`, pages: []page{rowsOf(`{"id":1}`)}, want: map[string]string{"t": csv(`id`, `1`)}},
		{
			name:     "truths of other kinds, and keys of other types",
			mappings: `{"t":{"id":{"mapping":{"destination":"id","primaryKey":0},"forceType":"1","parentKey":{"destination":"x"},"destination":"y"}}}`,
			pages:    []page{rowsOf(`{"id":[1]}`)},
			want:     map[string]string{"t": csv(`id`, `[1]`)},
		},
	}
	for _, row := range rows {
		t.Run(row.name, row.run)
	}
}

func TestMappedValuesRefused(t *testing.T) {
	rows := []struct{ name, mapping, columns, row, want string }{
		{"object", `{"o":{"mapping":{"destination":"O"}}}`, "", `{"o":{"secret":"s3cr3t"}}`,
			`column "O" of table "t" cannot hold an object: set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table" (at /config/mappings/t/o)`},
		{"list", `{"a.b":"AB"}`, "", `{"a":{"b":[1]}}`,
			`column "AB" of table "t" cannot hold an array: set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table" (at /config/mappings/t/a.b)`},
		{"empty list", `{"o":"O"}`, "", `{"o":[]}`,
			`column "O" of table "t" cannot hold an array: set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table" (at /config/mappings/t/o)`},
		{"primary key", `{"o":{"mapping":{"destination":"O","primaryKey":true}},"c":{"type":"table","destination":"c","tableMapping":{"x":"x"}}}`, "", `{"o":{}}`,
			`column "O" of table "t" cannot hold an object: set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table" (at /config/mappings/t/o)`},
		{"in a child", `{"c":{"type":"table","destination":"d","tableMapping":{"x":"X"}}}`, "", `{"c":[{"x":1},{"x":[2]}]}`,
			`column "X" of table "d" cannot hold an array: set "forceType" to true to store it as JSON text, or give it a table of its own with "type": "table" (at /config/mappings/t/c/tableMapping/x)`},
		{"user column", `{"u":{"type":"user","forceType":true,"mapping":{"destination":"U"}}}`, `{"u":{"a":"s3cr3t"}}`, `{}`,
			`column "U" of table "t" cannot hold an object: name a single value in it, with "/" between the names (at /config/mappings/t/u)`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newMapper(t, mappingsOf(t, `{"t":`+row.mapping+`}`))
			err := c.add(t, page{dataType: "t", columns: row.columns, rows: []string{row.row}})
			if err == nil || err.Error() != row.want || failure.KindOf(err) != failure.User {
				t.Errorf("got  %v\nwant %s", err, row.want)
			}
		})
	}
}

// TestMembersInAnotherOrder: a member is found wherever it stands, also where it
// moves to the very front.
func TestMembersInAnotherOrder(t *testing.T) {
	c := newMapper(t, mappingsOf(t, `{"t":{"v":"V","w":"W"}}`))
	if err := c.add(t, rowsOf(`{"x":1,"v":2,"w":3}`, `{"v":4,"w":5,"x":6}`, `{"w":7,"x":8,"v":9}`, `{"x":10}`)); err != nil {
		t.Fatal(err)
	}
	files, err := c.finish(t)
	if want := csv(`V|W`, `2|3`, `4|5`, `9|7`, `|`); err != nil || files["t"] != want {
		t.Errorf("got %v, %v, want\n%s", files, err, want)
	}
}
