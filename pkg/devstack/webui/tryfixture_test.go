package webui

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// component runs the component in this process.
type component struct{}

func (component) LogServer() (listen, host string) { return "127.0.0.1:0", "127.0.0.1" }

func (component) Start(l sandbox.Launch) (sandbox.Component, error) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &started{cancel: cancel, ended: make(chan int, 1)}
	o := app.Options{
		DataDir: l.Data, Version: "dev", Stdout: pieces(l.Stdout), Stderr: pieces(l.Stderr),
		Run: env.Run{Getenv: func(name string) string { return l.Env[name] }},
	}
	args := l.Args(l.Data)
	for i := 0; i+1 < len(args); i += 2 {
		number, _ := strconv.ParseInt(args[i+1], 10, 64)
		switch args[i] {
		case "--sample":
			o.Sample = int(number)
		case "--max-requests":
			o.Limits.Requests = int(number)
		case "--max-bytes":
			o.Limits.Bytes = number
		case "--record":
			o.Record = args[i+1]
		case "--replay":
			o.Replay = args[i+1]
		case "--report":
			o.Report = args[i+1]
		}
	}
	go func() { c.ended <- app.Run(ctx, o) }()
	return c, nil
}

type started struct {
	cancel context.CancelFunc
	ended  chan int
}

func (c *started) Wait() (int, bool, error) { return <-c.ended, false, nil }
func (c *started) Stop(time.Duration) error { return c.Kill() }
func (c *started) Kill() error              { c.cancel(); return nil }

type pieces func([]byte)

func (p pieces) Write(text []byte) (int, error) { p(text); return len(text), nil }

// tryShop is an API with a login, pages and children. Hold, if it is not nil, keeps its
// responses until it is closed. Pad makes its responses larger.
type tryShop struct {
	*httptest.Server
	requests atomic.Int64
	hold     atomic.Pointer[chan struct{}]
	pad      int
	pages    int
}

func newTryShop(t testing.TB) *tryShop {
	s := &tryShop{pages: 3}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if hold := s.hold.Load(); hold != nil {
			select {
			case <-*hold:
			case <-r.Context().Done():
			}
		}
		w.Header().Set("Content-Type", "application/json")
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		page = max(page, 1)
		switch {
		case r.URL.Path == "/login":
			fmt.Fprint(w, `{"token":"tok-9-secret-of-the-login"}`)
		case r.Header.Get("Authorization") != "Bearer tok-9-secret-of-the-login":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/orders":
			next := "null"
			if page < s.pages {
				next = strconv.Itoa(page + 1)
			}
			fmt.Fprintf(w, `{"meta":{"next":%s,"pad":"%s"},"orders":[{"id":%d,"customer":"<script>alert(1)</script>"},{"id":%d,"customer":"Eva Novak"}]}`, next, strings.Repeat("x", s.pad), 2*page-1, 2*page)
		case strings.HasSuffix(r.URL.Path, "/items"):
			fmt.Fprint(w, `[{"sku":"A-1","price":12.5},{"sku":"B-2","price":3}]`)
		case r.URL.Path == "/photo":
			fmt.Fprint(w, "\x89PNG\r\n\x1a\n\x00\x01\x02\x03\xff")
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"there is no such path"}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// document is a configuration for the shop.
func (s *tryShop) document(more string) string {
	return `{"parameters": {
		"api": {"baseUrl": "` + s.URL + `/", "http": {"defaultOptions": {"params": {"lang": "en"}}, "headers": {"X-Client": "try"}},
			"pagination": {"method": "response.param", "responseParam": "meta.next", "queryParam": "page"},
			"authentication": {"type": "login",
				"loginRequest": {"endpoint": "login", "method": "POST", "params": {"user": "demo", "password": {"attr": "#password"}}},
				"apiRequest": {"headers": {"Authorization": {"function": "concat", "args": ["Bearer ", {"response": "token"}]}}}}},
		"config": {"outputBucket": "shop", "#password": "let-me-in-please", "since": "2026",
			"jobs": [{"endpoint": "orders", "dataField": "orders", "params": {"since": {"attr": "since"}},
				"children": [{"endpoint": "orders/{id}/items", "placeholders": {"id": "id"}, "dataField": "."}]}` + more + `]}}}`
}

// tryPlatform is a platform with a shop, its configuration, and tries.
type tryPlatform struct {
	*platform
	shop  *tryShop
	tries *tryrun.Trials
	// triesDir is the directory of the tries.
	triesDir string
	c        store.Configuration
}

func newTryPlatform(t *testing.T) *tryPlatform {
	t.Helper()
	p := &tryPlatform{platform: newPlatform(t), shop: newTryShop(t)}
	p.addTries(p.clock.Now)
	p.c = p.configure(store.Configuration{Component: "acme.ex-shop", ID: "1", Name: "Shop <b>", Configuration: []byte(p.shop.document(""))})
	return p
}

func (p *tryPlatform) addTries(now func() time.Time) {
	p.Helper()
	dir := p.TempDir()
	runs, err := sandbox.New(sandbox.Options{Dir: filepath.Join(dir, "runs"), Engine: component{}, Logging: sandbox.LogGELF, Now: now})
	p.must(err)
	jobs, err := queue.New(queue.Options{Store: p.store, Runner: runs, Token: "the-token-of-jobs", URL: "http://127.0.0.1:1", Stack: "localhost", Now: now})
	p.must(err)
	p.triesDir = filepath.Join(dir, "tries")
	p.tries, err = tryrun.New(tryrun.Options{Dir: p.triesDir, Run: runs.Run, Prepare: jobs.Try, Now: now, Report: func(err error) { p.Errorf("reported: %v", err) }})
	p.must(err)
	p.Cleanup(func() { p.must(p.tries.Close()) })
	p.platform.tries = p.tries
	p.page, p.session = p.open(func(time.Duration) (<-chan time.Time, func()) { return p.beats, func() {} })
}

// look is the text of a page of the session.
func (p *tryPlatform) look(path string) string {
	p.Helper()
	a := probe(p, p.page, "GET", p.session.path+path, "", "Cookie", p.cookie().String())
	if a.Code != http.StatusOK {
		p.Fatalf("%s: %d %s", path, a.Code, a.Body)
	}
	return a.Body.String()
}

// start starts a try of a text and returns its path.
func (p *tryPlatform) start(document string, more ...string) string {
	p.Helper()
	form := url.Values{"document": {document}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	a := p.submit("/configurations/acme.ex-shop/1/try", form)
	if a.Code != http.StatusSeeOther {
		p.Fatalf("%d %s", a.Code, a.Body)
	}
	return strings.TrimPrefix(a.Header().Get("Location"), p.session.path)
}

// run is start, and waits for the end of the try.
func (p *tryPlatform) run(document string, more ...string) string {
	p.Helper()
	path := p.start(document, more...)
	t, ok := p.tries.Get(strings.TrimPrefix(path, "/tries/"))
	if !ok {
		p.Fatal("the try is not there")
	}
	<-t.Done()
	return path
}
