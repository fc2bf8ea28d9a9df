// Package page is the local platform as a person sees it: configurations, jobs
// as they run, their errors beside the settings to fix, and tables.
//
// It promises to show no value of a key that starts with #, to treat everything
// stored as hostile text, to load nothing from another host, and to work without
// JavaScript, which only adds what happens while one looks. It changes nothing:
// everything here is read from the store.
package page

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// Options of the page.
type Options struct {
	// Store holds everything that is shown.
	Store *store.Store
	// Token opens the page, and must not be empty.
	Token string
	// Now is the clock that running jobs are measured by; nil is time.Now. Times
	// are shown in its zone until the browser knows a better one.
	Now func() time.Time
	// Ticker beats once per interval until stop is called; nil is that of package
	// time.
	Ticker func(interval time.Duration) (beats <-chan time.Time, stop func())
	// Done ends the streams when it is closed; nil leaves that to the contexts of
	// their requests.
	Done <-chan struct{}
	// Report gets what a person is not told: the errors behind status 500 and
	// behind responses that were broken off. It may be called by several
	// goroutines. nil drops them.
	Report func(error)
}

// New makes the page. It is meant to be mounted at /, below which it owns every
// path that nobody else does. An empty token is a mistake of the caller: it
// panics, rather than be open to everyone.
func New(o Options) http.Handler {
	handler, _ := open(o)
	return handler
}

// open is New, with the session that the token opens.
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
	s := &site{base: inside.path, store: o.Store, now: o.Now, ticker: o.Ticker, done: o.Done, report: o.Report, assets: newAssets()}
	s.views = newViews(s)
	return s.headers(ownSite(gate{o.Token, inside, s}.handler(s.routes()))), inside
}

// site is what the handlers share.
type site struct {
	base   string // what the path of every page begins with
	store  *store.Store
	now    func() time.Time
	ticker func(time.Duration) (<-chan time.Time, func())
	done   <-chan struct{}
	report func(error)
	assets assets
	views  views
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

// pages are all addresses that are for those who are logged in.
func (s *site) pages() map[string]func(http.ResponseWriter, *http.Request) error {
	return map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /{$}":                             s.overview,
		"GET /stream":                          s.followOverview,
		"GET /configurations/{component}/{id}": s.configuration,
		"GET /jobs/{id}":                       s.job,
		"GET /jobs/{id}/stream":                s.followJob,
		"GET /jobs/{id}/events":                s.eventLog,
		"GET /tables":                          s.tables,
		"GET /tables/{id}":                     s.table,
		"GET /tables/{id}/csv":                 s.download,
		"/":                                    func(http.ResponseWriter, *http.Request) error { return store.ErrNotFound },
	}
}

// headers forbids the browser everything that the page does not need.
func (s *site) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		// Not no-referrer: that would take the origin from the login form's POST.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// fail shows why there is nothing to show.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := http.StatusInternalServerError, "The page could not be made. The local platform says why, where it was started."
	if errors.Is(err, store.ErrNotFound) {
		status, message = http.StatusNotFound, "There is nothing at this address. It may have been deleted."
	} else {
		s.report(fmt.Errorf("page %s: %w", r.URL.Path, err))
	}
	s.show(w, status, "message", layout{
		Title: fmt.Sprintf("%d %s", status, http.StatusText(status)),
		Body:  message,
	})
}

func ticker(interval time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(interval)
	return t.C, t.Stop
}
