package platformapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// FuzzAPI: no matter what comes, the response is neither a 5xx nor a panic, and an error has the
// shape of the API that was called. The request has the token, unless its odd
// header takes the place of that.
func FuzzAPI(f *testing.F) {
	const full = `{"name":"n","component":"acme.ex","config":"1","configuration":{"a":[1.0]},"state":"{}","message":"m","stage":"in",` +
		`"variableValuesData":{"values":[{"name":"a","value":1}]},"configRowIds":["r"],"rowsSortOrder":["r"],"delay":1,"backend":{"type":"small"}}`
	for pattern, methods := range platformapi.Endpoints() {
		for _, method := range methods {
			f.Add(method, pathOf(pattern, "1")+"?runId=1&limit=2&sinceId=3&sortOrder=asc&include=rows&status[]=created&createdTimeFrom=2026-01-01", "", "", asJSON, full)
			f.Add(method, pathOf(pattern, "%2e%2e%00")+"/", "Content-Encoding", "gzip", form, "name=n&configuration=%7B%7D&rowId=r&stage=out&component=c&message=m")
		}
	}
	for _, header := range [][2]string{
		{"X-StorageApi-Token", "other"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"X-KBC-RunId", "1.2"}, {"Host", "evil.example"}, {"Transfer-Encoding", "gzip"},
	} {
		f.Add("POST", "/v2/storage/events", header[0], header[1], asJSON, full)
	}
	f.Add("PUT", "/faults", "", "", "text/plain", `[{"path":"/","status":500,"body":"x","times":1,"cut":"before"}]`)
	f.Add("GET", "//x/../y%2F%00", "", "", "", "")
	for _, query := range []string{
		"whereFilters[0][column]=n&whereFilters[0][operator]=gt&whereFilters[0][values][]=1&whereFilters[0][dataType]=REAL", "orderBy[0][column]=n&orderBy[0][dataType]=INTEGER",
		"whereColumn=n&whereValues[]=x&format=json&changedSince=-1 day&fulltextSearch=x&columns=n,id",
	} {
		f.Add("GET", "/v2/storage/tables/in.c-b.t/data-preview?"+strings.ReplaceAll(query, " ", "%20"), "", "", "", "")
		f.Add("POST", "/v2/storage/tables/in.c-b.t/export-async", "", "", form, query)
	}
	f.Add("POST", "/v2/storage/tables/in.c-b.t/export-async", "", "", asJSON, `{"whereFilters":[{"column":"id","values":[1,"2"],"operator":"ne"}],"orderBy":[{"column":"n","order":"desc"}],"gzip":true}`)
	f.Add("GET", "/v2/storage/events?q=type:error%20AND%20(a%20OR%20NOT%20%22b%20c%22)", "", "", "", "")
	opened, err := store.Open(filepath.Join(f.TempDir(), "store"), time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := opened.Close(); err != nil {
			f.Error(err)
		}
	})
	left := 3
	if _, err := opened.Load(context.Background(), store.Load{Table: "in.c-b.t", Columns: []store.Column{{Name: "id"}, {Name: "n"}}, Next: func() ([]string, error) {
		if left--; left < 0 {
			return nil, io.EOF
		}
		return []string{"x", strings.Repeat("1", left)}, nil
	}}); err != nil {
		f.Fatal(err)
	}
	noSleep := func(context.Context, time.Duration) error { return nil }
	f.Fuzz(func(t *testing.T, method, path, header, text, kind, body string) {
		target, err := url.ParseRequestURI(path)
		if err != nil || strings.ContainsAny(method, " \r\n") || method == "" {
			return // nothing that a client could send
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL = method, target
		r.Header = http.Header{"X-Storageapi-Token": {token}, "Content-Type": {kind}}
		r.Header.Set(header, text)
		// A handler of its own each time: faults must not meet the next request.
		handler := platformapi.New(platformapi.Options{Store: opened, Token: token, Sleep: noSleep, Report: func(err error) { t.Errorf("reported: %v", err) }})
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, r)
		checkResponse(t, r, response)
	})
}
