package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/api"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// Whatever comes, the answer is no 5xx, no panic, and an error has the shape of
// the API that was called.
func FuzzRequests(f *testing.F) {
	for _, path := range []string{
		"/v2/storage?exclude=components", configs, configs + "/1?isDeleted=1", configs + "/1/rows", configs + "/1/rows/r/state",
		"/v2/storage/branch/default/events?runId=1&limit=2&sinceId=3&sortOrder=asc&q=x", "/v2/storage/events/1", "/v2/storage/tickets/",
		"/v2/storage/buckets", "/v2/storage/tables/in.c-b.t/data-preview?columns=a&limit=1", "/v2/storage/components?include=rows",
		"/queue/jobs", "/queue/jobs/1/kill", "/queue/search/jobs?status[]=created&createdTimeFrom=2026-01-01&sortBy=endTime", "/faults", "//x/../y%2F%00",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			f.Add(method, path, asJSON, `{"name":"n","component":"acme.ex","config":"1","configuration":{"a":[1.0]},"state":"{}","message":"m","stage":"in",`+
				`"variableValuesData":{"values":[{"name":"a","value":1}]},"configRowIds":["r"],"rowsSortOrder":["r"],"delay":1,"backend":{"type":"small"}}`)
			f.Add(method, path, form, "name=n&configuration=%7B%7D&rowId=r&stage=out&component=c&message=m")
			f.Add(method, path, "text/plain", `[{"path":"/","status":500,"body":"x","times":1,"cut":"before"}]`)
		}
	}
	opened, err := store.Open(filepath.Join(f.TempDir(), "store"), time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := opened.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, method, path, kind, body string) {
		target, err := url.ParseRequestURI(path)
		if err != nil || strings.ContainsAny(method, " \r\n") || method == "" {
			return // nothing that a client could send
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL = method, target
		r.Header = http.Header{"X-Storageapi-Token": {token}, "Content-Type": {kind}}
		// A handler of its own each time: faults must not meet the next request.
		handler := api.New(api.Options{Store: opened, Token: token, Report: func(err error) { t.Errorf("reported: %v", err) }})
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		if answer.Code >= 500 || answer.Code >= 300 && answer.Code < 400 {
			t.Fatalf("%s %s: %d %s", method, path, answer.Code, answer.Body)
		}
		if answer.Code < 400 {
			return
		}
		var shape struct {
			Error, ExceptionID, Status string
			Code                       any
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &shape); err != nil || answer.Header().Get("Content-Type") != asJSON {
			t.Fatalf("%s %s: %v in %s %s", method, path, err, answer.Header().Get("Content-Type"), answer.Body)
		}
		_, number := shape.Code.(float64)
		queue := target.Path == "/queue" || strings.HasPrefix(target.Path, "/queue/")
		if number != queue || shape.Error == "" || shape.Status != "error" || !exception.MatchString(shape.ExceptionID) {
			t.Fatalf("%s %s: %s", method, path, answer.Body)
		}
	})
}
