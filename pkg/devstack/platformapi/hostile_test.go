package platformapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const index = "/v2/storage"

// everyMethod is what a client may try anywhere.
var everyMethod = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "BREW"}

// oddIDs are what a path may hold in the place of an id, as a client writes it.
var oddIDs = []string{
	"1", "0", "-1", "01", "1e3", "0x1", "99999999999999999999999999", "18446744073709551615", "9223372036854775808", "NaN", "null",
	"%2e%2e", "..%2f..%2f..%2fetc%2fpasswd", "..%5c..", "%00", "a%00b", "%2f", "%2F%2F", "a%2fb", "%25%32%66", "%ff%fe", "%c0%af", "%ed%a0%80", "%F0%9F%98%80",
	"%0d%0aSet-Cookie:%20a=b", "%3Cscript%3E", "%22", "'", "a;b=c", "a%3fb", "a%23b", "{configuration}", "*", "~", "%20", "in.c-b.t", "in.c-", "6c6f6361-6c00-8000-8000-zz",
	"6c6f6361-6c00-8000-8000-ffffffffffffffffff", strings.Repeat("a", 256), strings.Repeat("9", 40_000), strings.Repeat("%ff", 10_000),
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// pathOf is a path of a pattern with an id in every place, but for the branch.
func pathOf(pattern, id string) string {
	return placeholder.ReplaceAllStringFunc(pattern, func(name string) string {
		if name == "{branch}" {
			return "default"
		}
		return id
	})
}

// request makes a request as a server would get it; header is name and value in
// turns.
func request(t testing.TB, method, path string, body io.Reader, header ...string) *http.Request {
	t.Helper()
	target, err := url.ParseRequestURI(path)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/", body)
	r.Method, r.URL, r.RequestURI = method, target, path
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// ask sends a request with the token; what comes back must be sound.
func (w *world) ask(t testing.TB, method, path string, body io.Reader, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := request(t, method, path, body, append([]string{"X-StorageApi-Token", token}, header...)...)
	response := httptest.NewRecorder()
	w.handler.ServeHTTP(response, r)
	checkResponse(t, r, response)
	return response
}

// checkResponse wants a response that is not a 5xx (but for 501) and no redirect, that no
// other site can make use of, and an error in the shape of the API that was called.
func checkResponse(t testing.TB, r *http.Request, response *httptest.ResponseRecorder) {
	t.Helper()
	what := fmt.Sprintf("%s %.200s: %d %.500s", r.Method, r.URL, response.Code, response.Body)
	if response.Code >= 500 && response.Code != http.StatusNotImplemented || response.Code >= 300 && response.Code < 400 {
		t.Error(what)
	}
	for name := range response.Header() {
		if strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie" {
			t.Errorf("%s: header %s", what, name)
		}
	}
	if response.Header().Get("X-Content-Type-Options") != "nosniff" || response.Header().Get("Cross-Origin-Resource-Policy") != "same-origin" ||
		!strings.Contains(response.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("%s: headers %v", what, response.Header())
	}
	if response.Code < 400 {
		return
	}
	var shape struct {
		Error, ExceptionID, Status string
		Code                       any
	}
	if err := json.Unmarshal(response.Body.Bytes(), &shape); err != nil || response.Header().Get("Content-Type") != asJSON {
		t.Errorf("%s: %v, %s", what, err, response.Header().Get("Content-Type"))
	}
	_, number := shape.Code.(float64)
	api, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if number != (api == "queue" || api == "encryption") || shape.Error == "" || shape.Status != "error" || !exception.MatchString(shape.ExceptionID) {
		t.Error(what)
	}
}

// ones has a configuration, a row and a job of the id 1, of the component 1.
func ones(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	if job := w.must("POST", "/queue/jobs", `{"component":"1","mode":"run","configData":{"parameters":{}}}`, 201); job["id"] != "1" {
		t.Fatalf("the id of the job is %v", job["id"])
	}
	w.must("POST", "/v2/storage/components/1/configs", `{"name":"n","configurationId":"1"}`, 201)
	w.must("POST", "/v2/storage/components/1/configs/1/rows", `{"rowId":"1"}`, 201)
	return w
}

// eachEndpoint does something with every path that the router knows, so that a
// new one is tried too.
func eachEndpoint(t *testing.T, try func(t *testing.T, pattern string, methods []string)) {
	t.Helper()
	endpoints := platformapi.Endpoints()
	if len(endpoints) < 40 {
		t.Fatalf("only %d endpoints", len(endpoints))
	}
	for _, pattern := range slices.Sorted(maps.Keys(endpoints)) {
		t.Run(strings.TrimPrefix(pattern, "/"), func(t *testing.T) { try(t, pattern, endpoints[pattern]) })
	}
}

func TestEveryEndpointRefusesOtherMethods(t *testing.T) {
	w := newWorld(t)
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		if slices.Contains(methods, "GET") {
			methods = append(methods, "HEAD")
			slices.Sort(methods)
		}
		for _, method := range everyMethod {
			if slices.Contains(methods, method) {
				continue
			}
			response := w.ask(t, method, pathOf(pattern, "1"), strings.NewReader("{}"), "Content-Type", asJSON)
			if allow := response.Header().Get("Allow"); response.Code != http.StatusMethodNotAllowed || allow != strings.Join(methods, ", ") {
				t.Errorf("%s: %d, Allow %q, want %q", method, response.Code, allow, methods)
			}
		}
	})
}

