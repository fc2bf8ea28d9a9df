package mapping

import (
	"context"
	csvtext "encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

// typedManifest is a manifest as far as these tests are concerned.
type typedManifest struct {
	HasHeader  bool            `json:"has_header"`
	PrimaryKey []string        `json:"primary_key"`
	Schema     []typedColumn   `json:"schema"`
	Columns    json.RawMessage `json:"columns"`
}

type typedColumn struct {
	Name     string `json:"name"`
	DataType struct {
		Base struct {
			Type string `json:"type"`
		} `json:"base"`
	} `json:"data_type"`
	Nullable   *bool `json:"nullable"`
	PrimaryKey bool  `json:"primary_key"`
}

// String is name and type, "?" for a column that may be null, "*" for one of
// the key.
func (c typedColumn) String() string {
	text := c.Name + " " + c.DataType.Base.Type
	if *c.Nullable {
		text += "?"
	}
	if c.PrimaryKey {
		text += "*"
	}
	return text
}

// typedFiles are all files of a typed or untyped run with these mappings. Without
// any, all tables are automatic.
func typedFiles(t *testing.T, typed bool, mappings string, pages ...page) (map[string]string, error) {
	t.Helper()
	var problems failure.Problems
	var m Mappings
	if mappings != "" {
		m = CompileMappings(field.NewSection(testvalue.Parse(t, mappings), "/config/mappings", &problems), typed, false)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	c := newMapper(t, m)
	c.automatic.typed = typed
	if err := c.add(t, pages...); err != nil {
		t.Fatal(err)
	}
	return c.finish(t)
}

// checkSchemas compares the columns of typed tables.
func checkSchemas(t *testing.T, files, want map[string]string) {
	t.Helper()
	if len(files) != 2*len(want) {
		t.Errorf("%d files for %d tables", len(files), len(want))
	}
	for name, columns := range want {
		var got []string
		for _, c := range readManifest(t, files[name+".manifest"]).Schema {
			got = append(got, c.String())
		}
		if strings.Join(got, ", ") != columns {
			t.Errorf("table %s:\ngot  %s\nwant %s", name, strings.Join(got, ", "), columns)
		}
		header := records(t, files[name])[0]
		for i, column := range got {
			if len(header) != len(got) || !strings.HasPrefix(column, header[i]+" ") {
				t.Errorf("table %s: header %v, schema %v", name, header, got)
			}
		}
	}
}

func readManifest(t *testing.T, text string) typedManifest {
	t.Helper()
	var m typedManifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if !m.HasHeader || m.PrimaryKey != nil || m.Columns != nil || len(m.Schema) == 0 {
		t.Fatalf("not the typed form: %s", text)
	}
	return m
}

func records(t *testing.T, text string) [][]string {
	t.Helper()
	all, err := csvtext.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTypesOfAutomaticTables(t *testing.T) {
	column := func(values ...string) page {
		p := page{dataType: "t"}
		for _, v := range values {
			if v == "" {
				p.rows = append(p.rows, `{}`)
			} else {
				p.rows = append(p.rows, `{"v":`+v+`}`)
			}
		}
		return p
	}
	rows := []struct {
		name  string
		pages []page
		want  map[string]string
	}{
		{"integers", []page{column(`1`, `-2`, `-0`)}, map[string]string{"t": "v INTEGER"}},
		{"bounds of 64 bits", []page{column(`9223372036854775807`, `-9223372036854775808`)}, map[string]string{"t": "v INTEGER"}},
		{"one above", []page{column(`9223372036854775808`)}, map[string]string{"t": "v NUMERIC"}},
		{"one below", []page{column(`-9223372036854775809`)}, map[string]string{"t": "v NUMERIC"}},
		{"a point makes no integer", []page{column(`1.0`)}, map[string]string{"t": "v NUMERIC"}},
		{"an exponent makes no integer", []page{column(`1e2`)}, map[string]string{"t": "v NUMERIC"}},
		{"integers and numbers", []page{column(`1`), column(`2.5`)}, map[string]string{"t": "v NUMERIC"}},
		{"29 digits", []page{column(`99999999999999900000000000000`)}, map[string]string{"t": "v NUMERIC"}},
		{"30 digits", []page{column(`100000000000000000000000000000`)}, map[string]string{"t": "v STRING"}},
		{"beyond every number", []page{column(`1e400`, `-1e400`, `1`)}, map[string]string{"t": "v STRING"}},
		{"almost nothing", []page{column(`1e-400`)}, map[string]string{"t": "v NUMERIC"}},
		{"true", []page{column(`true`)}, map[string]string{"t": "v BOOLEAN"}},
		{"false is an empty cell", []page{column(`true`, `false`)}, map[string]string{"t": "v BOOLEAN?"}},
		{"texts, empty ones too", []page{column(`"a"`, `""`, `"1"`)}, map[string]string{"t": "v STRING?"}},
		{"a text among integers", []page{column(`1`, `"2"`)}, map[string]string{"t": "v STRING"}},
		{"a boolean among integers", []page{column(`1`, `true`)}, map[string]string{"t": "v STRING"}},
		{"null", []page{column(`1`, `null`)}, map[string]string{"t": "v INTEGER?"}},
		{"absent", []page{column(`1.5`, ``)}, map[string]string{"t": "v NUMERIC?"}},
		{"absent on the first page", []page{rowsOf(`{"id":1}`), rowsOf(`{"v":2,"id":2}`)}, map[string]string{"t": "id INTEGER, v INTEGER?"}},
		{"never a value", []page{column(`null`)}, map[string]string{"t": "v STRING?"}},
		{"rows that are scalars", []page{rowsOf(`1`, `2`)}, map[string]string{"t": "data INTEGER"}},
		{"rows that are lists", []page{rowsOf(`[1]`)}, map[string]string{"t": "data STRING"}},
		{"an object that is null somewhere", []page{rowsOf(`{"o":{"x":1}}`, `{"o":null}`)}, map[string]string{"t": "o_x INTEGER?"}},
		{"lists", []page{rowsOf(`{"id":1,"l":[1,2]}`, `{"id":2,"l":[null,true]}`)},
			map[string]string{"t": "id INTEGER, l STRING", "t_l": "data STRING?, JSON_parentId STRING"}},
		{"no list, or an empty one", []page{rowsOf(`{"l":[{"a":1.5}]}`, `{"l":[]}`)},
			map[string]string{"t": "l STRING?", "t_l": "a NUMERIC, JSON_parentId STRING"}},
		{"a list in a list", []page{rowsOf(`{"l":[{"m":[true]},{"m":[true]}]}`)},
			map[string]string{"t": "l STRING", "t_l": "m STRING, JSON_parentId STRING", "t_l_m": "data BOOLEAN, JSON_parentId STRING"}},
		{"a single value beside a list of them", []page{rowsOf(`{"l":[1]}`, `{"l":2}`)},
			map[string]string{"t": "l STRING", "t_l": "data INTEGER, JSON_parentId STRING"}},
		{"user and parent columns", []page{{dataType: "t", columns: `{"n":1,"s":"x","b":true,"z":null,"o":{"a":1}}`, rows: []string{`{"id":1}`}}},
			map[string]string{"t": "id INTEGER, n INTEGER, s STRING, b BOOLEAN, z STRING?, o STRING"}},
		{"a user column of some pages", []page{{dataType: "t", columns: `{"n":1}`, rows: []string{`{"id":1}`}}, rowsOf(`{"id":2}`)},
			map[string]string{"t": "id INTEGER, n INTEGER?"}},
		{"two data types in one file", []page{{dataType: "a.b", rows: []string{`{"x":1,"y":1}`}}, {dataType: "a b", rows: []string{`{"x":1.5}`}}},
			map[string]string{"a_b": "x NUMERIC, y INTEGER?"}},
		{"names", []page{rowsOf(`{"first-name":"a","oid":1,"_timestamp":"x"}`)},
			map[string]string{"t": "first_name STRING, oid_ INTEGER, timestamp STRING"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			files, err := typedFiles(t, true, "", row.pages...)
			if err != nil {
				t.Fatal(err)
			}
			checkSchemas(t, files, row.want)
		})
	}
}

func TestTypesOfConfiguredTables(t *testing.T) {
	rows := []struct {
		name, mappings string
		pages          []page
		want           map[string]string
	}{
		{"columns", `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"n":"n","b":"b","s":"s"}}`,
			[]page{rowsOf(`{"id":1,"n":1.5,"b":true,"s":"x"}`, `{"id":2,"n":1,"b":false}`)},
			map[string]string{"t": "id INTEGER*, n NUMERIC, b BOOLEAN?, s STRING?"}},
		{"a key that is null", `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}}}}`,
			[]page{rowsOf(`{"id":1}`, `{"id":null}`)}, map[string]string{"t": "id INTEGER?*"}},
		{"a key that is false", `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}}}}`,
			[]page{rowsOf(`{"id":true}`, `{"id":false}`)}, map[string]string{"t": "id STRING*"}},
		{"JSON text", `{"t":{"o":{"type":"column","forceType":true,"mapping":{"destination":"o"}}}}`,
			[]page{rowsOf(`{"o":[1]}`)}, map[string]string{"t": "o STRING"}},
		{"a scalar where JSON text may be", `{"t":{"o":{"type":"column","forceType":true,"mapping":{"destination":"o"}}}}`,
			[]page{rowsOf(`{"o":1}`)}, map[string]string{"t": "o INTEGER"}},
		{"user and parent columns", `{"t":{"id":"id","n":{"type":"user","mapping":{"destination":"n"}},"z":{"type":"user","mapping":{"destination":"z"}}}}`,
			[]page{{dataType: "t", columns: `{"n":7}`, rows: []string{`{"id":"a"}`}}},
			map[string]string{"t": "id STRING, n INTEGER, z STRING?"}},
		{"without rows", `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"n":"n"}}`, nil,
			map[string]string{"t": "id STRING*, n STRING?"}},
		{"child table with a generated key", `{"t":{"id":"id","l":{"type":"table","destination":"c","tableMapping":{"x":"x"}}}}`,
			[]page{rowsOf(`{"id":1,"l":[{"x":1},{"x":2}]}`, `{"id":2}`)},
			map[string]string{"t": "id INTEGER, c STRING?", "c": "x INTEGER, t_pk STRING"}},
		{"child table that refers to the key", `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"l":{"type":"table","destination":"c","tableMapping":{"x":"x"}}}}`,
			[]page{rowsOf(`{"id":1,"l":[{"x":1}]}`)},
			map[string]string{"t": "id INTEGER*", "c": "x INTEGER, t_pk INTEGER"}},
		{"child table that refers to a key of two columns", `{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"k":{"mapping":{"destination":"k","primaryKey":true}},"l":{"type":"table","destination":"c","tableMapping":{"x":"x"},"parentKey":{"primaryKey":true}}}}`,
			[]page{rowsOf(`{"id":1,"k":2,"l":[{"x":1}]}`)},
			map[string]string{"t": "id INTEGER*, k INTEGER*", "c": "x INTEGER, t_pk STRING*"}},
		{"names", `{"t-u":{"id":{"mapping":{"destination":"Größe (cm)","primaryKey":true}},"o":"oid","l":{"type":"table","destination":"c","tableMapping":{"x":"x-y"}}}}`,
			[]page{{dataType: "t-u", rows: []string{`{"id":1,"o":2,"l":{"x":3}}`}}},
			map[string]string{"t-u": "Grosse_cm INTEGER*, oid_ INTEGER", "c": "x_y INTEGER, t_u_pk INTEGER"}},
		{"its own child", `{"t":{"id":"id","sub":{"type":"table","destination":"t","parentKey":{"disable":true}}}}`,
			[]page{rowsOf(`{"id":1,"sub":[{"id":2.5},{}]}`)}, map[string]string{"t": "id NUMERIC?"}},
		{"a mapping and an automatic table", `{"t":{"id":"id"}}`,
			[]page{rowsOf(`{"id":1}`), {dataType: "t:", rows: []string{`{"id":"a"}`}}}, map[string]string{"t": "id STRING"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			files, err := typedFiles(t, true, row.mappings, row.pages...)
			if err != nil {
				t.Fatal(err)
			}
			checkSchemas(t, files, row.want)
		})
	}
}

func TestNamesThatTypedTablesRefuse(t *testing.T) {
	rows := []struct {
		name, mappings string
		page           page
		want           string
	}{
		{"reserved", `{"t":{"a":"_Timestamp"}}`, page{}, `/config/mappings/t/a: expected another name: column "_Timestamp" is reserved`},
		{"nothing left", `{"t":{"a":"日本"}}`, page{}, `/config/mappings/t/a: expected another name: column "日本" cannot be stored`},
		{"two columns", `{"t":{"a":"a b","b":"a-b"}}`, page{},
			`/config/mappings/t/b: expected another name for the column "a-b": table "t" already has the column "a b", and both would be stored under one name`},
		{"a column and the link", `{"t":{"l":{"type":"table","destination":"c","tableMapping":{"x":"t-pk"}}}}`, page{},
			`the column "t_pk": table "c" already has the column "t-pk", and both would be stored under one name`},
		{"two links", `{"t":{"a":{"type":"table","destination":"c-d","tableMapping":{"x":"x"}},"b":{"type":"table","destination":"c_d","tableMapping":{"x":"x"}}}}`, page{},
			`the column "c_d": table "t" already has the column "c-d"`},
		{"reserved link", `{"t":{"l":{"type":"table","destination":"c","tableMapping":{"x":"x"},"parentKey":{"destination":"_timestamp"}}}}`, page{},
			`/config/mappings/t/l: expected another name: column "_timestamp" is reserved`},
		{"two automatic columns", "", rowsOf(`{"a-b":1,"a_b":2}`),
			`data type "t": the columns "a-b" and "a_b" of table "t" would both be stored as "a_b"`},
		{"automatic column without a name", "", rowsOf(`{"日本":1}`), `data type "t": column "" cannot be stored`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var pages []page
			if row.page.rows != nil {
				pages = append(pages, row.page)
			}
			if _, err := typedFiles(t, false, row.mappings, pages...); err != nil {
				t.Errorf("untyped: %v", err)
			}
			_, err := typedFiles(t, true, row.mappings, pages...)
			if err == nil || !strings.Contains(err.Error(), row.want) || failure.KindOf(err) != failure.User {
				t.Errorf("got  %v\nwant %s", err, row.want)
			}
		})
	}
}

// TestTypesOfIterations lets two collectors of one bucket write the same table.
func TestTypesOfIterations(t *testing.T) {
	dir := t.TempDir()
	set := csvtable.NewSet(dir, "")
	for _, row := range []string{`{"id":1}`, `{"id":0.5}`, `{"id":null}`} {
		c := newCollector(t, "")
		c.typed = true
		if err := c.add(t, rowsOf(row)); err != nil {
			t.Fatal(err)
		}
		if err := c.Write(context.Background(), set, Defaults{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := set.Close(); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range []string{"t", "t.manifest"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	checkSchemas(t, files, map[string]string{"t": "id NUMERIC?"})
}
