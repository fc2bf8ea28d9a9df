package platformapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

func meta(id, key, value, provider string) string {
	return fmt.Sprintf(`{"id":%q,"key":%q,"value":%q,"provider":%q,"timestamp":"2026-03-04T05:06:07+0000"}`, id, key, value, provider)
}

func TestMetadata(t *testing.T) {
	w := newWorld(t)
	w.createConfig("c", "")
	w.load(store.Load{Table: "in.c-b.t", Columns: []store.Column{{Name: "id"}, {Name: "x.y"}}, Next: rowsOf()})
	const (
		storage = "/v2/storage/branch/1/"
		one     = `{"metadata":[{"key":"k","value":"v"}]}`
		given   = `{"provider":"p","metadata":[{"key":"k","value":"v"}]}`
		wrong   = `"metadata" must be a list of {"key": …, "value": …} that is not empty`
	)
	nothing := `{"provider":"p"}`
	w.run(t, []step{
		{"none", "GET", storage + "metadata", "", "", 200, "[]"},
		{"of the branch", "POST", storage + "metadata", asJSON, `{"metadata":[{"key":"KBC.a","value":"1"},{"key":"b","value":2}]}`, 201,
			"[" + meta("1", "KBC.a", "1", "user") + "," + meta("2", "b", "2", "user") + "]"},
		{"again", "POST", storage + "metadata", form, url.Values{"metadata[0][key]": {"b"}, "metadata[0][value]": {"3"}, "metadata[10][key]": {"c"}, "metadata[10][value]": {""}}.Encode(), 201,
			"[" + meta("1", "KBC.a", "1", "user") + "," + meta("2", "b", "3", "user") + "," + meta("3", "c", "", "user") + "]"},
		{"delete", "DELETE", storage + "metadata/2", "", "", 204, ""},
		{"delete again", "DELETE", storage + "metadata/2", "", "", 404, storageError(`Metadata "2" not found`, "storage.metadata.notFound")},
		{"delete what cannot be", "DELETE", storage + "metadata/x", "", "", 404, storageError(`Metadata "x" not found`, "storage.metadata.notFound")},
		{"what is left", "GET", "/v2/storage/metadata", "", "", 200, "[" + meta("1", "KBC.a", "1", "user") + "," + meta("3", "c", "", "user") + "]"},
		{"nothing to set", "POST", storage + "metadata", asJSON, `{"metadata":[]}`, 400, storageError(wrong, "validation")},
		{"no list", "POST", storage + "metadata", asJSON, `{"metadata":{}}`, 400, storageError(`"metadata" must be a list, not an object`, "validation")},
		{"no objects", "POST", storage + "metadata", asJSON, `{"metadata":[1]}`, 400, storageError(`"metadata[0]" must be an object, not a number`, "validation")},
		{"no key", "POST", storage + "metadata", asJSON, `{"metadata":[{"key":"a","value":"1"},{"value":"1"}]}`, 400, storageError(`"metadata[1]" needs a key of 1 to 255 bytes`, "validation")},
		{"no value", "POST", storage + "metadata", asJSON, `{"metadata":[{"key":"a"}]}`, 400, storageError(`"metadata[0]" needs a value of at most 65535 bytes`, "validation")},

		{"of a configuration", "POST", configs + "/c/metadata", asJSON, one, 201, "[" + meta("4", "k", "v", "user") + "]"},
		{"of a configuration, listed", "GET", configs + "/c/metadata", "", "", 200, "[" + meta("4", "k", "v", "user") + "]"},
		{"of another one", "DELETE", storage + "metadata/4", "", "", 404, storageError(`Metadata "4" not found`, "storage.metadata.notFound")},
		{"of no configuration", "GET", configs + "/x/metadata", "", "", 404, storageError(`Configuration "x" not found`, "storage.configuration.notFound")},

		{"of a bucket without a provider", "POST", storage + "buckets/in.c-b/metadata", asJSON, one, 400, storageError(`"provider" must be 1 to 255 bytes`, "validation")},
		{"of a bucket", "POST", storage + "buckets/in.c-b/metadata", asJSON, given, 201, "[" + meta("5", "k", "v", "p") + "]"},
		{"of another provider", "POST", storage + "buckets/in.c-b/metadata", asJSON, `{"provider":"q","metadata":[{"key":"k","value":"w"}]}`, 201, "[" + meta("5", "k", "v", "p") + "," + meta("6", "k", "w", "q") + "]"},
		{"of no bucket", "POST", storage + "buckets/in.c-x/metadata", asJSON, given, 404, storageError(`Bucket "in.c-x" not found`, "storage.buckets.notFound")},

		{"of a table by a form", "POST", storage + "tables/in.c-b.t/metadata", form, "provider=p&metadata%5B0%5D%5Bkey%5D=k&metadata%5B0%5D%5Bvalue%5D=v", 201, "[" + meta("7", "k", "v", "p") + "]"},
		{"of a table and its columns", "POST", storage + "tables/in.c-b.t/metadata", asJSON,
			`{"provider":"p","metadata":[{"key":"k","value":"w"}],"columnsMetadata":{"id":[{"key":"k","value":"1"}],"all":[{"columnName":"x.y","key":"k","value":"2"}]}}`, 201,
			`{"metadata":[` + meta("7", "k", "w", "p") + `],"columnsMetadata":{"id":[` + meta("8", "k", "1", "p") + `],"x.y":[` + meta("9", "k", "2", "p") + `]}}`},
		{"of a table, nothing", "POST", storage + "tables/in.c-b.t/metadata", asJSON, nothing, 400, storageError(`"metadata" or "columnsMetadata" is required`, "validation")},
		{"of a column that is not there", "POST", storage + "tables/in.c-b.t/metadata", asJSON, `{"provider":"p","columnsMetadata":{"z":[{"key":"k","value":"1"}]}}`, 400,
			storageError(`"columnsMetadata.z": the table has no column "z"`, "validation")},
		{"of odd columns", "POST", storage + "tables/in.c-b.t/metadata", asJSON, `{"provider":"p","columnsMetadata":{"id":{}}}`, 400,
			storageError(`"columnsMetadata.id" must be a list, not an object`, "validation")},
		{"of a column", "POST", storage + "columns/in.c-b.t.x.y/metadata", asJSON, given, 201, "[" + meta("9", "k", "v", "p") + "]"},
		{"of no column", "GET", storage + "columns/in.c-b.t.z/metadata", "", "", 404, storageError(`Column "in.c-b.t.z" not found, the id of a column is BUCKET.TABLE.COLUMN`, "storage.columns.notFound")},
		{"of a column of no table", "GET", storage + "columns/in.c-b.u.z/metadata", "", "", 404, storageError(`Table "in.c-b.u" not found`, "storage.tables.notFound")},
		{"delete that of a column", "DELETE", storage + "columns/in.c-b.t.id/metadata/8", "", "", 204, ""},
		{"delete that of a table", "DELETE", storage + "tables/in.c-b.t/metadata/7", "", "", 204, ""},
	})
	w.wants(t, "GET", "/v2/storage/tables/in.c-b.t", "", 200, `"metadata":[],"columnMetadata":{"x.y":[`+meta("9", "k", "v", "p")+`]}`)
}

