package httpclient

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
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

// TestCachedRefusal: a response of an earlier run that matches a rule with the action login
// is requested again, without a new login. A refusal of this run does not stay in the cache.
func TestCachedRefusal(t *testing.T) {
	server := serve(t, ok(`{"code":"601"}`), ok(`{"code":"601"}`), ok(`{"code":0}`))
	held := &tokens{}
	f := newFixture(t, server.URL, `{}`, held, caching(t.TempDir(), today))
	if _, err := f.get(t, "x"); err != nil {
		t.Fatal(err)
	}
	f.o.Settings.Rules = rules(t, `[{"when":"code==601","do":"login"}]`)
	for range 2 { // the second response comes from the cache
		res, err := f.again(t).Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	var got []string
	for _, r := range server.seen {
		got = append(got, r.header.Get("X-Token"))
	}
	equal(t, "tokens", got, []string{"t0", "t0", "t1"})
	equal(t, "renewed", held.renewed, []string{"t0"})
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

func TestBrokenCacheFileIsAMiss(t *testing.T) {
	const body = "more than sixteen bytes"
	change := func(old, replacement string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, replacement, 1) }
	}
	tests := []struct {
		name  string
		spoil func(string) string
	}{
		{"empty", func(string) string { return "" }},
		{"garbage", func(string) string { return "\x00\x01\n\n\n" }},
		{"not even a line", func(text string) string { return strings.Replace(text, "\n", "", 1) }},
		{"a first line without end", func(text string) string { return strings.Repeat(" ", maxEntryHead) + text }},
		{"no headers, as earlier versions wrote it", change(`"headers":`, `"link":`)},
		{"no object", func(string) string { return "7\n" + body }},
		{"no time", change(`"created":`, `"x":`)},
		{"no status", change(`"status":200`, `"status":"ok"`)},
		{"the status of an error", change(`"status":200`, `"status":500`)},
		{"no hash", change(`"sha256":`, `"x":`)},
		{"another hash", change(`"sha256":"`, `"sha256":"0`)},
		{"cut off", func(text string) string { return text[:len(text)-1] }},
		{"cut off after the first line", func(text string) string { return strings.SplitAfter(text, "\n")[0] }},
		{"with something after", func(text string) string { return text + "\n" }},
		{"changed", change("sixteen", "Sixteen")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, ok(body), ok("new"))
			dir := t.TempDir()
			f := newFixture(t, server.URL, `{}`, nil, caching(dir, today))
			if _, err := f.get(t, "x"); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, names(t, dir)[0])
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(tt.spoil(string(text))), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if body, err := f.get(t, "x"); err != nil || body != "new" {
					t.Errorf("got %q, %v", body, err)
				}
			}
			noSpools(t, f)
		})
	}
}