func TestEveryEndpointTakesOddIDs(t *testing.T) {
	slowtest.SkipRace(t, "it sends odd requests to every endpoint")
	w := newWorld(t)
	number := 0
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		for _, method := range methods {
			number++
			for i, id := range oddIDs {
				path := pathOf(pattern, id)
				if path == pattern {
					break
				}
				if slowtest.Turn(number+i, 3) {
					w.ask(t, method, path, nil)
				}
			}
		}
		for _, suffix := range []string{"/", "//", "/.", "/..", "/../..", "%2f", "%00", ";x", "/%2e%2e/%2e%2e", "?", "?#"} {
			w.ask(t, "GET", pathOf(pattern, "1")+suffix, nil)
		}
	})
}

func TestEveryEndpointTakesOddQueries(t *testing.T) {
	slowtest.SkipRace(t, "it sends odd requests to every endpoint")
	w := newWorld(t)
	var queries []string
	for _, name := range []string{
		"limit", "offset", "sinceId", "maxId", "sortOrder", "sortBy", "q", "runId", "columns", "columns[]", "include", "exclude", "isDeleted",
		"status[]", "componentId", "configId", "createdTimeFrom", "startTimeTo", "branchId", "type", "format", "changedSince", "changedUntil",
		"whereFilters", "whereFilters[0][column]", "whereFilters[0]", "whereFilters[][][]", "whereColumn", "whereValues[]", "orderBy", "orderBy[0][order]",
		"durationSecondsFrom", "parentRunId", "expires", "signature", "federationToken", "tags[]", "force", "async", "fulltextSearch",
	} {
		for _, text := range []string{"-1", "0", "1e9", "99999999999999999999", "%00", "%ff", "abc", "", "2026-13-45", "true,false", strings.Repeat("x", 5000)} {
			queries = append(queries, name+"="+text)
		}
		queries = append(queries, name, name+"[[]]=1", name+"[a][b]=1", name+"="+name+"&"+name+"=2")
	}
	queries = append(queries, "%zz", "a=%", ";;;", "&&&", "=", "a;b=c", "token="+token, strings.Repeat("a=1&", 20_000), "_method=DELETE")
	number := 0
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		if !slices.Contains(methods, "GET") || strings.Contains(pattern, "{branch}") {
			return // what writes reads no query, and the branch is none of it
		}
		number++
		for i, query := range queries {
			if slowtest.Turn(number+i, 3) {
				w.ask(t, "GET", pathOf(pattern, "1")+"?"+query, nil)
			}
		}
	})
}

