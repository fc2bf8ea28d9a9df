// Package webui is the web page of the local platform: configurations, running jobs,
// errors beside the settings to fix, and tables.
//
// It never shows the value of a key that begins with #, escapes everything that is
// stored, and loads nothing from other hosts. It reads from the store, and changes
// things by requests to the platform's APIs, as every other client.
package webui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

type Options struct {
	Store *store.Store
	// API serves the platform's APIs; the page calls it within the process.
	API http.Handler
	// Tries runs configurations that are open in the editor, saved or not; nil runs none.
	Tries *tryrun.Trials
	// Token opens the page; required.
	Token string
	// Now is the clock for running jobs; nil is time.Now. Times are shown in its
	// zone until the browser's zone is known.
	Now func() time.Time
	// Ticker beats once per interval until stop is called; nil is a time.Ticker.
	Ticker func(interval time.Duration) (beats <-chan time.Time, stop func())
	// Done ends the streams when it is closed. If it is nil, only the contexts of
	// their requests do.
	Done <-chan struct{}
	// Dial connects to an API whose response a configuration begins with; nil is a real
	// connection.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Report receives errors that are not shown: those behind status 500 and behind
	// broken responses. Several goroutines may call it. nil drops them.
	Report func(error)
}

// New makes the page, to be mounted at /. It panics if the token is empty: the page
// would be open to everyone.
func New(o Options) http.Handler {
	handler, _ := open(o)
	return handler
}

// open is New, and also returns the session that the token opens.
func open(o Options) (http.Handler, session) {
	if o.Token == "" {
		panic("page: the token is empty")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Ticker == nil {
		o.Ticker = ticker
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	inside := newSession()
	s := &site{Options: o, session: inside, assets: newAssets()}
	s.views = newViews(s)
	return s.headers(ownSite(s.requireSession(s.routes()))), inside
}

type site struct {
	Options
	session session
	assets  assets
	views   views
	// checking is held while a text is checked.
	checking sync.Mutex
	drafts   drafts
	digests  digests
}

func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range s.pages() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := serve(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	return mux
}

// paths are handlers by the pattern of their path.
type paths map[string]func(http.ResponseWriter, *http.Request) error

// pages are all paths that need a login.
func (s *site) pages() paths {
	all := paths{
		"GET /{$}":                                  s.overview,
		"GET /stream":                               s.followOverview,
		"GET /configurations/{component}/{id}":      s.configuration,
		"GET /jobs/{id}":                            s.job,
		"GET /jobs/{id}/stream":                     s.followJob,
		"GET /jobs/{id}/events":                     s.eventLog,
		"POST /jobs/{id}/kill":                      s.kill,
		"POST /jobs/{id}/again":                     s.again,
		"POST /configurations/{component}/{id}/run": s.run,
		"GET /tables":                               s.tables,
		"GET /tables/{id}":                          s.table,
		"GET /tables/{id}/csv":                      s.download,
		"/":                                         func(http.ResponseWriter, *http.Request) error { return store.ErrNotFound },
	}
	maps.Copy(all, s.editorPages())
	maps.Copy(all, s.beginPages())
	maps.Copy(all, s.tryPages())
	return all
}

// headers forbids everything that the page does not need.
func (s *site) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		// Not no-referrer, which would remove the origin from the POST of the login
		// form.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// failedMessage replaces a page that could not be made.
const failedMessage = "The page could not be made. The local platform says why, where it was started."

func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := http.StatusInternalServerError, failedMessage
	if no, ok := errors.AsType[*refused](err); ok {
		status, message = no.Status, no.Message
	} else if errors.Is(err, store.ErrNotFound) {
		status, message = http.StatusNotFound, "There is nothing at this address. It may have been deleted."
	} else {
		s.Report(fmt.Errorf("page %s: %w", r.URL.Path, err))
	}
	s.showMessage(w, status, message)
}

// showMessage shows a sentence instead of a page.
func (s *site) showMessage(w http.ResponseWriter, status int, text string) {
	title := "This was not done"
	switch {
	case status == http.StatusNotFound:
		title = "Not here"
	case status >= http.StatusInternalServerError:
		title = "This failed"
	}
	s.show(w, status, "message", layout{
		Title: fmt.Sprintf("%d %s", status, http.StatusText(status)),
		Body:  struct{ Title, Text string }{title, text},
	})
}

func ticker(interval time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(interval)
	return t.C, t.Stop
}
