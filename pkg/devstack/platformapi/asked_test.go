package platformapi_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
)

// TestDeclaredParametersAreRead: the code of each endpoint reads every parameter that
// the endpoint declares, so that none is accepted and then ignored.
func TestDeclaredParametersAreRead(t *testing.T) {
	w := ones(t)
	w.shopTable()
	w.must("POST", "/v2/storage/tables/in.c-shop.t/export-async", `{}`, 202) // a file
	ids := strings.NewReplacer("{branch}", "default", "{bucket}", "in.c-shop", "{table}", "in.c-shop.t", "{column}", "in.c-shop.t.id",
		"{configuration}/versions/{version}", "1/versions/2") // the first one has no row
	endpoints := platformapi.Endpoints()
	patterns := slices.Sorted(maps.Keys(endpoints))
	for _, deletes := range []bool{false, true} {
		if deletes { // what is deleted is needed before, and for what is below it
			slices.Reverse(patterns)
		}
		for _, pattern := range patterns {
			if _, other := endpoints[strings.Replace(pattern, "/branch/{branch}", "", 1)]; other && strings.Contains(pattern, "{branch}") && !strings.Contains(pattern, "/search/") {
				continue // the same functions
			}
			for _, method := range endpoints[pattern] {
				p := platformapi.ParametersOf(pattern, method)
				if p.Absent || deletes != (method == http.MethodDelete) {
					continue
				}
				path := pathOf(ids.Replace(pattern), "1")
				query, body := w.readBy(t, method, path, p)
				for _, one := range []struct {
					where           string
					declared, asked []string
				}{{"query", p.Query, query}, {"body", p.Body, body}} {
					for _, name := range one.declared {
						if !slices.Contains(one.asked, strings.TrimSuffix(name, "[]")) {
							t.Errorf("%s %s: the parameter %q of the %s is declared and not read", method, path, name, one.where)
						}
					}
				}
			}
		}
	}
}

// readBy are the names of the parameters that an endpoint reads: without any, and with
// each of them.
func (w *world) readBy(t *testing.T, method, path string, p platformapi.Parameters) (query, body []string) {
	t.Helper()
	send := func(rawQuery, text string) {
		kind := asJSON
		if !strings.HasPrefix(text, "{") {
			kind = form
		}
		r := request(t, method, path+rawQuery, strings.NewReader(text), "X-StorageApi-Token", token, "Content-Type", kind)
		w.handler.ServeHTTP(httptest.NewRecorder(), platformapi.Watched(r,
			func(name string) { query = append(query, name) }, func(name string) { body = append(body, name) }))
	}
	send("", "{}")
	for _, name := range p.Query {
		send("?"+url.QueryEscape(name)+"=1", "")
	}
	for _, name := range p.Body {
		send("", `{"`+strings.TrimSuffix(name, "[]")+`":"1"}`)
	}
	return query, body
}
