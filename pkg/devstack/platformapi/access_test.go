package platformapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
)

func TestAccess(t *testing.T) {
	w := newWorld(t, func(o *platformapi.Options) { o.JobToken = "of-a-job" })
	const refused = "Invalid access token"
	for name, tc := range map[string]struct {
		method, path string
		header       http.Header
		status       int
		want         string
	}{
		"index without token":        {"GET", "/v2/storage", nil, 200, `"services"`},
		"index with a slash":         {"GET", "/v2/storage/?exclude=components", nil, 200, `"services"`},
		"token of a job":             {"GET", "/v2/storage/tokens/verify", http.Header{"X-Storageapi-Token": {"of-a-job"}}, 200, `"id":"1"`},
		"storage without token":      {"GET", "/v2/storage/tokens/verify", nil, 401, storageError(refused, "storage.tokenInvalid")},
		"storage with another token": {"GET", configs, http.Header{"X-Storageapi-Token": {"other"}}, 401, storageError(refused, "storage.tokenInvalid")},
		"storage with a longer one":  {"GET", configs, http.Header{"X-Storageapi-Token": {token + "x"}}, 401, storageError(refused, "storage.tokenInvalid")},
		"queue without token":        {"GET", "/queue/jobs/1", nil, 401, queueError(refused, "401")},
		"queue with another token":   {"POST", "/queue/jobs", http.Header{"X-Storageapi-Token": {"other"}}, 401, queueError(refused, "401")},
		"unknown path without token": {"GET", "/v2/storage/nothing", nil, 401, storageError(refused, "storage.tokenInvalid")},
		"wrong method without token": {"DELETE", "/queue/jobs", nil, 401, queueError(refused, "401")},
		"faults without token":       {"PUT", "/faults", nil, 401, storageError(refused, "storage.tokenInvalid")},
		"page of another site": {"GET", "/v2/storage/tokens/verify", http.Header{"X-Storageapi-Token": {token}, "Sec-Fetch-Site": {"cross-site"}},
			403, storageError("Requests from other sites are not allowed", "accessDenied")},
		"origin of another site": {"POST", "/queue/jobs", http.Header{"X-Storageapi-Token": {token}, "Origin": {"http://evil.example"}},
			403, queueError("Requests from other sites are not allowed", "403")},
		"preflight of another site": {"OPTIONS", "/queue/jobs", http.Header{"Origin": {"http://evil.example"}},
			403, queueError("Requests from other sites are not allowed", "403")},
		"index for another site": {"GET", "/v2/storage", http.Header{"Sec-Fetch-Site": {"cross-site"}},
			403, storageError("Requests from other sites are not allowed", "accessDenied")},
		"own page": {"GET", "/v2/storage/tokens/verify", http.Header{"X-Storageapi-Token": {token}, "Sec-Fetch-Site": {"same-origin"}}, 200, `"id":"1"`},
	} {
		t.Run(name, func(t *testing.T) {
			header := tc.header
			if header == nil {
				header = http.Header{}
			}
			got := w.callWith(tc.method, tc.path, "", header)
			if got.status != tc.status || !strings.Contains(got.body, tc.want) {
				t.Errorf("got %d %s", got.status, got.body)
			}
			for name := range got.header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("header %s", name)
				}
			}
		})
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	w := newWorld(t)
	storagePath := func(path string) string { return storageError(`Path "`+path+`" not found`, "notFound") }
	for name, tc := range map[string]struct {
		method, path string
		status       int
		allow, want  string
	}{
		"storage":          {"GET", "/v2/storage/nothing", 404, "", storagePath("/v2/storage/nothing")},
		"queue":            {"GET", "/queue", 404, "", queueError(`Path "/queue" not found`, "404")},
		"below the queue":  {"GET", "/queue/jobs/1/2/3", 404, "", queueError(`Path "/queue/jobs/1/2/3" not found`, "404")},
		"neither":          {"GET", "/queues", 404, "", storagePath("/queues")},
		"two slashes":      {"GET", "/v2/storage//events", 404, "", storagePath("/v2/storage//events")},
		"dots":             {"GET", "/v2/storage/x/../events", 404, "", storagePath("/v2/storage/x/../events")},
		"escaped slash":    {"GET", "/v2/storage/events%2F", 404, "", storagePath("/v2/storage/events/")},
		"escaped dots":     {"GET", "/v2/storage/components/%2e%2e/configs", 404, "", storageError(`Component ".." not found`, "storage.components.notFound")},
		"odd component":    {"POST", "/v2/storage/components/a%00b/configs", 404, "", storageError(`Component "a\x00b" not found`, "storage.components.notFound")},
		"escaped twice":    {"GET", configs + "/a%252Fb", 404, "", storageError(`Configuration "a%2Fb" not found`, "storage.configuration.notFound")},
		"branch":           {"GET", "/v2/storage/branch/2/events", 404, "", storageError(`Branch "2" not found`, "storage.branches.notFound")},
		"method of a path": {"PATCH", configs, 405, "GET, HEAD, POST", storageError("Method PATCH is not allowed here, only GET, HEAD, POST", "methodNotAllowed")},
		"method of index":  {"POST", "/v2/storage", 405, "GET, HEAD", storageError("Method POST is not allowed here, only GET, HEAD", "methodNotAllowed")},
		"method of queue":  {"GET", "/queue/jobs/1/kill", 405, "POST", queueError("Method GET is not allowed here, only POST", "405")},
		"method of state":  {"GET", configs + "/1/state", 405, "PUT", storageError("Method GET is not allowed here, only PUT", "methodNotAllowed")},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(tc.method, tc.path, "", "")
			if got.status != tc.status || got.body != tc.want || got.header.Get("Allow") != tc.allow {
				t.Errorf("got %d %s, Allow %q", got.status, got.body, got.header.Get("Allow"))
			}
		})
	}
}