// A table that is loaded again keeps what clients set, except for columns that are gone.
func TestMetadataAfterALoad(t *testing.T) {
	w := newWorld(t)
	load := func(columns ...store.Column) {
		w.load(store.Load{Table: "in.c-b.t", Columns: columns, Next: rowsOf(), Metadata: map[string]string{"k": "v"}})
	}
	load(store.Column{Name: "a", Type: "STRING"}, store.Column{Name: "b"})
	const table = "/v2/storage/tables/in.c-b.t"
	w.must("POST", table+"/metadata", `{"provider":"p","metadata":[{"key":"own","value":"1"}],"columnsMetadata":{"a":[{"key":"own","value":"2"}],"b":[{"key":"own","value":"3"}]}}`, 201)
	load(store.Column{Name: "a"})
	w.wants(t, "GET", table, "", 200, `"metadata":[`+meta("1", "k", "v", "user")+","+meta("4", "own", "1", "p")+`],"columnMetadata":{"a":[`+meta("5", "own", "2", "p")+`]}`)
}

func TestSearchOfConfigurations(t *testing.T) {
	w := newWorld(t)
	const search = "/v2/storage/branch/default/search/component-configurations"
	set := func(component, id, keys string) {
		t.Helper()
		w.must("POST", "/v2/storage/components/"+component+"/configs", `{"name":"n","configurationId":"`+id+`"}`, 201)
		for _, key := range strings.Fields(keys) {
			w.must("POST", "/v2/storage/components/"+component+"/configs/"+id+"/metadata", `{"metadata":[{"key":"`+key+`","value":"v"}]}`, 201)
		}
	}
	set("a", "1", "k l")
	set("a", "2", "k m")
	set("b", "2", "k")
	set("b", "3", "")
	set("b", "gone", "k")
	w.must("DELETE", "/v2/storage/components/b/configs/gone", "", 204)
	found := func(component, id, metadata string) string {
		return `{"idComponent":"` + component + `","configurationId":"` + id + `"` + metadata + "}"
	}
	values := func(pairs ...string) string {
		var list []string
		for _, p := range pairs {
			list = append(list, meta(p[:1], p[2:], "v", "user"))
		}
		return `,"metadata":[` + strings.Join(list, ",") + "]"
	}
	for _, row := range []struct{ name, query, want string }{
		{"all", "", found("a", "1", "") + "," + found("a", "2", "") + "," + found("b", "2", "")},
		{"with metadata", "?include=filteredMetadata", found("a", "1", values("1 k", "2 l")) + "," + found("a", "2", values("3 k", "4 m")) + "," + found("b", "2", values("5 k"))},
		{"of a component", "?idComponent=b&include=filteredMetadata", found("b", "2", values("5 k"))},
		{"of a component by its other name", "?componentId=b", found("b", "2", "")},
		{"of a configuration", "?configurationId=2", found("a", "2", "") + "," + found("b", "2", "")},
		{"by keys", "?metadataKeys[]=l&metadataKeys[]=m&include=filteredMetadata", found("a", "1", values("2 l")) + "," + found("a", "2", values("4 m"))},
		{"by a numbered key", "?metadataKeys[0]=l", found("a", "1", "")},
		{"nothing", "?componentId=b&metadataKeys=m", ""},
	} {
		if got := w.call("GET", search+row.query, "", ""); got.status != 200 || got.body != "["+row.want+"]" {
			t.Errorf("%s: %d %s\nwant [%s]", row.name, got.status, got.body, row.want)
		}
	}
	w.wants(t, "GET", search+"?include=rows", "", 400, `\"include\" must be \"filteredMetadata\"`)
}
