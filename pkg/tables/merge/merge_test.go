package merge

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/tables/extsort"
)

// room has an empty directory for each purpose.
func room(t testing.TB) Directories {
	t.Helper()
	root := t.TempDir()
	d := Directories{Earlier: filepath.Join(root, "earlier"), Tables: filepath.Join(root, "tables"), Temp: filepath.Join(root, "temp")}
	for _, dir := range []string{d.Earlier, d.Tables, d.Temp} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// quotedCSV is plain lines of cells as the writer of tables writes them.
func quotedCSV(plain string) string {
	var text []byte
	for line := range strings.SplitSeq(plain, "\n") {
		text = csvtable.AppendRecord(text, strings.Split(line, ","))
	}
	return string(text)
}

const (
	byID    = `{"incremental":true,"primary_key":["id"]}`
	keyless = `{"incremental":true}`
	full    = `{"incremental":false,"primary_key":["id"]}`
)

// TestLargeCell: a cell that a run writes can be merged by the next one.
func TestLargeCell(t *testing.T) {
	slowtest.SkipRace(t, "its cells are large")
	d := room(t)
	cell := strings.Repeat("x", 17<<20)
	put(t, d.Earlier, "t", quotedCSV("id,v\n1,a\n2,"+cell))
	put(t, d.Earlier, "t.manifest", byID)
	put(t, d.Tables, "t", quotedCSV("id,v\n1,b\n3,c"))
	put(t, d.Tables, "t.manifest", byID)
	if err := Tables(context.Background(), d, func(Result) {}, nil); err != nil {
		t.Fatal(err)
	}
	if read(t, d.Tables, "t") != quotedCSV("id,v\n1,b\n2,"+cell+"\n3,c") {
		t.Error("the merged table is another one")
	}
}

// TestNoTable: a manifest of the run before without its table is an error, not a table
// with the rows of this run only.
func TestNoTable(t *testing.T) {
	d := room(t)
	put(t, d.Earlier, "t.manifest", byID)
	put(t, d.Tables, "t", quotedCSV("id,v\n1,a"))
	put(t, d.Tables, "t.manifest", byID)
	err := Tables(context.Background(), d, func(Result) {}, nil)
	want := "cannot merge into " + filepath.Join(d.Earlier, "t") + ": the file is missing, but its manifest t.manifest is there; restore the file, or run with --full to replace it"
	if failure.KindOf(err) != failure.User || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTables(t *testing.T) {
	for _, row := range []struct {
		name, manifest string
		earlier        string // "" for none
		now, want      string
		report         Result
	}{
		{"replaced in its place, new ones after it", byID, "id,v\n1,a\n2,b\n3,c", "id,v\n4,x\n2,y", "id,v\n1,a\n2,y\n3,c\n4,x", Result{Before: 3, Replaced: 1, Added: 1, Rows: 4}},
		{"the last of several, at the place of the first", byID, "id,v\n1,a", "id,v\n2,x\n1,p\n2,y\n1,q", "id,v\n1,q\n2,y", Result{Before: 1, Replaced: 1, Added: 1, Rows: 2}},
		{"several in the earlier table", byID, "id,v\n1,a\n2,b\n1,c", "id,v\n3,d", "id,v\n1,c\n2,b\n3,d", Result{Before: 3, Added: 1, Rows: 3}},
		{"nothing new", byID, "id,v\n1,a", "id,v", "id,v\n1,a", Result{Before: 1, Rows: 1}},
		{"nothing earlier", byID, "id,v", "id,v\n1,a", "id,v\n1,a", Result{Added: 1, Rows: 1}},
		{"no earlier table", byID, "", "id,v\n1,a\n2,b", "id,v\n1,a\n2,b", Result{}},
		{"no earlier table, several with one key", byID, "", "id,v\n1,a\n2,b\n1,c", "id,v\n1,c\n2,b", Result{Added: 2, Rows: 2}},
		{"without a key", keyless, "id,v\n1,a\n1,a", "id,v\n1,a", "id,v\n1,a\n1,a\n1,a", Result{Before: 2, Added: 1, Rows: 3}},
		{"columns in another order", byID, "id,v\n1,a\n2,b", "v,id\ny,2\nz,3", "id,v\n1,a\n2,y\n3,z", Result{Before: 2, Replaced: 1, Added: 1, Rows: 3}},
		{"new and missing columns", byID, "id,v\n1,a\n2,b", "id,w\n2,y\n3,z", "id,v,w\n1,a,\n2,,y\n3,,z", Result{Before: 2, Replaced: 1, Added: 1, Rows: 3}},
		{"new and missing columns without a key", keyless, "id,v\n1,a", "w,id\nx,1", "id,v,w\n1,a,\n1,,x", Result{Before: 1, Added: 1, Rows: 2}},
		{"a table that is not incremental", full, "id,v\n1,a", "id,v\n2,b", "id,v\n2,b", Result{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := room(t)
			if row.earlier != "" {
				put(t, d.Earlier, "b.t", quotedCSV(row.earlier))
				put(t, d.Earlier, "b.t.manifest", row.manifest)
			}
			put(t, d.Earlier, "b.other", "not this one")
			put(t, d.Tables, "b.t", quotedCSV(row.now))
			put(t, d.Tables, "b.t.manifest", row.manifest)
			var reports []Result
			if err := Tables(t.Context(), d, func(m Result) { reports = append(reports, m) }, nil); err != nil {
				t.Fatal(err)
			}
			if got := read(t, d.Tables, "b.t"); got != quotedCSV(row.want) {
				t.Errorf("got\n%swant\n%s", got, quotedCSV(row.want))
			}
			if got := read(t, d.Tables, "b.t.manifest"); got != row.manifest {
				t.Errorf("manifest %s", got)
			}
			var want []Result
			if row.report.Rows > 0 {
				row.report.Table = "b.t"
				_, cells, _ := strings.Cut(row.want, "\n")
				row.report.Bytes = int64(len(strings.NewReplacer(",", "", "\n", "").Replace(cells)))
				if row.manifest == byID {
					row.report.PrimaryKey = []string{"id"}
				}
				want = []Result{row.report}
			}
			if !reflect.DeepEqual(reports, want) {
				t.Errorf("reported %+v, want %+v", reports, want)
			}
			if left, err := os.ReadDir(d.Temp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if row.earlier != "" && read(t, d.Earlier, "b.t") != quotedCSV(row.earlier) {
				t.Error("the earlier table has changed")
			}
		})
	}
}

// TestTypes: the type of a column is one for the cells of both tables.
func TestTypes(t *testing.T) {
	column := func(name, kind string, nullable bool, more string) string {
		return fmt.Sprintf(`{"name":%q,"data_type":{"base":{"type":%q}},"nullable":%t%s}`, name, kind, nullable, more)
	}
	typed := func(columns ...string) string {
		return `{"incremental":true,"has_header":true,"schema":[` + strings.Join(columns, ",") + `]}`
	}
	key := `,"primary_key":true`
	id := column("id", "INTEGER", false, key)
	for _, row := range []struct{ name, earlierManifest, earlier, manifest, now, want string }{
		{"equal", typed(id, column("v", "INTEGER", false, "")), "id,v\n1,2", typed(id, column("v", "INTEGER", false, "")), "id,v\n3,4", typed(id, column("v", "INTEGER", false, ""))},
		{"numbers", typed(id, column("v", "INTEGER", false, "")), "id,v\n1,2", typed(id, column("v", "NUMERIC", true, "")), "id,v\n3,4.5", typed(id, column("v", "NUMERIC", true, ""))},
		{"text", typed(id, column("v", "BOOLEAN", false, "")), "id,v\n1,1", typed(id, column("v", "INTEGER", false, "")), "id,v\n3,4", typed(id, column("v", "STRING", false, ""))},
		{"a new column", typed(id), "id\n1", typed(id, column("v", "BOOLEAN", false, "")), "id,v\n3,1", typed(id, column("v", "BOOLEAN", true, ""))},
		{"no rows earlier", typed(column("id", "STRING", false, key), column("v", "STRING", true, "")), "id,v", typed(id, column("v", "INTEGER", false, "")), "id,v\n3,4", typed(id, column("v", "INTEGER", false, ""))},
		{"no types earlier", byID, "id,v\n1,2", typed(id, column("v", "INTEGER", false, "")), "id,v\n3,4", typed(column("id", "STRING", false, key), column("v", "STRING", true, ""))},
		{"no types now", typed(id), "id\n1", byID, "id\n2", byID},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := room(t)
			put(t, d.Earlier, "t", quotedCSV(row.earlier))
			put(t, d.Earlier, "t.manifest", row.earlierManifest)
			put(t, d.Tables, "t", quotedCSV(row.now))
			put(t, d.Tables, "t.manifest", row.manifest)
			if err := Tables(t.Context(), d, func(Result) {}, nil); err != nil {
				t.Fatal(err)
			}
			if got := read(t, d.Tables, "t.manifest"); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// TestRefused: what a person made of the earlier table.
func TestRefused(t *testing.T) {
	for _, row := range []struct{ name, file, text, want string }{
		{"a row with other cells", "t", "\"id\",\"v\"\n\"1\",\"a\nb\"\n\"2\"\n", `/earlier/t: line 4 has 1 cells, expected one for each of the 2 columns; restore the file, or run with --full to replace it`},
		{"a broken quote", "t", "id,v\n1,a\n2,\"b\n", `/earlier/t: line 3 opens an enclosure that is never closed`},
		{"no key", "t", "ID,v\n1,a\n", `/earlier/t: line 1 has no column "id", which the primary key needs`},
		{"a column twice", "t", "id,v,v\n1,a,b\n", `/earlier/t: line 1 has two columns named "v"`},
		{"an empty file", "t", "", `/earlier/t: line 1 is missing: the file is empty, a header is expected`},
		{"not UTF-8", "t", "id,v\n1,\xff\n", `/earlier/t: line `},
		{"another key", "t.manifest", `{"incremental":true,"primary_key":["v"]}`, `/earlier/t: its primary key is ["v"], that of this run is ["id"]; restore the file, or run with --full to replace it`},
		{"no key any more", "t.manifest", keyless, `/earlier/t: its primary key is none, that of this run is ["id"]`},
		{"a broken manifest", "t.manifest", `{`, `/earlier/t.manifest: not valid JSON: `},
		{"no manifest", "t.manifest", `[]`, `/earlier/t.manifest: found a JSON array, expected an object`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := room(t)
			put(t, d.Earlier, "t", quotedCSV("id,v\n1,a"))
			put(t, d.Earlier, "t.manifest", byID)
			put(t, d.Earlier, row.file, row.text)
			put(t, d.Tables, "t", quotedCSV("id,v\n1,b"))
			put(t, d.Tables, "t.manifest", byID)
			err := Tables(t.Context(), d, func(m Result) { t.Errorf("reported %+v", m) }, nil)
			if failure.KindOf(err) != failure.User || !strings.Contains(fmt.Sprint(err), "cannot merge into ") || !strings.Contains(fmt.Sprint(err), row.want) {
				t.Errorf("got  %v\nwant …%s", err, row.want)
			}
			if read(t, d.Earlier, row.file) != row.text || read(t, d.Tables, "t") != quotedCSV("id,v\n1,b") {
				t.Error("a file has changed")
			}
		})
	}
	t.Run("a directory", func(t *testing.T) {
		d := room(t)
		if err := os.Mkdir(filepath.Join(d.Earlier, "t"), 0o777); err != nil {
			t.Fatal(err)
		}
		put(t, d.Tables, "t", quotedCSV("id\n1"))
		put(t, d.Tables, "t.manifest", byID)
		err := Tables(t.Context(), d, func(Result) {}, nil)
		if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "it is not a file") {
			t.Error(err)
		}
	})
}

// TestOddManifest: what cannot be read as a whole is refused and not read.
func TestOddManifest(t *testing.T) {
	for _, row := range []struct {
		name, want string
		make       func(path string) error
	}{
		{"a directory", "/earlier/t.manifest: it is not a file", func(path string) error { return os.Mkdir(path, 0o777) }},
		{"a device", "/earlier/t.manifest: it is not a file", func(path string) error { return os.Symlink(os.DevNull, path) }},
		{"a huge file", "/earlier/t.manifest: it has 67108865 bytes, expected at most 67108864", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, maxManifest+1))
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := room(t)
			put(t, d.Earlier, "t", quotedCSV("id,v\n1,a"))
			if err := row.make(filepath.Join(d.Earlier, "t.manifest")); err != nil {
				t.Fatal(err)
			}
			put(t, d.Tables, "t", quotedCSV("id,v\n1,b"))
			put(t, d.Tables, "t.manifest", byID)
			err := Tables(t.Context(), d, func(m Result) { t.Errorf("reported %+v", m) }, nil)
			if failure.KindOf(err) != failure.User || !strings.Contains(fmt.Sprint(err), row.want) {
				t.Errorf("got  %v\nwant …%s", err, row.want)
			}
		})
	}
}