func TestBranchesAndSlashes(t *testing.T) {
	w := newWorld(t)
	w.createConfig("7", "")
	for _, path := range []string{
		configs + "/7", configs + "/7/", "/v2/storage/branch/default/components/acme.ex/configs/7",
		"/v2/storage/branch/1/components/acme.ex/configs/7", "/v2/storage/branch/1/components/acme.ex/configs/7/",
	} {
		if got := w.must("GET", path, "", 200); got["id"] != "7" {
			t.Errorf("%s: %v", path, got)
		}
	}
	if got := w.call("HEAD", configs+"/7", "", ""); got.status != 200 || got.body != "" {
		t.Errorf("HEAD: %d %q", got.status, got.body)
	}
}

func TestBodies(t *testing.T) {
	slowtest.Skip(t, "it sends large bodies")
	const events = "/v2/storage/events"
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	w := newWorld(t)
	for name, tc := range map[string]struct {
		path, kind, body string
		status           int
		want             string
	}{
		"no content type":        {configs, "", `{"name":"n"}`, 400, storageError("The Content-Type must be application/json or application/x-www-form-urlencoded", "validation")},
		"text":                   {configs, "text/plain", `{"name":"n"}`, 400, storageError("The Content-Type must be application/json or application/x-www-form-urlencoded", "validation")},
		"broken content type":    {configs, "application/json; =", `{"name":"n"}`, 400, storageError("The Content-Type must be application/json or application/x-www-form-urlencoded", "validation")},
		"form for the queue":     {"/queue/jobs", form, `component=a`, 400, queueError("The Content-Type must be application/json", "400")},
		"no content type, queue": {"/queue/jobs", "", `{}`, 400, queueError("The Content-Type must be application/json", "400")},
		"malformed":              {configs, asJSON, `{"name":`, 400, storageError("The body is not valid JSON: line 1, column 9: unexpected end of the text", "validation")},
		"malformed, queue":       {"/queue/jobs", asJSON, `{"a" 1}`, 400, queueError(`The body is not valid JSON: line 1, column 6: invalid character '1' after object name (expecting ':')`, "400")},
		"two documents":          {configs, asJSON, `{"name":"n"} {}`, 400, storageError("The body is not valid JSON: line 1, column 14: more text after the value", "validation")},
		"list":                   {configs, asJSON, `[1]`, 400, storageError("The body must be a JSON object, not an array", "validation")},
		"text as JSON":           {"/queue/jobs", asJSON, `"a"`, 400, queueError("The body must be a JSON object, not a string", "400")},
		"empty list":             {configs, asJSON, `[]`, 400, storageError(`"name" is required`, "validation")},
		"nothing":                {configs, "", ``, 400, storageError(`"name" is required`, "validation")},
		"malformed form":         {configs, form, `name=%zz`, 400, storageError("The body is not a valid form", "validation")},
		"other JSON type":        {configs, "application/vnd.api+json; charset=utf-8", `{"name":1.50}`, 201, `"name":"1.50"`},
		"largest document":       {configs, asJSON, `{"name":"n","configuration":{"a":"` + strings.Repeat("x", 4<<20-8) + `"}}`, 201, `"version":1`},
		"document too large":     {configs, asJSON, `{"name":"n","configuration":{"a":"` + strings.Repeat("x", 4<<20-7) + `"}}`, 400, storageError(`"configuration" is larger than 4 MB`, "validation")},
		"state too large":        {configs, asJSON, `{"name":"n","state":{"a":"` + strings.Repeat("x", 4<<20) + `"}}`, 400, storageError(`"state" is larger than 4 MB`, "validation")},
		"job too large":          {"/queue/jobs", asJSON, `{"component":"c","configData":{"a":"` + strings.Repeat("x", 4<<20) + `"}}`, 400, queueError(`"configData" is larger than 4 MB`, "400")},
		"body too large":         {configs, asJSON, `{"name":"n","x":"` + strings.Repeat("x", 32<<20) + `"}`, 413, storageError("The body is larger than 32 MB", "bodyTooLarge")},
		"deepest document":       {configs, asJSON, `{"name":"n","configuration":` + deep(512) + `}`, 201, `"version":1`},
		"document too deep":      {configs, asJSON, `{"name":"n","configuration":` + deep(513) + `}`, 400, storageError(`"configuration" is nested deeper than 512 levels`, "validation")},
		"far too deep":           {configs, asJSON, `{"name":"n","configuration":` + deep(20000) + `}`, 400, "it is nested more than 10000 levels deep"},
		"event too large":        {events, asJSON, `{"component":"c","message":"` + strings.Repeat("x", 200<<10+1) + `"}`, 400, storageError("The event is larger than 200 KB", "validation")},
		"largest event":          {events, asJSON, `{"component":"c","message":"` + strings.Repeat("x", 200<<10) + `"}`, 201, `"uuid"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call("POST", tc.path, tc.kind, tc.body)
			if got.status != tc.status || !strings.Contains(got.body, tc.want) {
				t.Errorf("got %d %.300s\nwant %d %s", got.status, got.body, tc.status, tc.want)
			}
		})
	}
}