// oddBodies are bodies that no client should send, with their content type.
func oddBodies() map[string][2]string {
	const full = `{"name":"n","component":"acme.ex","config":"1","configuration":{"a":[1.0]},"state":"{}","message":"m","stage":"in","mode":"run"}`
	members := []string{"name", "component", "config", "configuration", "configData", "state", "message", "stage", "mode", "rowId", "configRowIds", "params", "results",
		"variableValuesData", "rowsSortOrder", "delay", "backend", "runId", "parallelism", "isDisabled", "changeDescription", "configurationId",
		"whereFilters", "whereValues", "whereColumn", "orderBy", "columns", "gzip", "format", "changedSince", "limit", "displayName", "async"}
	bodies := map[string][2]string{
		"nothing":              {asJSON, ""},
		"truncated":            {asJSON, full[:len(full)-9]},
		"truncated in a text":  {asJSON, `{"name":"\u00`},
		"two values":           {asJSON, full + full},
		"not UTF-8":            {asJSON, "{\"name\":\"\xff\xfe\xc0\xaf\"}"},
		"UTF-16":               {asJSON, "\xff\xfe{\x00}\x00"},
		"half a surrogate":     {asJSON, `{"name":"\ud800","component":"\udfff","configuration":{"\ud800":"\u0000"}}`},
		"NUL":                  {asJSON, `{"name":"\u0000","component":"\u0000","message":"\u0000","stage":"in\u0000"}`},
		"deep lists":           {asJSON, strings.Repeat("[", 100_000)},
		"deep objects":         {asJSON, strings.Repeat(`{"configuration":`, 100_000) + "1" + strings.Repeat("}", 100_000)},
		"a deep state":         {asJSON, `{"name":"n","component":"c","message":"m","state":` + strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000) + "}"},
		"deep within a text":   {asJSON, `{"name":"n","component":"c","configuration":"` + strings.Repeat("[", 50_000) + `"}`},
		"huge numbers":         {asJSON, `{"name":1e999999,"component":-0,"delay":1e400,"duration":99999999999999999999,"limit":1E+2,"message":0.1e-999}`},
		"the same names":       {asJSON, `{"name":"a","name":{"b":1},"name":[]}`},
		"text":                 {asJSON, `"text"`},
		"number":               {asJSON, `1`},
		"null":                 {asJSON, `null`},
		"list of lists":        {asJSON, `[[[]],{}]`},
		"JSON without a type":  {"", full},
		"JSON as text":         {"text/plain", full},
		"JSON as a form":       {form, full},
		"JSON in Latin-1":      {"application/json; charset=iso-8859-1", "{\"name\":\"\xe9\"}"},
		"a broken type":        {"application/json;;;=", full},
		"XML":                  {"application/xml", `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`},
		"form as JSON":         {asJSON, "name=n&component=c"},
		"broken form":          {form, "name=%zz&%=%"},
		"form of bytes":        {form, "name=%ff%00&component=%c0%af&configuration=%7b%22a%22:%22%ff%22%7d"},
		"form of many fields":  {form, strings.Repeat("a=1&", 100_000)},
		"form of lists":        {form, "name[]=a&name[b]=c&configRowIds[]=1&configuration=[]&state=1"},
		"multipart":            {"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"name\"; filename=\"../../x\"\r\n\r\na\r\n--x--"},
		"multipart, no end":    {"multipart/form-data; boundary=x", "--x\r\n"},
		"faults of everything": {asJSON, `[{"path":"/v2/storage","status":200},{"path":"/x","status":1e3,"headers":{"a\r\n":"b"}}]`},
	}
	for kind, text := range map[string]string{
		"list": `[1,{"a":[]}]`, "object": `{"a":{"b":1}}`, "number": "-1.5e3", "odd text": `"../\u0000\n%2f"`,
	} {
		var b strings.Builder
		for i, name := range members {
			fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], name, text)
		}
		bodies["each member a "+kind] = [2]string{asJSON, b.String() + "}"}
		if kind == "number" {
			continue
		}
		for _, name := range members {
			odd := fmt.Sprintf(`%s,%q:%s}`, strings.TrimSuffix(full, "}"), name, text)
			bodies[name+" is a "+kind] = [2]string{asJSON, odd}
		}
	}
	return bodies
}