// Readers see a complete response or none, even while one is written.
func TestCacheIsWrittenAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "answer")
	spooler := response.NewSpooler(t.TempDir(), 1<<20)
	bodies := map[string]bool{strings.Repeat("a", 1<<16): true, strings.Repeat("b", 1<<18): true}
	var wg sync.WaitGroup
	for body := range bodies {
		wg.Go(func() {
			for range 50 {
				spool := spooler.New()
				if _, err := spool.Write([]byte(body)); err != nil {
					t.Error(err)
				}
				e := entry{created: 1, status: 200, body: spool}
				if err := e.write(path); err != nil {
					t.Error(err)
				}
				got, ok := readEntry(path, spooler)
				if !ok {
					t.Error("a response is there and cannot be read")
					return
				}
				text, _, err := got.body.Text(response.Format{})
				if err != nil || !bodies[string(text)] {
					t.Errorf("read %d bytes that no one wrote, %v", len(text), err)
				}
				if err := got.body.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	equal(t, "files", names(t, dir), []string{"answer"})
}

func FuzzCacheFile(f *testing.F) {
	f.Add([]byte(`{"created":1,"status":200,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","headers":{"Link":["<a>"]}}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, _, ok := readHead(bufio.NewReader(bytes.NewReader(text)))
		if ok && (e.status < 200 || e.status > 299) {
			t.Errorf("took the status %d", e.status)
		}
		path := filepath.Join(t.TempDir(), "answer")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		whole, ok := readEntry(path, response.NewSpooler(t.TempDir(), 16))
		if !ok {
			return
		}
		_, body, _ := bytes.Cut(text, []byte("\n"))
		if got := readSpool(t, whole.body); got != string(body) {
			t.Errorf("read %q, want %q", got, body)
		}
	})
}

// TestHeadersInTheCache: a response of the cache has the headers that say something
// about its data, however many there are.
func TestHeadersInTheCache(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Link"] = []string{"<a>; rel=next", "<b>; rel=prev"}
		w.Header().Set("X-Next-Page", "7")
		w.Header().Set("X-Long", long)
		w.Header().Set("Set-Cookie", "session=1")
		ok("body")(w, r)
	})
	f := newFixture(t, server.URL, `{}`, nil, caching(t.TempDir(), today))
	for _, from := range []string{"the network", "the cache"} {
		res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "Link from "+from, res.Header.Values("Link"), []string{"<a>; rel=next", "<b>; rel=prev"})
		if got := res.Header.Get("X-Next-Page") + res.Header.Get("X-Long"); got != "7"+long {
			t.Errorf("from %s: got %d bytes of headers", from, len(got))
		}
		if from == "the cache" && (res.Header.Get("Set-Cookie") != "" || res.cacheFile == "") {
			t.Errorf("got %v from %q", res.Header, res.cacheFile)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

// shared returns the options of a client with these settings.
func shared(s Settings) Options {
	return Options{Shared: &Shared{Run: &env.Run{UserAgent: "agent/1"}, Settings: s}}
}

// TestCacheKeys: what distinguishes responses, and what does not.
func TestCacheKeys(t *testing.T) {
	slowtest.Skip(t, "keys of a cache are made slowly, on purpose")
	const account = `{"user":"ann"}`
	key := func(o Options, base string, r config.RequestSpec, headers []config.Header, added string) string {
		t.Helper()
		if o.Shared == nil {
			o.Shared = shared(Settings{}).Shared
		}
		req, err := build(baseURL(t, base), r, o.UserAgent, "", headers)
		if err != nil {
			t.Fatal(err)
		}
		x := &call{Request: req, Built: req}
		if added != "" { // by an authentication
			x.Request = req.Clone()
			x.Sensitive = secret.Sensitive{}.WithParam("sig")
			x.URL.RawQuery = added
			x.Header.Set("X-Token", added)
		}
		k, err := newCacheKeys(&o).of(x)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	get := func(headers, params string) config.RequestSpec {
		return config.RequestSpec{Endpoint: "x", Headers: parse(t, headers), Params: parse(t, params)}
	}
	plain := key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "")
	if sum := sha256.Sum256([]byte("GET http://a.test/x?page=1")); plain != hex.EncodeToString(sum[:]) {
		t.Errorf("without an account the key is %s", plain)
	}
	secret := parse(t, `{"page":1,"pin":7}`)
	secret = secret.With("pin", secret.Field("pin").AsSecret())
	all := map[string]string{"nothing": plain}
	for name, k := range map[string]string{
		"another address":     key(Options{}, "http://a.test/", get(`{}`, `{"page":2}`), nil, ""),
		"an identity":         key(Options{Identity: account}, "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"a user":              key(Options{}, "http://ann:pass@a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"another user":        key(Options{}, "http://bob:pass@a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"a signature":         key(shared(Settings{signature: &signature{keyID: "a", secret: "b"}}), "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"another signature":   key(shared(Settings{signature: &signature{keyID: "a", secret: "c"}}), "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"a header":            key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), []config.Header{{Name: "X-A", Values: []string{"1"}}}, ""),
		"two lines of it":     key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), []config.Header{{Name: "X-A", Values: []string{"1", "2"}}}, ""),
		"one of the job":      key(Options{}, "http://a.test/", get(`{"X-B":"1"}`, `{"page":1}`), nil, ""),
		"Accept":              key(Options{}, "http://a.test/", get(`{"Accept":"text/csv"}`, `{"page":1}`), nil, ""),
		"a secret parameter":  key(Options{}, "http://a.test/", config.RequestSpec{Endpoint: "x", Params: secret}, nil, ""),
		"another one":         key(Options{}, "http://a.test/", config.RequestSpec{Endpoint: "x", Params: secret.With("pin", parse(t, `8`).AsSecret())}, nil, ""),
		"an added signature":  key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "page=1&sig=1"),
		"another one of them": key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "page=1&sig=2"),
	} {
		for other, same := range all {
			if k == same {
				t.Errorf("%s and %s have one key", name, other)
			}
		}
		all[name] = k
	}
	for name, same := range map[string]string{
		"the same again":          key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, ""),
		"what a login brought":    key(Options{}, "http://a.test/", get(`{}`, `{"page":1}`), nil, "page=1"),
		"Cache-Control":           key(Options{}, "http://a.test/", get(`{"cache-control":"min-fresh=9"}`, `{"page":1}`), nil, ""),
		"a header we send anyway": key(Options{}, "http://a.test/", get(`{"accept":"application/json"}`, `{"page":1}`), nil, ""),
	} {
		if same != plain {
			t.Errorf("%s has another key", name)
		}
	}
}

// TestCacheKeysForgetSignatures: a new signature for each request does not use more and
// more memory.
func TestCacheKeysForgetSignatures(t *testing.T) {
	o := shared(Settings{})
	k := newCacheKeys(&o)
	for i := range knownAccounts {
		k.known[[32]byte{byte(i), byte(i >> 8)}] = ""
	}
	req := &request.Request{Method: http.MethodGet, URL: baseURL(t, "http://ann@a.test/"), Host: "a.test"}
	for range 2 {
		if _, err := k.of(&call{Request: req, Built: req}); err != nil || len(k.known) != 1 {
			t.Errorf("%d accounts are remembered, %v", len(k.known), err)
		}
	}
}
