package httpclient

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestCompileTTL(t *testing.T) {
	const week = 604800
	tests := []struct {
		cache string
		want  int64
		fails string
	}{
		{`null`, 0, ""},
		{`false`, 0, ""},
		{`0`, 0, ""},
		{`{}`, 0, ""},
		{`[]`, 0, ""},
		{`true`, week, ""},
		{`1`, week, ""},
		{`"yes"`, week, ""},
		{`{"ttl":60}`, 60, ""},
		{`{"ttl":"60"}`, 60, ""},
		{`{"ttl":60.9}`, 60, ""},
		{`{"ttl":0}`, week, ""},
		{`{"ttl":null,"__note":"x"}`, week, ""},
		{`{"ttl":-1}`, week, "configuration: /parameters/cache/ttl: expected a number of seconds above 0, found -1"},
		{`{"ttl":"soon"}`, week, `configuration: /parameters/cache/ttl: expected an integer, found "soon"`},
	}
	for _, tt := range tests {
		settings, problems := settingsOf(t, []value.Member{{Name: "cache", Value: parse(t, tt.cache)}}, nil)
		if settings.ttl != tt.want || problems != tt.fails {
			t.Errorf("%s: got %d, %q, want %d, %q", tt.cache, settings.ttl, problems, tt.want, tt.fails)
		}
	}
}

// caching turns the cache on, with a time to live of 60 seconds.
func caching(dir string, now func() time.Time) func(*Options) {
	return func(o *Options) { o.Settings.ttl, o.CacheDir, o.Now = 60, dir, now }
}

func TestCacheServesTheSecondRequest(t *testing.T) {
	const long = "a body of more than sixteen bytes, which goes to a file"
	server := serve(t, ok(long), ok("other"), say(http.StatusCreated, ""))
	dir := filepath.Join(t.TempDir(), "cache")
	f := newFixture(t, server.URL, `{}`, nil, caching(dir, today), func(o *Options) { o.Debug = true })
	for range 2 { // clients, as of two iterations or runs
		for _, request := range []struct {
			endpoint, want string
			status         int
		}{{"x", long, 200}, {"x", long, 200}, {"x?q=1", "other", 200}, {"empty", "", 201}} {
			res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: request.endpoint})
			if err != nil {
				t.Fatal(err)
			}
			if body := readSpool(t, res.Body); body != request.want || res.Status != request.status || res.Method != "GET" || res.Request.Address() != server.URL+"/"+request.endpoint || res.AcceptedError {
				t.Errorf("%s: got %q in %+v", request.endpoint, body, res)
			}
		}
		f.Client = f.again(t)
	}
	equal(t, "events", f.messages("request.sent"), []string{"GET /x", "GET /x?q=1", "GET /empty"})
	noSpools(t, f)
	if files := names(t, dir); len(files) != 3 {
		t.Errorf("the cache holds %v, want 3 files", files)
	}
}

func TestCacheForgets(t *testing.T) {
	server := serve(t, ok("useless"), ok("useful"))
	dir := filepath.Join(t.TempDir(), "cache")
	f := newFixture(t, server.URL, `{}`, nil, caching(dir, today))
	for i, want := range []string{"useless", "useless", "useful", "useful"} {
		res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if body := readSpool(t, res.Body); body != want {
			t.Errorf("answer %d: got %q, want %q", i+1, body, want)
		}
		if i != 1 { // the one that came from the cache
			continue
		}
		for range 2 {
			if err := res.EvictFromCache(); err != nil {
				t.Error(err)
			}
		}
	}
}

