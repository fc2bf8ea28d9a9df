package webui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/platformapi"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

const variablesComponent = variables.DefaultComponent

const testToken = "a token & more"

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// platform is a store with a clock that only the test moves, and the page on it.
type platform struct {
	*testing.T
	clock *clock.Clock
	store *store.Store
	page  http.Handler
	// session is the one that the token opens.
	session session
	// beats is the ticker of every stream, done ends them.
	beats chan time.Time
	done  chan struct{}
	tries *tryrun.Trials // nil runs no tries
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	t.Parallel() // each write waits for others to share its transaction with
	p := &platform{T: t, clock: clock.At(noon), beats: make(chan time.Time), done: make(chan struct{})}
	s, err := store.Open(filepath.Join(t.TempDir(), "store"), p.clock.Now)
	p.must(err)
	p.store = s
	t.Cleanup(func() { p.must(s.Close()) })
	p.page, p.session = p.open(func(time.Duration) (<-chan time.Time, func()) { return p.beats, func() {} })
	return p
}

// open makes the page with a ticker.
func (p *platform) open(ticker func(time.Duration) (<-chan time.Time, func())) (http.Handler, session) {
	return open(Options{
		Store: p.store, API: newAPI(p.store, p.clock.Now), Tries: p.tries, Token: testToken, Now: p.clock.Now, Ticker: ticker, Done: p.done,
		Report: func(err error) { p.Errorf("reported: %v", err) },
	})
}

// newAPI is the platform's APIs without waiting and without reports.
func newAPI(s *store.Store, now func() time.Time) http.Handler {
	return platformapi.New(platformapi.Options{Store: s, Token: testToken, Now: now, Sleep: func(context.Context, time.Duration) error { return nil }})
}

func (p *platform) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *platform) configure(c store.Configuration) store.Configuration {
	p.Helper()
	created, err := p.store.CreateConfiguration(c)
	p.must(err)
	return created
}

// start creates a job of a configuration and begins it.
func (p *platform) start(c store.Configuration) store.Job {
	p.Helper()
	j, err := p.store.CreateJob(store.Job{Component: c.Component, Config: c.ID, Mode: store.Run})
	p.must(err)
	p.clock.Advance(400 * time.Millisecond)
	return p.change(j.ID, func(j *store.Job) error { return j.To(store.Processing, p.clock.Now()) })
}

func (p *platform) change(job string, change func(*store.Job) error) store.Job {
	p.Helper()
	j, err := p.store.UpdateJob(job, change)
	p.must(err)
	return j
}

// end ends a job.
func (p *platform) end(job string, status store.Status, result store.Result) store.Job {
	p.Helper()
	return p.change(job, func(j *store.Job) error {
		j.Result = &result
		return j.To(status, p.clock.Now())
	})
}

// say adds an event of a job; the fields are its details.
func (p *platform) say(job, kind, message string, fields ...any) store.Event {
	p.Helper()
	details := map[string]any{}
	for i := 0; i < len(fields); i += 2 {
		details[fields[i].(string)] = fields[i+1]
	}
	text, err := json.Marshal(details)
	p.must(err)
	stored, err := p.store.AddEvents(store.Event{
		Created: p.clock.Now(), Component: "acme.ex-shop", Type: kind, RunID: job, Message: message, Results: text,
	})
	p.must(err)
	return stored[0]
}

// endIncomplete ends a job with success and findings: two of them are events,
// the result counts all.
func (p *platform) endIncomplete(job string, findings int) store.Job {
	p.Helper()
	p.say(job, "warn", "Job users: 'total' of the response says that there are 23 rows, but 15 were fetched", "event", "job.short", "job", "users",
		"fetched", "15", "total", "23", "pointer", "/parameters/api/pagination", "jobPointer", "/parameters/config/jobs/0")
	p.say(job, "warn", "Job <orders>: page 1 has no data, but the API reports errors: Throttled", "event", "response.errors", "job", "<orders>",
		"jobPointer", "/parameters/config/jobs/1")
	return p.end(job, store.Success, store.Result{Message: "Component processing finished.", Incomplete: findings})
}

// request adds the events of one request with a response.
func (p *platform) request(job, path, query string, attempt, status int, took time.Duration) {
	p.Helper()
	message := "GET " + path
	if query != "" {
		message += "?" + query
	}
	p.say(job, "info", message, "event", "request.sent", "method", "GET", "path", path, "query", query, "attempt", attempt)
	p.clock.Advance(took)
	of, pointer := "users", "/parameters/config/jobs/0"
	if strings.HasPrefix(path, "/orders") {
		of, pointer = "orders", "/parameters/config/jobs/1"
	}
	// Numbers arrive as numbers or as text.
	p.say(job, "debug", fmt.Sprintf("%s: %d after %s", message, status, took), "event", "request.answered", "method", "GET",
		"url", "https://shop.example"+path, "path", path, "query", query, "attempt", attempt, "status", fmt.Sprint(status),
		"bytes", 400+37*int(took.Milliseconds()), "seconds", took.Seconds(),
		"login", fmt.Sprint(path == "/login"), "job", of, "jobPointer", pointer)
	p.clock.Advance(3 * time.Millisecond)
}

func (p *platform) load(l store.Load, rows ...[]string) store.Table {
	p.Helper()
	next := 0
	l.Next = func() ([]string, error) {
		if next == len(rows) {
			return nil, io.EOF
		}
		next++
		return rows[next-1], nil
	}
	loaded, err := p.store.Load(context.Background(), l)
	p.must(err)
	return loaded
}

// cookie is the cookie after a login.
func (p *platform) cookie() *http.Cookie {
	return &http.Cookie{Name: cookieName + "8088", Value: p.session.cookie}
}

// get is the response after a login. The path, and those in the response, are below the
// path of the session.
func (p *platform) get(path string) *httptest.ResponseRecorder {
	p.Helper()
	r := httptest.NewRequest(http.MethodGet, p.session.path+path, nil)
	r.Host = "localhost:8088"
	r.AddCookie(p.cookie())
	w := httptest.NewRecorder()
	p.page.ServeHTTP(w, r)
	w.Body = bytes.NewBufferString(strings.ReplaceAll(w.Body.String(), p.session.path, ""))
	return w
}

// see is a page that must be there, and hold the texts.
func (p *platform) see(path string, texts ...string) string {
	p.Helper()
	w := p.get(path)
	if w.Code != http.StatusOK {
		p.Fatalf("%s: status %d: %s", path, w.Code, w.Body)
	}
	body := w.Body.String()
	for _, text := range texts {
		if !strings.Contains(body, text) {
			p.Errorf("%s lacks %q:\n%s", path, text, body)
		}
	}
	return body
}

func lacks(t *testing.T, body string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(body, text) {
			t.Errorf("must not hold %q:\n%s", text, body)
		}
	}
}
