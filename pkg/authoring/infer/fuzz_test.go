package infer

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/authoring/example"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// FuzzPropose: regardless of the exchange, there is a configuration without errors
// or a user error; and every option that is offered can be taken.
func FuzzPropose(f *testing.F) {
	f.Add("GET", "https://api.example.com/v1/orders?limit=2&offset=0&api_key=s3cret-s3cret", "Bearer s3cret-s3cret", "", `{"total":4,"orders":[{"id":1,"tags":["a"]},{"id":2}],"links":{"next":"/x"}}`, "application/json")
	f.Add("POST", "http://h/graphql?a=1", "Basic czNjcmV0OnMzY3JldA==", `{"query":"{a}","variables":{"after":null},"token":"s3cret"}`, `{"data":{"a":{"nodes":[{"id":1}],"pageInfo":{"after":"x"}}}}`, "")
	f.Add("POST", "http://h//a:b/{{c}}", "{{x}}", "a=b&a[]=c", `[{"_timestamp":1,"":2,"a.b":{"c":null}}]`, "text/plain")
	f.Add("GET", "http://u:p@h/?=1&0=2", "KBC::x", "", `{"next_page":2,"":{"a":[1]},"has_more":true}`, "x")
	f.Add("GET", "http://h/a.csv?page=1", "", "", "Title\nid;a.b;\n1;\"x\";y\n2;;\n", "text/csv; charset=windows-1250")
	f.Add("GET", "http://h/a", "", "", "1\t\x8e\n2\t3\n", "text/csv; header=absent")
	f.Add("GET", "http://h/a", "", "", "{\"id\":1}\n{\"id\":2,\"\":[1]}\n", "application/x-ndjson")
	f.Add("GET", "http://h/a", "", "", "<a><next>/b?page=2</next><items><item id=\"1\"><x:b.c>1</x:b.c></item></items></a>", "text/xml")
	f.Add("GET", "http://h/a", "", "", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x03\x00", "application/gzip")
	f.Add("GET", "http://h/a", "", "", "PK\x03\x04", "application/zip")
	f.Fuzz(func(t *testing.T, method, url, authorization, body, response, contentType string) {
		x := example.Exchange{
			Request: example.Request{Method: method, URL: url, Header: http.Header{"Authorization": {authorization}}, Body: []byte(body)},
			Status:  200, ResponseHeader: http.Header{"Content-Type": {contentType}}, Response: []byte(response),
		}
		if body != "" && !strings.HasPrefix(body, "{") {
			x.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		Secrets(x.Request)
		p, err := Infer(x, Choice{})
		if err != nil {
			if failure.KindOf(err) != failure.User {
				t.Errorf("not a user error: %v", err)
			}
			return
		}
		for _, k := range p.PrimaryKeys {
			checkFuzzed(t, x, Choice{PrimaryKey: k.Name})
		}
		for _, o := range p.Pagings {
			checkFuzzed(t, x, Choice{Paging: o.Name})
		}
		for _, o := range p.DataFields[:min(3, len(p.DataFields))] {
			checkFuzzed(t, x, Choice{DataField: o.Name})
		}
	})
}

// checkFuzzed takes an option that was offered.
func checkFuzzed(t *testing.T, x example.Exchange, c Choice) {
	t.Helper()
	p, err := Infer(x, c)
	if err != nil {
		t.Errorf("%+v was offered, but: %v", c, err)
		return
	}
	if !json.Valid(p.Config) {
		t.Errorf("not JSON: %q", p.Config)
	}
	if diagnostic.Check(t.Context(), "config.json", p.Config, load.Options{}).Failed() {
		t.Errorf("not valid: %s", p.Config)
	}
	if p.Table == "" || p.Items < 0 {
		t.Errorf("table %q, %d items", p.Table, p.Items)
	}
}