// again is another client with the same options.
func (f *fixture) again(t testing.TB) *Client {
	t.Helper()
	client, err := New(f.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestCacheHitIsNotARequest(t *testing.T) {
	server := serve(t, ok("1"))
	f := newFixture(t, server.URL, `{}`, nil, caching(t.TempDir(), today), func(o *Options) { o.Debug = true })
	for range 3 {
		if body, err := f.get(t, "x"); err != nil || body != "1" {
			t.Fatalf("got %q, %v", body, err)
		}
	}
	if requests, received := f.stats.Requests.Load(), f.stats.Bytes.Load(); requests != 1 || received != 1 || len(f.messages("request.sent")) != 1 {
		t.Errorf("counted %d requests and %d bytes, events %v", requests, received, f.messages("request.sent"))
	}
}

func TestCacheExpires(t *testing.T) {
	tests := []struct {
		name, cacheControl string
		later              time.Duration
		hit                bool
	}{
		{"at once", "", 0, true},
		{"in its last second", "", 60 * time.Second, true},
		{"one second too late", "", 61 * time.Second, false},
		{"the clock was put back", "", -time.Hour, true},
		{"to stay fresh long enough", "min-fresh=50", 10 * time.Second, true},
		{"to stay fresh too long", `private, Min-Fresh="51"`, 10 * time.Second, false},
		{"to stay fresh for nonsense", "min-fresh=x", 0, false},
		{"other wishes do not count", "no-cache, max-age=0", 60 * time.Second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := map[bool]string{true: "old", false: "new"}[tt.hit]
			steps := []http.HandlerFunc{ok("old")}
			if !tt.hit {
				steps = append(steps, ok("new"))
			}
			server := serve(t, steps...)
			now := today()
			f := newFixture(t, server.URL, `{}`, nil, caching(t.TempDir(), func() time.Time { return now }))
			if _, err := f.get(t, "x"); err != nil {
				t.Fatal(err)
			}
			now = now.Add(tt.later)
			r := config.RequestSpec{Endpoint: "x"}
			if tt.cacheControl != "" {
				r.Headers = value.OfMembers(value.Member{Name: "cache-control", Value: value.OfString(tt.cacheControl)})
			}
			for range 2 { // a response that is fetched again is stored again
				if body, err := f.do(t, r); err != nil || body != want {
					t.Errorf("got %q, %v, want %q", body, err, want)
				}
				r.Headers = value.Value{}
			}
		})
	}
}

func TestWhatIsNotCached(t *testing.T) {
	tests := []struct {
		name, request string
		response      http.HandlerFunc
		api           string
		sent          int // requests for two equal ones, including retries
	}{
		{"POST", `{"method":"POST"}`, ok("1"), `{}`, 2},
		{"FORM", `{"method":"FORM"}`, ok("1"), `{}`, 2},
		{"DELETE", `{"method":"DELETE"}`, ok("1"), `{}`, 2},
		{"no-store", `{"headers":{"cache-control":"max-age=0, No-Store"}}`, ok("1"), `{}`, 2},
		{"no-store in a second line", `{"headers":{"Cache-Control":["max-age=0","no-store"]}}`, ok("1"), `{}`, 2},
		{"an error", `{}`, say(http.StatusNotFound, "{}"), `{}`, 2},
		{"an error that is ignored", `{}`, say(http.StatusNotFound, "{}"), `{"http":{"ignoreErrors":[404]}}`, 2},
		{"an error that is retried", `{}`, say(http.StatusServiceUnavailable, "{}"), `{"retryConfig":{"maxRetries":1}}`, 4},
		{"a success that is retried", `{}`, say(http.StatusAccepted, "{}"), `{"retryConfig":{"maxRetries":1,"http":{"codes":[202]}}}`, 4},
		{"a response that states nothing new", `{}`, say(http.StatusNotModified, ""), `{}`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, times(tt.sent, tt.response)...)
			dir := t.TempDir()
			f := newFixture(t, server.URL, tt.api, nil, caching(dir, today))
			v := parse(t, tt.request)
			for range 2 {
				_, err := f.do(t, config.RequestSpec{Endpoint: "x", Method: v.Field("method").Text(), Headers: v.Field("headers")})
				if err != nil && failure.KindOf(err) != failure.User {
					t.Fatal(err)
				}
			}
			if files := names(t, dir); files != nil {
				t.Errorf("the cache holds %v", files)
			}
		})
	}
}

