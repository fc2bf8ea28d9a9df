// Package webui serves the web UI of the local platform. It shows configurations, running
// jobs, tables, and errors beside the settings to fix.
//
// It never shows the value of a key that begins with #, escapes everything that is
// stored, and loads no assets from other hosts. It reads from the store. It makes changes
// by requests to the platform's APIs, as every other client does.
package webui

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tryrun"
)

// Options configures the web UI. Store, API and Token are required.
type Options struct {
	Store *store.Store
	// API serves the platform's APIs. The web UI calls it within the process.
	API http.Handler
	// Tries runs configurations from the editor, saved or not. If nil, tries are off.
	Tries *tryrun.Trials
	// Token is the token that opens the web UI.
	Token string
	// Now is the clock for running jobs. Nil means time.Now. Times are shown in its time
	// zone until the time zone of the browser is known.
	Now func() time.Time
	// Ticker sends a beat per interval until stop is called. Nil means a time.Ticker.
	Ticker func(interval time.Duration) (beats <-chan time.Time, stop func())
	// Done ends the streams when it is closed. If it is nil, streams end only with the
	// contexts of their requests.
	Done <-chan struct{}
	// Dial connects to the API of an example for a new configuration. Nil means a real
	// connection.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Report receives errors that are not shown: the errors behind status 500 and behind
	// aborted responses. It must be safe for concurrent use. Nil discards them.
	Report func(error)
}

// New returns the handler of the web UI, to be mounted at /. It panics if the token is
// empty, because the web UI would be open to everyone.
func New(o Options) http.Handler {
	handler, _ := open(o)
	return handler
}

// open works like New. It also returns the session that the token opens.
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
		limit := int64(maxForm)
		if pattern == "POST /begin" {
			limit = maxExample
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, limit)
			if err := serve(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	return mux
}

// handler serves a page. The user sees the message of an *apiError. Other errors are
// reported.
type handler func(http.ResponseWriter, *http.Request) error

// with returns a handler for a thing that a request names, such as a job.
func with[T any](find func(*http.Request) (T, error), serve func(http.ResponseWriter, *http.Request, T) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		thing, err := find(r)
		if err != nil {
			return err
		}
		return serve(w, r, thing)
	}
}

func (s *site) configurationOf(r *http.Request) (store.Configuration, error) {
	return s.Store.Configuration(r.PathValue("component"), r.PathValue("id"))
}

func (s *site) jobOf(r *http.Request) (store.Job, error) { return s.Store.Job(r.PathValue("id")) }

func (s *site) tableOf(r *http.Request) (store.Table, error) {
	return s.Store.Table(r.PathValue("id"))
}

// readForm parses a form, which is limited in size.
func readForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return unreadable(err, "Cannot read the form.")
	}
	return nil
}

// unreadable returns the error for a request body that cannot be read. message is used
// unless the body is too large.
func unreadable(err error, message string) *apiError {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &apiError{http.StatusRequestEntityTooLarge, fmt.Sprintf("The text is too large for this page, which accepts at most %d MB. "+
			"Use extractor config pull and extractor config push to edit a large configuration as a file.", large.Limit>>20)}
	}
	return &apiError{http.StatusBadRequest, message}
}

// pages returns the handlers of all paths that need a login.
//
// To add a page, write its handler in the file of its subject and a template in templates,
// and list the path here. A handler that changes something calls the API with site.call.
// Add a test beside the file. everywhere_test.go requests each path without a session, from
// other sites and with odd input.
func (s *site) pages() map[string]handler {
	const configuration = "/configurations/{component}/{id}"
	return map[string]handler{
		"GET /{$}":                           s.overview,
		"GET /stream":                        s.followOverview,
		"GET /jobs/{id}":                     with(s.jobOf, s.job),
		"GET /jobs/{id}/stream":              with(s.jobOf, s.followJob),
		"GET /jobs/{id}/events":              with(s.jobOf, s.eventLog),
		"POST /jobs/{id}/kill":               with(s.jobOf, s.kill),
		"POST /jobs/{id}/again":              with(s.jobOf, s.again),
		"GET /tables":                        s.tables,
		"GET /tables/{id}":                   with(s.tableOf, s.table),
		"GET /tables/{id}/csv":               with(s.tableOf, s.download),
		"GET /files":                         s.files,
		"GET /files/{id}/download":           with(s.fileOf, s.downloadFile),
		"GET " + configuration:               with(s.configurationOf, s.configuration),
		"POST " + configuration + "/run":     with(s.configurationOf, s.run),
		"GET " + configuration + "/edit":     with(s.queryTarget, s.editor),
		"POST " + configuration + "/edit":    with(s.formTarget, s.submit),
		"POST " + configuration + "/assist":  s.assist,
		"GET " + configuration + "/versions": with(s.configurationOf, s.versions),
		"POST " + configuration + "/versions/{version}/restore": with(s.configurationOf, s.restore),
		"POST " + configuration + "/try":                        with(s.formTarget, s.startTry),
		"GET /explain/{code}":                                   s.explain,
		"GET /begin":                                            s.begin,
		"POST /begin":                                           s.learn,
		"GET /begin/{draft}":                                    s.draft,
		"POST /begin/{draft}":                                   s.create,
		"GET /tries/{id}":                                       with(s.tryOf, s.try),
		"GET /tries/{id}/stream":                                with(s.tryOf, s.followTry),
		"POST /tries/{id}/cancel":                               with(s.tryOf, s.cancelTry),
		"GET /tries/{id}/requests/{number}":                     with(s.tryOf, s.tryRequest),
		"GET /tries/{id}/requests/{number}/body":                with(s.tryOf, s.tryBody),
		"GET /tries/{id}/files/{number}":                        with(s.tryOf, s.tryFile),
		"GET /tries/{id}/files/{number}/picture":                with(s.tryOf, s.tryPicture),
		"/":                                                     func(http.ResponseWriter, *http.Request) error { return store.ErrNotFound },
	}
}

// headers sets response headers that forbid everything that the web UI does not need.
func (s *site) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		// Not no-referrer, which would remove the origin from the POST of the login form.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// failedMessage replaces a page that could not be made.
const failedMessage = "The page could not be created. The reason is in the terminal where the local platform runs."

// fail shows why a request failed.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := http.StatusInternalServerError, failedMessage
	if no, ok := errors.AsType[*apiError](err); ok {
		status, message = no.Status, no.Message
	} else if errors.Is(err, store.ErrNotFound) {
		status, message = http.StatusNotFound, "There is nothing at this URL. It may have been deleted."
	} else {
		s.Report(fmt.Errorf("page %s: %w", r.URL.Path, err))
	}
	if strings.HasPrefix(r.Header.Get("Accept"), "application/json") {
		if err := writeJSON(w, status, editorResponse{Problem: message}); err != nil {
			s.Report(err)
		}
		return
	}
	title := "Request refused"
	switch {
	case status == http.StatusNotFound:
		title = "Not found"
	case status >= http.StatusInternalServerError:
		title = "Internal error"
	}
	if err := s.show(w, status, "message", layout{
		Title: fmt.Sprintf("%d %s", status, http.StatusText(status)),
		Body:  struct{ Title, Text string }{title, message},
	}); err != nil {
		s.Report(err)
		http.Error(w, message, status)
	}
}

func ticker(interval time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(interval)
	return t.C, t.Stop
}
