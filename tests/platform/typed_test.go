package platform

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTypedMappings: a table with declared types is typed on the platform, and a change of
// the types is noticed: by the component before its first request if it knows the types of
// the last run, else by the platform.
func TestTypedMappings(t *testing.T) {
	t.Parallel()
	var body atomic.Value
	body.Store(`[{"id":1,"price":"9.50","day":"2024-02-29","on":false}]`)
	api := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, body.Load())
	})
	s := serve(t, t.TempDir(), "--data-types", "authoritative")
	document := func(price, more string) string {
		return fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","booleans":"text","jobs":[{"endpoint":"t"}],"mappings":{"t":{
			"id":{"mapping":{"destination":"id","primaryKey":true,"type":"INTEGER"}},
			"price":{"mapping":{"destination":"price",%s}},
			"day":{"mapping":{"destination":"day","type":"DATE"}},
			%s"on":{"mapping":{"destination":"on","type":"BOOLEAN","nullable":false}}}}}}}`, api.url, price, more)
	}
	const numeric, float = `"type":"NUMERIC","length":"12,2"`, `"type":"FLOAT"`
	config := s.store(t, component, document(numeric, ""))
	change := func(document string) {
		s.call(t, http.StatusOK, http.MethodPut, s.configs(component)+"/"+config, "application/x-www-form-urlencoded", url.Values{"configuration": {document}}.Encode(), nil)
	}
	s.become(t, s.start(t, config, "").ID, "success")
	var table struct {
		IsTyped    bool
		RowsCount  int
		Definition struct {
			PrimaryKeysNames []string
			Columns          []struct {
				Name, Basetype string
				Definition     struct {
					Type, Length string
					Nullable     bool
				}
			}
		}
	}
	s.get(t, s.storage+"/tables/in.c-b.t", &table)
	if got := fmt.Sprintf("%+v", table); got != "{IsTyped:true RowsCount:1 Definition:{PrimaryKeysNames:[id] Columns:[{Name:id Basetype:INTEGER Definition:{Type:NUMBER Length:38,0 Nullable:false}} "+
		"{Name:price Basetype:NUMERIC Definition:{Type:NUMBER Length:12,2 Nullable:true}} {Name:day Basetype:DATE Definition:{Type:DATE Length: Nullable:true}} {Name:on Basetype:BOOLEAN Definition:{Type:BOOLEAN Length: Nullable:false}}]}}" {
		t.Errorf("table %s", got)
	}

	change(document(float, ""))
	before := len(api.arrived())
	if got := s.become(t, s.start(t, config, "").ID, "error").Result.Message; !strings.Contains(got, `column "price" was NUMERIC(12,2) and is FLOAT`) || len(api.arrived()) != before {
		t.Errorf("after a change: %d requests, %s", len(api.arrived())-before, got)
	}
	other := s.store(t, component, document(float, ""))
	if got := s.become(t, s.start(t, other, "").ID, "error").Result.Message; !strings.Contains(got, `column "price" has the type NUMERIC in the table and FLOAT in the schema`) {
		t.Errorf("another configuration with other types: %s", got)
	}

	change(document(numeric, `"new":{"mapping":{"destination":"new","type":"TIMESTAMP"},"optional":true},`))
	s.become(t, s.start(t, config, "").ID, "success")
	if got := s.rows(t, "in.c-b.t"); got != "\"id\",\"price\",\"day\",\"on\",\"new\"\n\"1\",\"9.50\",\"2024-02-29\",\"false\",\"\"\n" {
		t.Errorf("with a new column: %s", got)
	}
	body.Store(`[{"id":1,"price":"9,50","day":"2024-02-30","on":null}]`)
	got := s.become(t, s.start(t, config, "").ID, "error").Result.Message
	for _, want := range []string{`1 cell of column "price" of table b.t does not fit the type NUMERIC(12,2): "9,50" (job t, page 1)`, `"2024-02-30"`, `column "on" of table b.t does not fit the type BOOLEAN NOT NULL: an empty cell`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
}
