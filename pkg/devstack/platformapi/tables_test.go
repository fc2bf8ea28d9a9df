package platformapi_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// rowsOf gives rows to a load, one after the other.
func rowsOf(rows ...[]string) func() ([]string, error) {
	return func() ([]string, error) {
		if len(rows) == 0 {
			return nil, io.EOF
		}
		row := rows[0]
		rows = rows[1:]
		return row, nil
	}
}

func (w *world) load(l store.Load) {
	w.t.Helper()
	if _, err := w.store.Load(context.Background(), l); err != nil {
		w.t.Fatal(err)
	}
}

func TestBuckets(t *testing.T) {
	w := newWorld(t)
	const buckets = "/v2/storage/branch/1/buckets"
	bucket := func(id, stage, name, display, change, sums string) string {
		return `{"id":"` + id + `","name":"` + name + `","stage":"` + stage + `","displayName":"` + display + `","description":"","uri":"http://HOST/v2/storage/buckets/` + id +
			`","created":"2026-03-04T05:06:07+0000","lastChangeDate":` + change + `,"isReadOnly":false,"backend":"local",` + sums +
			`,"idBranch":1,"isMaintenance":false,"sharing":null,"color":null,"attributes":[],"tables":"http://HOST/v2/storage/buckets/` + id + `/tables"}`
	}
	const empty = `"rowsCount":0,"dataSizeBytes":0`
	shop := bucket("in.c-shop", "in", "c-shop", "shop", "null", empty)
	mine := bucket("out.c-my_b-1", "out", "c-my_b-1", "Mine", "null", empty)
	const wrong = `"name" must be 1 to 94 letters, digits, "_" and "-"`
	w.run(t, []step{
		{"none", "GET", buckets, "", "", 200, "[]"},
		{"JSON", "POST", buckets, asJSON, `{"name":"shop","stage":"in","backend":"snowflake"}`, 201, shop},
		{"form", "POST", "/v2/storage/buckets", form, "name=my_b-1&stage=out&displayName=Mine", 201, mine},
		{"taken", "POST", buckets, asJSON, `{"name":"shop","stage":"in"}`, 400, storageError(`Bucket "in.c-shop" already exists`, "bucketAlreadyExists")},
		{"no stage", "POST", buckets, asJSON, `{"name":"shop"}`, 400, storageError(`Bucket "in.c-shop" already exists`, "bucketAlreadyExists")},
		{"odd stage", "POST", buckets, asJSON, `{"name":"shop","stage":"sys"}`, 400, storageError(`"stage" must be "in" or "out"`, "validation")},
		{"odd display name", "POST", buckets, asJSON, `{"name":"n","displayName":"$"}`, 400,
			storageError(`"displayName" must be 1 to 96 letters, digits, "_" and "-"`, "validation")},
		{"no name", "POST", buckets, asJSON, `{"stage":"in"}`, 400, storageError(wrong, "validation")},
		{"dot", "POST", buckets, asJSON, `{"stage":"in","name":"a.b"}`, 400, storageError(wrong, "validation")},
		{"long name", "POST", buckets, asJSON, `{"stage":"in","name":"` + strings.Repeat("x", 95) + `"}`, 400, storageError(wrong, "validation")},
		{"odd name", "POST", buckets, asJSON, `{"stage":"in","name":["a"]}`, 400, storageError(`"name" must be a string, not an array`, "validation")},
		{"list", "GET", buckets, "", "", 200, "[" + shop + "," + mine + "]"},
		{"detail", "GET", buckets + "/out.c-my_b-1", "", "", 200, strings.Replace(mine, `"tables":"http://HOST/v2/storage/buckets/out.c-my_b-1/tables"`, `"tables":[]`, 1)},
		{"unknown", "GET", buckets + "/in.c-x", "", "", 404, storageError(`Bucket "in.c-x" not found`, "storage.buckets.notFound")},
		{"no tables", "GET", buckets + "/in.c-shop/tables", "", "", 200, "[]"},
		{"tables of nothing", "GET", buckets + "/in/tables", "", "", 404, storageError(`Bucket "in" not found`, "storage.buckets.notFound")},
	})
	w.clock.Add(1)
	w.load(store.Load{Table: "in.c-shop.a", Columns: []store.Column{{Name: "id"}}, Next: rowsOf([]string{"1"}, []string{"23"})})
	w.load(store.Load{Table: "in.c-shop.b", Columns: []store.Column{{Name: "id"}}, Next: rowsOf([]string{"456"})})
	filled := bucket("in.c-shop", "in", "c-shop", "shop", `"2026-03-04T05:06:08+0000"`, `"rowsCount":3,"dataSizeBytes":6`)
	w.run(t, []step{{"sums in the list", "GET", buckets, "", "", 200, "[" + filled + "," + mine + "]"}})
	detail := w.must("GET", buckets+"/in.c-shop", "", 200)
	tables, _ := detail["tables"].([]any)
	if len(tables) != 2 || detail["rowsCount"] != 3.0 || detail["dataSizeBytes"] != 6.0 || tables[0].(map[string]any)["id"] != "in.c-shop.a" {
		t.Errorf("the bucket is %v", detail)
	}
}

