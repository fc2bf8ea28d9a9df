package platformapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

const (
	token   = "local-token"
	form    = "application/x-www-form-urlencoded"
	asJSON  = "application/json"
	configs = "/v2/storage/components/acme.ex/configs"
)

// world is the APIs over a store of their own.
type world struct {
	t       *testing.T
	store   *store.Store
	handler http.Handler
	// clock is the time in seconds.
	clock  atomic.Int64
	server *httptest.Server
}

func newWorld(t *testing.T, set ...func(*platformapi.Options)) *world {
	t.Helper()
	w := &world{t: t}
	w.clock.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).Unix())
	now := func() time.Time { return time.Unix(w.clock.Load(), 0) }
	opened, err := store.Open(filepath.Join(t.TempDir(), "store"), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	o := platformapi.Options{Store: opened, Token: token, Components: []string{"acme.ex"}, Now: now, Sleep: app.Sleep, Report: func(err error) { t.Errorf("reported: %v", err) }}
	for _, f := range set {
		f(&o)
	}
	w.store, w.handler = opened, platformapi.New(o)
	w.server = httptest.NewServer(w.handler)
	t.Cleanup(w.server.Close)
	return w
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   string
}

// call sends a request with the token; kind is its content type, "" for none.
func (w *world) call(method, path, kind, body string) reply {
	w.t.Helper()
	return w.callWith(method, path, body, http.Header{"X-Storageapi-Token": {token}, "Content-Type": {kind}})
}

func (w *world) callWith(method, path, body string, header http.Header) reply {
	w.t.Helper()
	// A reader of an unknown length makes the body chunked, as the client library does.
	var chunked io.Reader
	if body != "" {
		chunked = io.MultiReader(strings.NewReader(body))
	}
	r, err := http.NewRequest(method, w.server.URL+path, chunked)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header = header
	if header.Get("Content-Type") == "" {
		header.Del("Content-Type")
	}
	res, err := w.server.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{status: res.StatusCode, header: res.Header, body: w.stable(string(text))}
}

// must sends a request that has to work and decodes its response; a list is empty.
func (w *world) must(method, path, body string, status int) map[string]any {
	w.t.Helper()
	got := w.call(method, path, asJSON, body)
	if got.status != status {
		w.t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
	}
	record := map[string]any{}
	if strings.HasPrefix(got.body, "{") {
		if err := json.Unmarshal([]byte(got.body), &record); err != nil {
			w.t.Fatalf("%s %s: %v in %s", method, path, err, got.body)
		}
	}
	return record
}

var exception = regexp.MustCompile(`exception-[0-9a-f]{32}`)

// stable replaces what differs from run to run, and the store's spelling of some
// characters by the plain one.
func (w *world) stable(text string) string {
	text = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(text)
	text = exception.ReplaceAllString(text, "exception-X")
	return strings.TrimSuffix(strings.ReplaceAll(text, w.server.URL, "http://HOST"), "\n")
}

// step is one request and what must come back.
type step struct {
	name, method, path, kind, body string
	status                         int
	want                           string
}

// run sends the requests one after the other to one world.
func (w *world) run(t *testing.T, steps []step) {
	for _, tc := range steps {
		t.Run(tc.name, func(t *testing.T) {
			got := w.call(tc.method, tc.path, tc.kind, tc.body)
			if got.status != tc.status || got.body != tc.want {
				t.Errorf("%s %s\ngot  %d %s\nwant %d %s", tc.method, tc.path, got.status, got.body, tc.status, tc.want)
			}
			if kind := got.header.Get("Content-Type"); got.body != "" && kind != asJSON && kind != "text/csv; charset=utf-8" {
				t.Errorf("content type %q", kind)
			}
		})
	}
}

func storageError(message, code string) string {
	return `{"error":` + quote(message) + `,"code":"` + code + `","exceptionId":"exception-X","status":"error"}`
}

func queueError(message, code string) string {
	return `{"error":` + quote(message) + `,"code":` + code + `,"exceptionId":"exception-X","status":"error","context":[]}`
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// createConfig stores a configuration under an id.
func (w *world) createConfig(id, more string) {
	w.t.Helper()
	w.must("POST", configs, `{"name":"n","configurationId":"`+id+`"`+more+`}`, http.StatusCreated)
}
