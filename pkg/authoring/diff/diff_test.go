package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/tables/extsort"
)

// folderOf is a directory with these files.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		parent, isDir := filepath.Dir(path), strings.HasSuffix(name, "/")
		if isDir {
			parent = path
		}
		if err := os.MkdirAll(parent, 0o777); err != nil {
			t.Fatal(err)
		}
		if isDir {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const byID = `{"incremental":false,"primary_key":["id"]}`

func TestDirectories(t *testing.T) {
	typed := func(n string) string {
		return `{"incremental":false,"has_header":true,"schema":[{"name":"id","data_type":{"base":{"type":"INTEGER"}},"nullable":false,"primary_key":true},` +
			`{"name":"n","data_type":{"base":{"type":"` + n + `"}},"nullable":true}]}`
	}
	for _, tt := range []struct {
		name          string
		first, second map[string]string
		want          string // the report in words
	}{
		{"nothing", map[string]string{"out/tables/": ""}, map[string]string{}, "0 of 0 tables are equal\n"},
		{"equal, in another order and place",
			map[string]string{"out/tables/t": "\"a\"\n\"1\"\n\"2\"\n\"2\"\n", "out/state.json": "{}", "config.json": "{}"},
			map[string]string{"t": "a\n2\n1\n2\n"}, "1 of 1 tables are equal\n"},
		{"another table", map[string]string{"a": "x\n", "b": "x\n"}, map[string]string{"b": "x\n", "c c": "x\n"},
			"only in 1: a\nonly in 2: \"c c\"\n1 of 3 tables are equal\n"},
		{"numbers of equal rows count", map[string]string{"t": "a,b\n1,2\n1,2\n1,2\n"}, map[string]string{"t": "a,b\n1,2\n3,4\n"},
			"t:\n  rows: 3 -> 2, compared as a whole: 1 the same, 2 removed, 1 added, 0 changed\n" +
				"  - a=\"1\" b=\"2\"\n  - a=\"1\" b=\"2\"\n  + a=\"3\" b=\"4\"\n0 of 1 tables are equal\n"},
		{"a key", map[string]string{"t": "id,b,c\n1,x,y\n2,x,y\n10,x,y\n", "t.manifest": byID}, map[string]string{"t": "id,b,c\n10,x,z\n2,x,y\n3,x,y\n", "t.manifest": byID},
			"t:\n  rows: 3 -> 3, compared by \"id\": 1 the same, 1 removed, 1 added, 1 changed\n  cells changed: \"c\" in 1\n" +
				"  - id=\"1\" b=\"x\" c=\"y\"\n  + id=\"3\" b=\"x\" c=\"y\"\n  ~ id=\"10\": c \"y\" -> \"z\"\n0 of 1 tables are equal\n"},
		{"a key that is not unique: as many changes as there are pairs",
			map[string]string{"t": "id,b\n1,a\n1,b\n1,c\n", "t.manifest": byID}, map[string]string{"t": "id,b\n1,b\n1,d\n", "t.manifest": byID},
			"t:\n  rows: 3 -> 2, compared by \"id\": 1 the same, 1 removed, 0 added, 1 changed\n  cells changed: \"b\" in 1\n" +
				"  - id=\"1\" b=\"c\"\n  ~ id=\"1\": b \"a\" -> \"d\"\n0 of 1 tables are equal\n"},
		{"another key: rows as a whole", map[string]string{"t": "id,b\n1,a\n", "t.manifest": byID}, map[string]string{"t": "id,b\n1,b\n", "t.manifest": `{"incremental":true,"primary_key":["id","b"]}`},
			"t:\n  manifest, primary_key: [\"id\"] -> [\"id\",\"b\"]\n  manifest, incremental: false -> true\n" +
				"  rows: 1 -> 1, compared as a whole: 0 the same, 1 removed, 1 added, 0 changed\n  - id=\"1\" b=\"a\"\n  + id=\"1\" b=\"b\"\n0 of 1 tables are equal\n"},
		{"other columns: rows in those that both have", map[string]string{"t": "id,b,c\n1,x,y\n", "t.manifest": byID}, map[string]string{"t": "c,d,id\ny,z,1\n", "t.manifest": byID},
			"t:\n  columns removed: \"b\"\n  columns added: \"d\"\n  columns in another order\n" +
				"  rows: 1 -> 1, compared by \"id\" in the columns that both have: 1 the same, 0 removed, 0 added, 0 changed\n0 of 1 tables are equal\n"},
		{"no column in common", map[string]string{"t": "a\n1\n"}, map[string]string{"t": "b\n1\n"},
			"t:\n  columns removed: \"a\"\n  columns added: \"b\"\n" +
				"  rows: 1 -> 1, compared as a whole in the columns that both have: 0 the same, 0 removed, 0 added, 0 changed\n0 of 1 tables are equal\n"},
		{"types, the key in its newer form", map[string]string{"t": "id,n\n1,2\n", "t.manifest": typed("INTEGER")}, map[string]string{"t": "id,n\n1,3\n", "t.manifest": typed("STRING")},
			"t:\n  manifest, column n: data_type: {\"base\":{\"type\":\"INTEGER\"}} -> {\"base\":{\"type\":\"STRING\"}}\n" +
				"  rows: 1 -> 1, compared by \"id\": 0 the same, 0 removed, 0 added, 1 changed\n  cells changed: \"n\" in 1\n  ~ id=\"1\": n \"2\" -> \"3\"\n0 of 1 tables are equal\n"},
		{"types and none", map[string]string{"t": "id,n\n1,2\n", "t.manifest": typed("INTEGER")}, map[string]string{"t": "id,n\n1,2\n", "t.manifest": byID},
			"t:\n  manifest, has_header: true -> none\n  manifest, schema: true -> false\n" +
				"  rows: 1 -> 1, compared by \"id\": 1 the same, 0 removed, 0 added, 0 changed\n0 of 1 tables are equal\n"},
		{"line ends and quotes in cells count, and cannot reach a terminal", map[string]string{"t": "a\n\"x\r\ny\"\n\"\x1b[2J\"\n"}, map[string]string{"t": "a\n\"x\ny\"\n\"q\"\"q\"\n"},
			"t:\n  rows: 2 -> 2, compared as a whole: 0 the same, 2 removed, 2 added, 0 changed\n" +
				"  - a=\"\\x1b[2J\"\n  - a=\"x\\r\\ny\"\n  + a=\"q\\\"q\"\n  + a=\"x\\ny\"\n0 of 1 tables are equal\n"},
		{"what is not shown is counted", map[string]string{"t": "a\n1\n2\n3\n4\n5\n"}, map[string]string{"t": "a\n" + strings.Repeat("é", 201) + "\n"},
			"t:\n  rows: 5 -> 1, compared as a whole: 0 the same, 5 removed, 1 added, 0 changed\n" +
				"  - a=\"1\"\n  - a=\"2\"\n  - 3 more\n  + a=\"" + strings.Repeat("é", 200) + "…\"\n0 of 1 tables are equal\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report, err := Directories(t.Context(), folderOf(t, tt.first), folderOf(t, tt.second), Options{Samples: 2})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := report.WriteText(&got, "1", "2"); err != nil || got.String() != tt.want {
				t.Errorf("%v, got\n%swant\n%s", err, got.String(), tt.want)
			}
			if wanted := !strings.Contains(tt.want, ":"); report.Equal != wanted {
				t.Errorf("equal: %v, want %v", report.Equal, wanted)
			}
		})
	}
}