func TestEveryEndpointTakesOddBodies(t *testing.T) {
	slowtest.SkipRace(t, "it sends odd requests to every endpoint")
	w := ones(t)
	bodies := oddBodies()
	names := slices.Sorted(maps.Keys(bodies))
	number := 0
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		if strings.Contains(pattern, "{branch}") {
			return // the same functions
		}
		// Side by side they share the waits for the disk.
		var all sync.WaitGroup
		for _, method := range methods {
			number++
			for i, name := range names {
				if !slowtest.Turn(number+i, 3) {
					continue
				}
				id := "1"
				switch {
				case method != "GET" && method != "DELETE":
				case strings.Contains(name, " is a "):
					continue // these have no body; a few will do
				default:
					id = "2" // what has the id 1 must stay
				}
				all.Go(func() {
					response := w.ask(t, method, pathOf(pattern, id), strings.NewReader(bodies[name][1]), "Content-Type", bodies[name][0])
					if pattern == "/faults" && method == "PUT" && response.Code < 400 {
						t.Errorf("%s is a list of faults", name) // and would meet the next request
					}
				})
			}
		}
		all.Wait()
	})
}

// endless is a body without an end, of what is in the buffer.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestEveryBodyIsLimited: no endpoint reads more than the maximum, and none accepts
// an encoded body, which could be small and become huge.
func TestEveryBodyIsLimited(t *testing.T) {
	slowtest.SkipRace(t, "it sends large bodies")
	w := ones(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.Copy(z, io.LimitReader(endless{}, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	read := 0
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		if strings.Contains(pattern, "{branch}") {
			return
		}
		for _, method := range methods {
			if method != "POST" && method != "PUT" {
				continue
			}
			path := pathOf(pattern, "1")
			for _, encoding := range []string{"gzip", "deflate", "br", "x", "gzip, gzip"} {
				response := w.ask(t, method, path, bytes.NewReader(packed.Bytes()), "Content-Type", asJSON, "Content-Encoding", encoding)
				if response.Code != http.StatusUnsupportedMediaType && !platformapi.ParametersOf(pattern, method).Absent {
					t.Errorf("%s, %s: %d %s", method, encoding, response.Code, response.Body)
				}
			}
			if response := w.ask(t, method, path, endless{}, "Content-Type", asJSON); response.Code == http.StatusRequestEntityTooLarge {
				read++
			}
		}
	})
	if read < 9 {
		t.Errorf("only %d endpoints read a body", read)
	}
}

// TestNothingWithoutTheToken: without the right token a client sees and changes
// nothing.
func TestNothingWithoutTheToken(t *testing.T) {
	slowtest.SkipRace(t, "it sends thousands of requests, one after another")
	const mine = "only-for-those-with-the-token"
	w := newWorld(t, func(o *platformapi.Options) { o.JobToken = "of-a-component" })
	body := fmt.Sprintf(`,"description":%q,"configuration":{"#password":%q},"state":{"a":%q}`, mine, mine, mine)
	w.createConfig("1", body)
	// The ids of components are public, those of configurations are not.
	w.must("POST", configs, `{"name":"n","configurationId":"`+mine+`"}`, 201)
	w.must("POST", "/v2/storage/metadata", fmt.Sprintf(`{"metadata":[{"key":"k","value":%q}]}`, mine), 201)
	w.must("POST", configs+"/1/metadata", fmt.Sprintf(`{"metadata":[{"key":"k","value":%q}]}`, mine), 201)
	w.must("POST", configs+"/1/rows", fmt.Sprintf(`{"rowId":"1","name":%q}`, mine), 201)
	w.must("POST", "/v2/storage/events", fmt.Sprintf(`{"component":"acme.ex","message":%q,"runId":"1"}`, mine), 201)
	w.must("POST", "/v2/storage/buckets", fmt.Sprintf(`{"name":%q,"stage":"in"}`, mine), 201)
	w.must("POST", "/queue/jobs", fmt.Sprintf(`{"component":"acme.ex","mode":"run","config":"1","tag":%q}`, mine), 201)
	if _, err := w.store.Load(context.Background(), store.Load{Table: "in.c-" + mine + ".t", Columns: []store.Column{{Name: "a"}}, Next: func() ([]string, error) { return nil, io.EOF }}); err != nil {
		t.Fatal(err)
	}
	before := w.everything(t)
	if !strings.Contains(before, mine) {
		t.Fatal("there is nothing to be seen")
	}
	strangers := map[string][]string{
		"no one": nil, "an empty token": {"X-StorageApi-Token", ""}, "another token": {"X-StorageApi-Token", "other"},
		"a longer token": {"X-StorageApi-Token", token + " x"}, "half a token": {"X-StorageApi-Token", token[:5]},
		"as a bearer": {"Authorization", "Bearer " + token}, "as a cookie": {"Cookie", "local_platform_8088=" + token + "; X-StorageApi-Token=" + token},
		"another header": {"X-Storage-Api-Token", token}, "a list": {"X-StorageApi-Token", token + ", " + token},
	}
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		for who, header := range strangers {
			for _, method := range append([]string{"HEAD", "OPTIONS", "PATCH"}, methods...) {
				for _, id := range []string{"1", mine, "in.c-" + mine, "in.c-" + mine + ".t"} {
					r := request(t, method, pathOf(pattern, id)+"?token="+token, strings.NewReader("{}"), append(header, "Content-Type", asJSON)...)
					response := httptest.NewRecorder()
					w.handler.ServeHTTP(response, r)
					checkResponse(t, r, response)
					leaked := strings.Contains(response.Body.String(), mine) && (response.Code < 400 || !strings.Contains(pathOf(pattern, id), mine))
					if leaked || response.Code != http.StatusUnauthorized && !platformapi.IsPublic(pattern) {
						t.Fatalf("%s: %s: %d %s", who, method, response.Code, response.Body)
					}
				}
			}
		}
	})
	if after := w.everything(t); after != before {
		t.Errorf("there was\n%s\nthere is\n%s", before, after)
	}
	// A component may use the platform as it could elsewhere, and not break it.
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		for _, method := range methods {
			r := request(t, method, pathOf(pattern, "no-such-thing"), nil, "X-StorageApi-Token", "of-a-component")
			response := httptest.NewRecorder()
			w.handler.ServeHTTP(response, r)
			checkResponse(t, r, response)
			if response.Code == http.StatusUnauthorized || (response.Code == http.StatusForbidden) != (pattern == "/faults" || strings.HasSuffix(pattern, "/download")) {
				t.Errorf("%s: %d %s", method, response.Code, response.Body)
			}
		}
	})
}

// everything is what the lists of the platform show.
func (w *world) everything(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{"/v2/storage/components?include=configuration,rows", "/v2/storage/events", "/v2/storage/tables", "/v2/storage/buckets", "/queue/jobs", "/faults", index, "/v2/storage/metadata", "/v2/storage/branch/1/search/component-configurations?include=filteredMetadata"} {
		all.WriteString(w.ask(t, "GET", path, nil).Body.String())
	}
	return exception.ReplaceAllString(all.String(), "exception-X")
}

// TestEveryEndpointRefusesOtherSites, with the token: the default one is known to
// every site.
func TestEveryEndpointRefusesOtherSites(t *testing.T) {
	w := ones(t)
	eachEndpoint(t, func(t *testing.T, pattern string, methods []string) {
		for _, method := range append([]string{"HEAD", "OPTIONS"}, methods...) {
			for _, header := range [][]string{
				{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
				{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, {"Origin", "http://127.0.0.1:3000"},
			} {
				if response := w.ask(t, method, pathOf(pattern, "1"), nil, header...); response.Code != http.StatusForbidden {
					t.Errorf("%s %v: %d %s", method, header, response.Code, response.Body)
				}
			}
		}
	})
}