func TestBrokenBodyIsNotCached(t *testing.T) {
	address, connections := misbehave(t, responding("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nmore than sixteen bytes"))
	dir := t.TempDir()
	f := newFixture(t, "http://"+address, `{"retryConfig":{"maxRetries":1}}`, nil, caching(dir, today))
	for range 2 {
		_, err := f.get(t, "x")
		wantUserError(t, err, "network error 18")
	}
	if connections() != 4 || names(t, dir) != nil {
		t.Errorf("%d connections were made, the cache holds %v", connections(), names(t, dir))
	}
}

func TestCacheOfRedirects(t *testing.T) {
	redirect := say(http.StatusFound, "", "Location: /there")
	server := serve(t, redirect, ok("1"), redirect)
	f := newFixture(t, server.URL, `{}`, nil, caching(t.TempDir(), today))
	for range 2 {
		if body, err := f.get(t, "x"); err != nil || body != "1" {
			t.Fatalf("got %q, %v", body, err)
		}
	}
	equal(t, "requests", server.lines(), []string{"GET /x", "GET /there", "GET /x"})
}

func TestCacheKnowsRequestsByTheirFinalAddress(t *testing.T) {
	server := serve(t, ok("1"), ok("2"))
	token := "a"
	f := newFixture(t, server.URL, `{}`, authenticated(func(r *auth.Attempt) error {
		r.URL.RawQuery = "token=" + token
		r.Header.Set("X-Nonce", token+"!")
		return nil
	}), caching(t.TempDir(), today))
	for _, step := range []struct{ token, want string }{{"a", "1"}, {"b", "2"}, {"a", "1"}, {"b", "2"}} {
		token = step.token
		if body, err := f.get(t, "x"); err != nil || body != step.want {
			t.Errorf("token %s: got %q, %v, want %q", token, body, err, step.want)
		}
	}
}

func TestCacheDoesNotServeLogins(t *testing.T) {
	server := serve(t, ok("1"), ok("2"))
	dir := t.TempDir()
	f := newFixture(t, server.URL, `{}`, nil, caching(dir, today))
	for _, want := range []string{"1", "2"} {
		spool, err := f.Login(t.Context(), config.RequestSpec{Endpoint: "login"})
		if err != nil {
			t.Fatal(err)
		}
		if got := readSpool(t, spool); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if files := names(t, dir); files != nil {
		t.Errorf("the cache holds %v", files)
	}
}

func TestCacheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "cache")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{cachePart + "x", "kept"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := newFixture(t, "http://a.test", `{}`, nil, caching(dir, today))
	equal(t, "files", names(t, dir), []string{"kept"})

	f.o.Settings.ttl, f.o.CacheDir = 0, filepath.Join(dir, "off")
	f.again(t)
	f.o.Settings.ttl, f.o.CacheDir = 60, ""
	f.again(t)
	equal(t, "files without a cache", names(t, dir), []string{"kept"})

	f.o.CacheDir = filepath.Join(dir, "kept")
	if _, err := New(f.o); failure.KindOf(err) != failure.Application || !strings.Contains(err.Error(), "cannot make the directory of the cache") {
		t.Errorf("a file in the place of the directory gives %v", err)
	}
}

func TestCacheThatCannotBeWritten(t *testing.T) {
	server := serve(t, ok("more than sixteen bytes"))
	dir := filepath.Join(t.TempDir(), "cache")
	f := newFixture(t, server.URL, `{}`, nil, caching(dir, today))
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	_, err := f.get(t, "x")
	if failure.KindOf(err) != failure.Application || !strings.Contains(err.Error(), "cannot write to the cache") || strings.Count(err.Error(), "no such file") != 1 {
		t.Errorf("got %v", err)
	}
	noSpools(t, f)
}

func TestCacheServesManyAtOnce(t *testing.T) {
	const body = "more than sixteen bytes"
	server := serve(t, ok(body))
	f := newFixture(t, server.URL, `{}`, nil, caching(t.TempDir(), today))
	if _, err := f.get(t, "x"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got, err := f.get(t, "x"); err != nil || got != body {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wg.Wait()
	noSpools(t, f)
}
