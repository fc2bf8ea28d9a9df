package tableload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// bench is a data directory and a store.
type bench struct {
	Options
	store  *store.Store
	events []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "store"), func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{store: s}
	b.Options = Options{
		Store: s, Dir: t.TempDir(), Component: "keboola.ex_api", Config: "12", Job: "7", DataTypes: NoTypes,
		Table: func(text string) { b.events = append(b.events, text) },
		Warn:  func(text string) { b.events = append(b.events, "warning: "+text) },
	}
	return b
}

// write makes the files of out/tables; a name with a slash is a slice.
func (b *bench) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(b.Dir, "out", "tables", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) mapping(t *testing.T, output string) {
	t.Helper()
	v, err := value.Parse([]byte(`{"output":` + output + `}`))
	if err != nil {
		t.Fatal(err)
	}
	b.Storage = v
}

// text is a table as a line: columns with the type and "?" where nullable, a
// star for the key, and the rows.
func (b *bench) text(t *testing.T, tb store.Table) string {
	t.Helper()
	var parts []string
	for _, c := range tb.Columns {
		name := c.Name
		for _, key := range tb.PrimaryKey {
			if key == c.Name {
				name += "*"
			}
		}
		if c.Type != "" {
			name += ":" + c.Type
		}
		if c.Nullable {
			name += "?"
		}
		parts = append(parts, name)
	}
	lines := []string{tb.ID + " " + strings.Join(parts, ",")}
	if err := b.store.Rows(tb.ID, func(cells []string) bool {
		lines = append(lines, strings.Join(cells, ","))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "|")
}

const schema = `"schema":[{"name":"id","data_type":{"base":{"type":"INTEGER"}},"nullable":false,"primary_key":true},{"name":"at","data_type":{"base":{"type":"DATE"}},"metadata":{"k":"v"}}]`

func TestLoad(t *testing.T) {
	const bucket = "in.c-keboola-ex-api-12"
	for _, row := range []struct {
		name    string
		files   map[string]string
		mapping string
		types   string
		want    []string
	}{
		{"a header", map[string]string{"t.csv": "a,b\n1,2\n"}, "", "", []string{bucket + ".t a,b|1,2"}},
		{"no tables", nil, "", "", nil},
		{"columns of the manifest", map[string]string{"t": "1,2\n", "t.manifest": `{"columns":["a","b"]}`}, "", "", []string{bucket + ".t a,b|1,2"}},
		{"columns and a header", map[string]string{"t": "x,y\n1,2\n", "t.manifest": `{"columns":["a","b"],"has_header":true}`}, "", "", []string{bucket + ".t a,b|1,2"}},
		{"a header is needed without columns", map[string]string{"t": "x,y\n1,2\n", "t.manifest": `{"has_header":true}`}, "", "", []string{bucket + ".t x,y|1,2"}},
		{"an empty file with columns", map[string]string{"t": "", "t.manifest": `{"columns":["a"],"has_header":true}`}, "", "", []string{bucket + ".t a"}},
		{"delimiter and enclosure", map[string]string{"t": "a\tb\n'1\t2'\t3\n", "t.manifest": `{"delimiter":"\t","enclosure":"'"}`}, "", "", []string{bucket + ".t a,b|1\t2,3"}},
		{"slices in their order", map[string]string{"t/b": "2\n", "t/a": "1\n", "t.manifest": `{"columns":["a"]}`}, "", "", []string{bucket + ".t a|1|2"}},
		{"no slices", map[string]string{"t/.keep": "", "t.manifest": `{"columns":["a"]}`}, "", "", []string{bucket + ".t a"}},
		{"in the order of the names", map[string]string{"b": "x\n", "a": "x\n", "C": "x\n"}, "", "", []string{bucket + ".C x", bucket + ".a x", bucket + ".b x"}},
		{"a full destination", map[string]string{"t": "a\n", "t.manifest": `{"destination":"out.c-own.name"}`}, `{"default_bucket":"in.c-default"}`, "", []string{"out.c-own.name a"}},
		{"the name in the manifest", map[string]string{"t.csv": "a\n", "t.csv.manifest": `{"destination":"other"}`}, "", "", []string{bucket + ".other a"}},
		{"another default bucket", map[string]string{"t": "a\n"}, `{"default_bucket":"out.c-x"}`, "", []string{"out.c-x.t a"}},
		{"the primary key", map[string]string{"t": "a,b\n1,x\n1,y\n", "t.manifest": `{"primary_key":[" a ","a"]}`}, "", "", []string{bucket + ".t a*,b|1,y"}},
		{"stored names", map[string]string{"t": "1,2,3\n", "t.manifest": `{"columns":["příliš - žluť","_x_","ctid"],"primary_key":["_x_"]}`}, "", "", []string{bucket + ".t prilis_zlut,x*,ctid_|1,2,3"}},
		{"empty objects of another language", map[string]string{"t": "a\n", "t.manifest": `{"column_metadata":[],"metadata":{},"destination":null}`}, `[]`, "", []string{bucket + ".t a"}},
		{"the mapping wins", map[string]string{"t": "a,b\n1,2\n", "t.manifest": `{"destination":"in.c-m.t","primary_key":["a"],"incremental":true}`},
			`{"tables":[{"source":"t","destination":"in.c-x.y","primary_key":["b"],"incremental":false}]}`, "", []string{"in.c-x.y a,b*|1,2"}},
		{"defaults of the mapping do not win", map[string]string{"t": "a;b\n'1';2\n", "t.manifest": `{"delimiter":";","enclosure":"'","primary_key":["a"]}`},
			`{"tables":[{"source":"t","destination":"in.c-x.y","delimiter":",","enclosure":"\"","primary_key":[]}]}`, "", []string{"in.c-x.y a*,b|1,2"}},
		{"one file, two destinations", map[string]string{"t": "a\n1\n"}, `{"tables":[{"source":"t","destination":"in.c-x.y"},{"source":"t","destination":"in.c-x.z"}]}`, "", []string{"in.c-x.y a|1", "in.c-x.z a|1"}},
		{"a schema without support is ignored", map[string]string{"t": "x,y\n1,2\n", "t.manifest": `{"has_header":true,` + schema + `}`}, "", NoTypes, []string{bucket + ".t x,y|1,2"}},
		{"a schema as hints", map[string]string{"t": "1,no date\n", "t.manifest": `{` + schema + `}`}, "", Hints, []string{bucket + ".t id*:INTEGER,at:DATE?|1,no date"}},
		{"a schema that counts", map[string]string{"t": "x,y\n1,\n2,2026-01-02\n", "t.manifest": `{"has_header":true,` + schema + `}`}, "", Authoritative, []string{bucket + ".t id*:INTEGER,at:DATE?|1,|2,2026-01-02"}},
		{"schemas are merged", map[string]string{"t": "1,x\n", "t.manifest": `{` + schema + `}`},
			`{"tables":[{"source":"t","destination":"in.c-x.y","schema":[{"name":"at","primary_key":true,"data_type":{"base":{"type":"STRING"}}}]}]}`, Authoritative, []string{"in.c-x.y id*:INTEGER,at*:STRING|1,x"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBench(t)
			b.write(t, row.files)
			if row.mapping != "" {
				b.mapping(t, row.mapping)
			}
			b.DataTypes = cmp.Or(row.types, NoTypes)
			tables, err := Load(context.Background(), b.Options)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tb := range tables {
				got = append(got, b.text(t, tb))
				if tb.Job != "7" {
					t.Errorf("job %q", tb.Job)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestNothingIsLoadedBeforeAllIsChecked(t *testing.T) {
	b := newBench(t)
	b.write(t, map[string]string{"a": "x\n", "b": "x\n", "b.manifest": `{"x":1}`})
	if _, err := Load(context.Background(), b.Options); err == nil || len(b.events) != 0 {
		t.Errorf("%v, %v", err, b.events)
	}
	b = newBench(t)
	b.write(t, map[string]string{"a": "x\n1\n", "b": "x\n1,2\n", "c": "x\n"})
	loaded, err := Load(context.Background(), b.Options)
	if err == nil || len(loaded) != 1 || fmt.Sprintf("%q", b.events) != `["Loading table \"a\"" "Loading table \"b\""]` {
		t.Errorf("%v, %v, %v", loaded, err, b.events)
	}
}

func TestWarnings(t *testing.T) {
	b := newBench(t)
	b.Config = ""
	b.write(t, map[string]string{"in.c-x.t.csv": "a\n", "in.c-x.t.csv.manifest": `{"primary_key":["a",""],"delete_where_column":"a","delete_where_values":["1"]}`})
	if _, err := Load(context.Background(), b.Options); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`warning: Table "in.c-x.t.csv": taking the destination from the file name is deprecated, name it in the manifest`,
		`warning: Found empty column name in the primary key of table "in.c-x.t.csv"`,
		`warning: Table "in.c-x.t.csv": rows chosen by delete_where are not deleted here`,
		`Loading table "in.c-x.t.csv"`,
	}
	if fmt.Sprintf("%q", b.events) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q", b.events)
	}
	b.write(t, map[string]string{"t": "a\n"})
	_, err := Load(context.Background(), b.Options)
	if err == nil || err.Error() != `Failed to resolve destination for output table "t".` {
		t.Errorf("without a configuration: %v", err)
	}
}

func TestFailedRun(t *testing.T) {
	b := newBench(t)
	b.Failed = true
	b.write(t, map[string]string{"a": "x\n1\n", "b": "y\n2\n", "b.manifest": `{"write_always":true}`, "c": "broken\"", "c.manifest": "{", "d.manifest": "{}"})
	loaded, err := Load(context.Background(), b.Options)
	if err != nil || len(loaded) != 1 || loaded[0].Name != "b" {
		t.Errorf("%v, %v", loaded, err)
	}
}

func TestMetadata(t *testing.T) {
	for _, row := range []struct{ name, manifest, types, want string }{
		{"older form", `{"metadata":[{"key":"k","value":1}],"column_metadata":{"b b":[{"key":"x","value":"y"}]},"columns":["b b"]}`, "", `[k=1] b_b [x=y]`},
		{"newer form", `{"description":"D","table_metadata":{"k":"v"},"schema":[{"name":"a","description":"C","metadata":{"x":true}}]}`, Hints, `[KBC.description=D k=v] a [KBC.description=C x=true]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBench(t)
			b.DataTypes = cmp.Or(row.types, NoTypes)
			b.write(t, map[string]string{"t": "1\n", "t.manifest": row.manifest})
			loaded, err := Load(context.Background(), b.Options)
			if err != nil {
				t.Fatal(err)
			}
			own, columns, err := b.store.TableMetadata(loaded[0].ID)
			got := fmt.Sprint(pairs(own))
			for name, list := range columns {
				got += " " + name + " " + fmt.Sprint(pairs(list))
			}
			if err != nil || got != row.want {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// pairs are the keys and values of metadata.
func pairs(list []store.Metadata) (pairs []string) {
	for _, m := range list {
		pairs = append(pairs, m.Key+"="+m.Value)
	}
	return pairs
}

func TestLoadIsIncremental(t *testing.T) {
	b := newBench(t)
	for _, text := range []string{"id,v\n1,a\n2,b\n", "id,v\n2,c\n3,d\n"} {
		b.write(t, map[string]string{"t": text, "t.manifest": `{"incremental":true,"primary_key":["id"]}`})
		if _, err := Load(context.Background(), b.Options); err != nil {
			t.Fatal(err)
		}
	}
	tb, err := b.store.Table("in.c-keboola-ex-api-12.t")
	if got := b.text(t, tb); err != nil || !strings.HasSuffix(got, "id*,v|1,a|2,c|3,d") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	b.write(t, map[string]string{"t": "a\n" + strings.Repeat("1\n", 20)})
	ctx, cancel := context.WithCancel(context.Background())
	b.Table = func(string) { cancel() }
	loaded, err := Load(ctx, b.Options)
	if !errors.Is(err, context.Canceled) || len(loaded) != 0 || failure.KindOf(err) == failure.User {
		t.Errorf("%v, %v", loaded, err)
	}
}

// TestComponentTables loads what the component's own writer makes, in both forms
// of the manifest.
func TestComponentTables(t *testing.T) {
	for _, row := range []struct {
		name  string
		typed bool
		types string
		want  string
	}{
		{"older form", false, NoTypes, "in.c-shop.users id*,name|1,Ann \"A\"\nB|2,"},
		{"typed", true, Authoritative, "in.c-shop.users id*:INTEGER,name:STRING?|1,Ann \"A\"\nB|2,"},
		{"typed, as hints", true, Hints, "in.c-shop.users id*:INTEGER,name:STRING?|1,Ann \"A\"\nB|2,"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBench(t)
			b.DataTypes = cmp.Or(row.types, NoTypes)
			b.write(t, nil)
			dir := filepath.Join(b.Dir, "out", "tables")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			w, err := csvtable.NewSet(dir, "").Create(csvtable.Table{Name: "users", Bucket: "shop", Columns: []string{"id", "name"}, PrimaryKey: []string{"id"}, Typed: row.typed})
			if err != nil {
				t.Fatal(err)
			}
			kinds := []csvtable.Kind{csvtable.Integer, csvtable.Text}
			if err := errors.Join(w.Row([][]byte{[]byte("1"), []byte("Ann \"A\"\nB")}, kinds), w.Row([][]byte{[]byte("2"), nil}, kinds), w.Close()); err != nil {
				t.Fatal(err)
			}
			loaded, err := Load(context.Background(), b.Options)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.text(t, loaded[0]); got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}
