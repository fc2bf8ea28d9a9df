package auth

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
)

func TestRequestContexts(t *testing.T) {
	for _, tt := range []struct {
		name, method, address string
		request, query        []string
	}{
		{
			name: "everything", method: "GET", address: "https://api.test:8443/a%20b/items?k=v%20w&f%5Ba%5D=%C4%8D+d",
			request: []string{
				"hostname=api.test", "method=GET", "path=/a%20b/items", "port=8443", "queryString=k=v%20w&f%5Ba%5D=%C4%8D+d",
				"resource=/a%20b/items?k=v%20w&f%5Ba%5D=%C4%8D+d", "url=https://api.test:8443/a%20b/items?k=v%20w&f%5Ba%5D=%C4%8D+d",
			},
			query: []string{"f[a]=č d", "k=v w"},
		},
		{
			name: "implicit port of http, no query", method: "POST", address: "http://api.test/items",
			request: []string{
				"hostname=api.test", "method=POST", "path=/items", "port=80", "queryString=", "resource=/items", "url=http://api.test/items",
			},
		},
		{
			name: "implicit port of https, user and password", method: "GET", address: "https://ann:s3@api.test/",
			request: []string{
				"hostname=api.test", "method=GET", "path=/", "port=443", "queryString=", "resource=/", "url=https://api.test/",
			},
		},
		{
			name: "repeated, empty and missing values", method: "GET", address: "http://h.test/?k=1&e=&n&k=2&m&m=3",
			request: []string{
				"hostname=h.test", "method=GET", "path=/", "port=80", "queryString=k=1&e=&n&k=2&m&m=3",
				"resource=/?k=1&e=&n&k=2&m&m=3", "url=http://h.test/?k=1&e=&n&k=2&m&m=3",
			},
			query: []string{"e=", "k.0=1", "k.1=2", "m.1=3"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := requestTo(t, tt.address)
			r.Method = tt.method
			got := requestContexts(r.Request)
			if lines := membersOf(got[expr.Request]); !slices.Equal(lines, tt.request) {
				t.Errorf("request:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(tt.request, "\n"))
			}
			if lines := membersOf(got[expr.Query]); !slices.Equal(lines, tt.query) {
				t.Errorf("query:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(tt.query, "\n"))
			}
			if got := got[expr.Request]["port"]; !got.IsInteger() {
				t.Errorf("the port is a %s", got.Kind())
			}
		})
	}
}

// membersOf are the members of a context, sorted.
func membersOf(members expr.Members) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		lines = append(lines, fmt.Sprintf("%s=%s", name, members[name].Text()))
	}
	return lines
}

// TestRequestContextsOfForm shows that a form is a POST.
func TestRequestContextsOfForm(t *testing.T) {
	r := post(t, "http://api.test/items", "application/x-www-form-urlencoded", "a=1")
	got := requestContexts(r.Request)
	if method := got[expr.Request]["method"].Text(); method != http.MethodPost {
		t.Errorf("method %s", method)
	}
	if len(got[expr.Query]) > 0 {
		t.Errorf("the parameters of the body are not those of the query: %v", got[expr.Query])
	}
}