func TestTypedTable(t *testing.T) {
	w := newWorld(t)
	w.load(store.Load{
		Table: "in.c-typed.t", PrimaryKey: []string{"id"}, Typed: true,
		Columns: []store.Column{{Name: "id", Type: "INTEGER"}, {Name: "price", Type: "NUMERIC", Length: "12,2", Nullable: true}, {Name: "rate", Type: "FLOAT", Nullable: true}, {Name: "at", Type: "TIMESTAMP", Nullable: true}, {Name: "s", Type: "STRING", Nullable: true}},
		Next:    rowsOf(),
	})
	typed := w.call("GET", "/v2/storage/tables/in.c-typed.t", "", "")
	const definition = `"isTyped":true,"definition":{"primaryKeysNames":["id"],"columns":[` +
		`{"name":"id","definition":{"type":"NUMBER","nullable":false,"length":"38,0"},"basetype":"INTEGER","canBeFiltered":true},` +
		`{"name":"price","definition":{"type":"NUMBER","nullable":true,"length":"12,2"},"basetype":"NUMERIC","canBeFiltered":true},` +
		`{"name":"rate","definition":{"type":"FLOAT","nullable":true,"length":null},"basetype":"FLOAT","canBeFiltered":true},` +
		`{"name":"at","definition":{"type":"TIMESTAMP_NTZ","nullable":true,"length":"9"},"basetype":"TIMESTAMP","canBeFiltered":true},` +
		`{"name":"s","definition":{"type":"VARCHAR","nullable":true,"length":"16777216"},"basetype":"STRING","canBeFiltered":true}]}`
	if !strings.Contains(typed.body, definition) {
		t.Errorf("the typed table is\n%s\nwant\n%s", typed.body, definition)
	}
}