// TestPersonsTable: a table that somebody saved with another program is still one.
func TestPersonsTable(t *testing.T) {
	d := room(t)
	put(t, d.Earlier, "t", "\uFEFFv,id\r\na,1\r\n\"b \"\"c\"\"\n\",2\r\nd,3")
	put(t, d.Tables, "t", quotedCSV("id,v\n2,x\n3,y"))
	put(t, d.Tables, "t.manifest", byID)
	if err := Tables(t.Context(), d, func(Result) {}, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, d.Tables, "t"), quotedCSV("v,id\na,1\nx,2\ny,3"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestInterrupted(t *testing.T) {
	d := room(t)
	put(t, d.Earlier, "t", quotedCSV("id"+strings.Repeat("\n1", 5000)))
	put(t, d.Tables, "t", quotedCSV("id\n1"))
	put(t, d.Tables, "t.manifest", byID)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Tables(ctx, d, func(Result) {}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// data is a table in memory.
type data struct {
	columns []string
	rows    [][]string
}

// csv is the text of the table, with the quotes of another program occasionally.
func (d data) csv(random *rand.Rand) string {
	if random == nil || random.IntN(3) > 0 {
		text := csvtable.AppendRecord(nil, d.columns)
		for _, row := range d.rows {
			text = csvtable.AppendRecord(text, row)
		}
		return string(text)
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.WriteAll(append([][]string{d.columns}, d.rows...)) // a builder has no errors
	return text.String()
}

// model is the merged table by the simplest means: a map from keys to places.
func model(earlier *data, now data, key []string) data {
	var merged data
	tables := []data{now}
	if earlier != nil {
		tables = []data{*earlier, now}
	}
	for _, t := range tables {
		for _, column := range t.columns {
			if !slices.Contains(merged.columns, column) {
				merged.columns = append(merged.columns, column)
			}
		}
	}
	places := map[string]int{}
	for _, t := range tables {
		for _, row := range t.rows {
			cells, id := make([]string, len(merged.columns)), ""
			for i, column := range t.columns {
				cells[slices.Index(merged.columns, column)] = row[i]
			}
			for _, column := range key {
				id += fmt.Sprintf("%q,", cells[slices.Index(merged.columns, column)])
			}
			if place, ok := places[id]; ok && len(key) > 0 {
				merged.rows[place] = cells
				continue
			}
			places[id] = len(merged.rows)
			merged.rows = append(merged.rows, cells)
		}
	}
	return merged
}

// randomTable has columns k1 and k2, and some of v1 to v4, in any order.
func randomTable(random *rand.Rand, keys int) data {
	d := data{columns: []string{"k1", "k2"}}
	for i := range 4 {
		if random.IntN(3) > 0 {
			d.columns = append(d.columns, fmt.Sprintf("v%d", i))
		}
	}
	random.Shuffle(len(d.columns), func(i, j int) { d.columns[i], d.columns[j] = d.columns[j], d.columns[i] })
	texts := []string{"", "x", `"`, "a\"\"b", "c,d", "e\nf", "ž", strings.Repeat("long ", 50)}
	for range random.IntN(3 * keys) {
		row := make([]string, len(d.columns))
		for i, column := range d.columns {
			row[i] = texts[random.IntN(len(texts))]
			if column == "k1" {
				row[i] = fmt.Sprint(random.IntN(keys))
			}
		}
		d.rows = append(d.rows, row)
	}
	return d
}

// TestModel: random tables are merged as by a map in memory, several times in a row,
// with any memory.
func TestModel(t *testing.T) {
	for seed := range uint64(120) {
		random := rand.New(rand.NewPCG(seed, 1))
		key := [][]string{nil, {"k1"}, {"k1", "k2"}, {"k2", "k1"}}[random.IntN(4)]
		manifest := `{"incremental":true}`
		if key != nil {
			manifest = fmt.Sprintf(`{"incremental":true,"primary_key":["%s"]}`, strings.Join(key, `","`))
		}
		memory := []int{1, 500, extsort.Memory}[random.IntN(3)]
		var earlier *data
		for round := range 3 {
			d, now := room(t), randomTable(random, 1+random.IntN(60))
			if earlier != nil {
				put(t, d.Earlier, "t", earlier.csv(random))
				put(t, d.Earlier, "t.manifest", manifest)
			}
			put(t, d.Tables, "t", now.csv(nil))
			put(t, d.Tables, "t.manifest", manifest)
			want := model(earlier, now, key)
			m := merger{dirs: d, name: "t", memory: memory}
			var report Result
			if err := m.run(t.Context(), func(r Result) { report = r }, nil); err != nil {
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
			if got, wanted := read(t, d.Tables, "t"), want.csv(nil); got != wanted {
				t.Fatalf("seed %d, round %d, key %v:\n%.2000s\nwant\n%.2000s", seed, round, key, got, wanted)
			}
			if earlier != nil && (report.Rows != len(want.rows) || report.Before != len(earlier.rows)) {
				t.Fatalf("seed %d, round %d: reported %+v", seed, round, report)
			}
			earlier = &want
		}
	}
}

// FuzzEarlier: regardless of the earlier table, it is merged or refused by a user error,
// and what comes out is a table in which no key is there twice.
func FuzzEarlier(f *testing.F) {
	for _, text := range []string{"id,v\n1,a\n2,b\n1,c", "\"id\"\n\"1\"", "", "v,id\r\n\"\"\"\",1\r\n", "\uFEFFid\n\n\n", "id,id\n", "id\n\"a\nb\"x"} {
		f.Add(text, byID)
	}
	f.Add("id\n1", `{"primary_key":[1],"schema":[{},1]}`)
	f.Fuzz(func(t *testing.T, earlier, manifest string) {
		d := room(t)
		put(t, d.Earlier, "t", earlier)
		put(t, d.Earlier, "t.manifest", manifest)
		put(t, d.Tables, "t", quotedCSV("id,v\n1,x\n9,y"))
		put(t, d.Tables, "t.manifest", byID)
		var report Result
		if err := Tables(t.Context(), d, func(m Result) { report = m }, nil); err != nil {
			if failure.KindOf(err) != failure.User {
				t.Errorf("no user error: %v", err)
			}
			return
		}
		r := csvtable.NewReader(strings.NewReader(read(t, d.Tables, "t")), ',', `"`)
		header, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		id, seen, rows := slices.Index(header, "id"), map[string]bool{}, 0
		for {
			cells, err := r.Read()
			if err != nil {
				break
			}
			if seen[cells[id]] {
				t.Errorf("the key %q is there twice", cells[id])
			}
			seen[cells[id]] = true
			rows++
		}
		if rows != report.Rows || !seen["1"] || !seen["9"] {
			t.Errorf("%d rows, reported %+v", rows, report)
		}
	})
}

// TestProgress: a table with a primary key is read twice.
func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name, manifest string
		want           []int
	}{
		{"by a key", byID, []int{1024, 2048, 3072, 4096}},
		{"without a key", keyless, []int{1024, 2048}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := room(t)
			put(t, d.Earlier, "t", quotedCSV("id"+strings.Repeat("\n1", 2100)))
			put(t, d.Tables, "t", quotedCSV("id\n1"))
			put(t, d.Tables, "t.manifest", tt.manifest)
			var got []int
			err := Tables(t.Context(), d, func(Result) {}, func(table string, rows int) {
				if table != "t" {
					t.Errorf("table %q", table)
				}
				got = append(got, rows)
			})
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