func TestDirectoriesThatCannotBeCompared(t *testing.T) {
	good := map[string]string{"t": "a\n1\n"}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no run", map[string]string{"config.json": "{}"}, "no run has written its tables yet"},
		{"slices", map[string]string{"t/1": "a\n"}, "is a directory, expected the file of a table"},
		{"a manifest alone", map[string]string{"t": "a\n", "u.manifest": "{}"}, "u.manifest has no table beside it"},
		{"an empty file", map[string]string{"t": ""}, "is empty, expected a header"},
		{"a column twice", map[string]string{"t": "a,a\n"}, "two columns named \"a\""},
		{"a short row", map[string]string{"t": "a,b\n1\n"}, "a row of 1 cells, expected one for each of its 2 columns"},
		{"no CSV", map[string]string{"t": "a\n\"1\n"}, "opens an enclosure that is never closed"},
		{"no JSON", map[string]string{"t": "a\n", "t.manifest": "{"}, "not valid JSON"},
		{"no object", map[string]string{"t": "a\n", "t.manifest": "[]"}, "expected an object"},
		{"no header", map[string]string{"t": "a\n", "t.manifest": `{"columns":["a"]}`}, "the table has no header"},
		{"another delimiter", map[string]string{"t": "a\n", "t.manifest": `{"delimiter":";"}`}, "is not usual CSV"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, pair := range [][2]map[string]string{{tt.files, good}, {good, tt.files}} {
				_, err := Directories(t.Context(), folderOf(t, pair[0]), folderOf(t, pair[1]), Options{})
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %s", err, tt.want)
				}
			}
		})
	}
	if _, err := Directories(t.Context(), folderOf(t, good), filepath.Join(t.TempDir(), "none"), Options{}); err == nil {
		t.Error("a directory that is not there must be an error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Directories(ctx, folderOf(t, good), folderOf(t, good), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// TestRows checks comparisons of random tables, with and without files, against a simple
// comparison in memory.
func TestRows(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		keyed := seed%2 == 0
		tables := [2][][2]string{}
		for side := range tables {
			for _, id := range random.Perm(300) {
				if random.IntN(10) > 0 {
					tables[side] = append(tables[side], [2]string{fmt.Sprint(id), strings.Repeat("v", random.IntN(3))})
				}
			}
			if !keyed { // the same row several times
				for range 50 {
					tables[side] = append(tables[side], [2]string{fmt.Sprint(random.IntN(20)), ""})
				}
			}
		}
		var dirs [2]string
		for side, rows := range tables {
			text := "id,v\n"
			for _, row := range rows {
				text += row[0] + "," + row[1] + "\n"
			}
			files := map[string]string{"t": text}
			if keyed {
				files["t.manifest"] = byID
			}
			dirs[side] = folderOf(t, files)
		}
		want := counted(tables, keyed)
		for _, memory := range []int{1000, 4000, extsort.Memory} {
			got := compareIn(t, dirs, memory)
			if got != want {
				t.Errorf("seed %d, %d bytes of memory: got %+v, want %+v", seed, memory, got, want)
			}
		}
	}
}

// counts are the numbers of a comparison.
type counts struct{ same, onlyFirst, onlySecond, changed int64 }

// counted compares by maps.
func counted(tables [2][][2]string, keyed bool) (c counts) {
	if keyed {
		second := map[string]string{}
		for _, row := range tables[1] {
			second[row[0]] = row[1]
		}
		for _, row := range tables[0] {
			switch v, ok := second[row[0]]; {
			case !ok:
				c.onlyFirst++
			case v == row[1]:
				c.same++
			default:
				c.changed++
			}
		}
		c.onlySecond = int64(len(tables[1])) - c.same - c.changed
		return c
	}
	second := map[[2]string]int{}
	for _, row := range tables[1] {
		second[row]++
	}
	for _, row := range tables[0] {
		if second[row] > 0 {
			second[row]--
			c.same++
		} else {
			c.onlyFirst++
		}
	}
	c.onlySecond = int64(len(tables[1])) - c.same
	return c
}

func compareIn(t *testing.T, dirs [2]string, memory int) counts {
	t.Helper()
	var in [2]*input
	for side, dir := range dirs {
		f, err := openFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if in[side], err = f.open("t"); err != nil {
			t.Fatal(err)
		}
		defer in[side].close()
	}
	c := comparison{redact: strings.Clone, temp: t.TempDir(), memory: memory, samples: 3, columns: in[0].columns, key: in[0].manifest.key}
	r, err := c.rows(t.Context(), in[0], in[1])
	if err != nil {
		t.Fatal(err)
	}
	if len(r.FirstSamples) != int(min(3, r.OnlyFirst)) || len(r.ChangedSamples) != int(min(3, r.Changed)) {
		t.Errorf("%d and %d samples", len(r.FirstSamples), len(r.ChangedSamples))
	}
	return counts{r.Same, r.OnlyFirst, r.OnlySecond, r.Changed}
}

// TestTooManyOfOneKey: a limited number of rows with the same key waits in memory.
func TestTooManyOfOneKey(t *testing.T) {
	var rows strings.Builder
	for i := range 3 * maxUnmatched {
		fmt.Fprintf(&rows, "1,%d\n", i)
	}
	files := map[string]string{"t": "id,v\n" + rows.String(), "t.manifest": byID}
	report, err := Directories(t.Context(), folderOf(t, files), folderOf(t, map[string]string{"t": "id,v\n1,zzzz\n", "t.manifest": byID}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := report.Tables[0].Rows; r.Changed != 1 || r.OnlyFirst != 3*maxUnmatched-1 || r.OnlySecond != 0 {
		t.Errorf("got %+v", r)
	}
}

func FuzzCells(f *testing.F) {
	f.Add("", "a", "\x00b")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		cells := []string{a, b, c}
		if got := unpack(appendCells(nil, cells, []int{2, 0, 1})); !slices.Equal(got, []string{c, a, b}) {
			t.Errorf("%q came back as %q", cells, got)
		}
	})
}

func FuzzManifest(f *testing.F) {
	for _, text := range []string{byID, `{"schema":[{"name":5},7],"has_header":true}`, `{"primary_key":"id"}`, `{"columns":{}}`, `[]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			return
		}
		if differ := compareManifests(m, m, strings.Clone); len(differ) > 0 {
			t.Errorf("%s differs from itself: %v", text, differ)
		}
		if differ := compareManifests(manifest{}, m, strings.Clone); reflect.DeepEqual(m, manifest{}) && len(differ) > 0 {
			t.Errorf("%s: %v", text, differ)
		}
	})
}