func TestTables(t *testing.T) {
	w := newWorld(t)
	w.load(store.Load{
		Table: "in.c-shop.users", PrimaryKey: []string{"id"}, Job: "7",
		Columns:        []store.Column{{Name: "id", Type: "INTEGER"}, {Name: "name", Type: "STRING", Nullable: true}, {Name: "x"}},
		Metadata:       map[string]string{"b": "2", "a": "1"},
		ColumnMetadata: map[string]map[string]string{"name": {"KBC.datatype.basetype": "NUMERIC"}},
		Next:           rowsOf([]string{"1", `say "hi"`, ""}, []string{"2", "a,b\nc", "é"}),
	})
	const at = `"timestamp":"2026-03-04T05:06:07+0000"`
	const users = `{"id":"in.c-shop.users","name":"users","displayName":"users","uri":"http://HOST/v2/storage/tables/in.c-shop.users","primaryKey":["id"],` +
		`"created":"2026-03-04T05:06:07+0000","lastImportDate":"2026-03-04T05:06:07+0000","lastChangeDate":"2026-03-04T05:06:07+0000",` +
		`"rowsCount":2,"dataSizeBytes":17,"columns":["id","name","x"],"metadata":[{"id":"1","key":"a","value":"1","provider":"user",` + at + `},{"id":"2","key":"b","value":"2","provider":"user",` + at + `}],` +
		`"columnMetadata":{"id":[{"id":"3","key":"KBC.datatype.basetype","value":"INTEGER","provider":"storage",` + at + `},{"id":"4","key":"KBC.datatype.nullable","value":"false","provider":"storage",` + at + `}],` +
		`"name":[{"id":"5","key":"KBC.datatype.nullable","value":"true","provider":"storage",` + at + `},{"id":"6","key":"KBC.datatype.basetype","value":"NUMERIC","provider":"user",` + at + `}]},"bucket":`
	got := w.call("GET", "/v2/storage/tables/in.c-shop.users", "", "")
	if got.status != 200 || !strings.HasPrefix(got.body, users) || !strings.Contains(got.body, `"rowsCount":2,"dataSizeBytes":17,"idBranch":1,`) ||
		!strings.HasSuffix(got.body, `,"transactional":false,"isAlias":false,"isAliasable":false,"isTyped":false,"indexedColumns":["id"],"attributes":[]}`) {
		t.Errorf("got  %s\nwant %s", got.body, users)
	}
	missing := storageError(`Table "in.c-shop.x" not found`, "storage.tables.notFound")
	const preview = "/v2/storage/branch/default/tables/in.c-shop.users/data-preview"
	w.run(t, []step{
		{"of the bucket", "GET", "/v2/storage/buckets/in.c-shop/tables", "", "", 200, "[" + got.body + "]"},
		{"all", "GET", "/v2/storage/branch/1/tables?include=columns", "", "", 200, "[" + got.body + "]"},
		{"unknown", "GET", "/v2/storage/tables/in.c-shop.x", "", "", 404, missing},
		{"preview", "GET", preview, "", "", 200, "\"id\",\"name\",\"x\"\n\"1\",\"say \"\"hi\"\"\",\"\"\n\"2\",\"a,b\nc\",\"é\""},
		{"first row", "GET", preview + "?limit=1", "", "", 200, "\"id\",\"name\",\"x\"\n\"1\",\"say \"\"hi\"\"\",\"\""},
		{"no limit", "GET", preview + "?limit=0&columns=", "", "", 200, "\"id\",\"name\",\"x\"\n\"1\",\"say \"\"hi\"\"\",\"\"\n\"2\",\"a,b\nc\",\"é\""},
		{"columns", "GET", preview + "?columns=x,id", "", "", 200, "\"x\",\"id\"\n\"\",\"1\"\n\"é\",\"2\""},
		{"columns as a list", "GET", preview + "?columns[]=id", "", "", 200, "\"id\"\n\"1\"\n\"2\""},
		{"unknown column", "GET", preview + "?columns=id,y", "", "", 400, storageError(`Column "y" does not exist`, "validation")},
		{"too many", "GET", preview + "?limit=1001", "", "", 400, storageError(`"limit" must be a whole number from 0 to 1000`, "validation")},
		{"preview of nothing", "GET", "/v2/storage/tables/in.c-shop.x/data-preview", "", "", 404, missing},
	})
	if got := w.call("GET", preview, "", ""); got.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("content type %q", got.header.Get("Content-Type"))
	}
}

// A reader of CSV must see every row, and no more than 100 unless asked.
func TestPreviewOfManyRows(t *testing.T) {
	w := newWorld(t)
	var rows [][]string
	for range 150 {
		rows = append(rows, []string{""})
	}
	w.load(store.Load{Table: "in.c-b.t", Columns: []store.Column{{Name: "only"}}, Next: rowsOf(rows...)})
	for query, want := range map[string]int{"": 100, "?limit=0": 100, "?limit=120": 120, "?limit=1000": 150} {
		got := w.call("GET", "/v2/storage/tables/in.c-b.t/data-preview"+query, "", "")
		records, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
		if err != nil || len(records) != want+1 || fmt.Sprint(records[0]) != "[only]" {
			t.Errorf("%q: %d rows, %v", query, len(records)-1, err)
		}
	}
}

// TestPreviewIsLimited: a preview is held in memory, however often a column is
// requested and however large its cells are.
func TestPreviewIsLimited(t *testing.T) {
	slowtest.Skip(t, "it loads a large table")
	w := newWorld(t)
	large := strings.Repeat("x", 8<<20)
	w.load(store.Load{Table: "in.c-b.t", Columns: []store.Column{{Name: "a"}, {Name: strings.Repeat("n", 200)}}, Next: rowsOf([]string{large, "1"}, []string{large, "2"})})
	const preview = "/v2/storage/tables/in.c-b.t/data-preview"
	for query, status := range map[string]int{
		"":                       200,
		"?limit=1&columns=a,a,a": 200,
		"?columns=a,a,a":         400,
		"?limit=1&columns=" + strings.Repeat("a,", 1000):                                            400,
		"?limit=1&columns[]=" + strings.Repeat(strings.Repeat("n", 200)+",", 4500) + "&columns[]=a": 200,
	} {
		got := w.ask(t, "GET", preview+query, nil)
		if got.Code != status || status == 400 && !strings.Contains(got.Body.String(), "The preview is larger than 32 MB, request fewer rows (limit) or columns") {
			t.Errorf("%.60s: %d %.200s", query, got.Code, got.Body)
		}
	}
}
