// Package platformapi serves the local platform's HTTP APIs: the storage API below
// /v2/storage, the queue API below /queue, the encryption API below /encryption, and
// /faults, which makes them fail on demand.
//
// Every response has the shape of the platform's. Bad input is refused with a status
// of 4xx. A creation that was acknowledged is in the store. Only the faults are
// kept in memory: everything else is read from the store and written there. This
// package runs no jobs and does not interpret configurations.
//
// # Faults on demand
//
// PUT /faults replaces the list of faults with its body, GET shows the faults that
// are left, DELETE removes them; all three need the token. A fault is
//
//	{"method": "POST", "path": "/queue/jobs", "status": 503,
//	 "headers": {"Retry-After": "1"}, "body": {…},
//	 "delaySeconds": 0.2, "cut": "after", "times": 2}
//
// It applies to requests with its method (any, if absent) whose path begins with
// its path. The first matching fault of the list is used. It waits delaySeconds.
// Then, with "status", the request is not carried out: the response has this status,
// the headers, and the body or else the API's own error. With "cut" the connection
// is dropped: "before" instead of carrying out the request, "after" instead of
// sending the response. With neither, the request continues normally. After "times"
// requests the fault is removed; 0 or absent is no limit. Faults are gone when the
// process ends.
package platformapi

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/devstack/guard"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// Options configure the APIs.
type Options struct {
	Store *store.Store
	// Token is the required value of X-StorageApi-Token; not "".
	Token string
	// JobToken is accepted like Token, except for /faults. Running components get
	// it. "" is none.
	JobToken string
	// Port is the port of these APIs, QueuePort that of QueueRoot; both or none. The
	// queue is published there to clients that use Port: others are behind a mapping
	// of ports, and get the path of the queue here.
	Port, QueuePort string
	// Components are the ids of components that are known without a configuration.
	Components []string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Sleep waits for the delays of faults, and returns the error of the context if
	// that ends first; required.
	Sleep func(context.Context, time.Duration) error
	// Report receives the errors behind status 500, which clients do not see.
	// Several goroutines may call it. nil drops them.
	Report func(error)
}

// The only project, branch and token.
const (
	projectID        = 1
	projectName      = "Local project"
	branchID         = 1
	branchName       = "Main"
	tokenID          = "1"
	tokenDescription = "local"
)

// New is the handler of /v2/storage, /queue, /encryption and /faults; it expects full
// paths. Any other path is a 404 in the shape of the storage API.
func New(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	s := &server{Options: o, box: encryption.NewBox(o.Store.Key()), started: o.Now(), routes: http.NewServeMux()}
	s.register()
	return http.HandlerFunc(s.serve)
}

// QueueRoot is a handler with the queue API of New at the root, for an address of its
// own.
func QueueRoot(apis http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := r.WithContext(context.WithValue(r.Context(), queueRootKey{}, true))
		inner.URL = new(url.URL)
		*inner.URL = *r.URL
		inner.URL.Path = queuePath + r.URL.Path
		if r.URL.RawPath != "" {
			inner.URL.RawPath = queuePath + r.URL.RawPath
		}
		apis.ServeHTTP(w, inner)
	})
}

// queueRootKey marks requests of QueueRoot.
type queueRootKey struct{}

type server struct {
	Options
	box     *encryption.Box
	started time.Time
	routes  *http.ServeMux
	faults  faults
}

// serve handles a request. Faults come before the token is checked, as on a real
// platform; only requests to /faults never fail.
func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	// A browser must only show a response to its page: a fault may contain HTML, and
	// shares its origin with the page of the platform.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if guard.CrossSite(r) { // the default token is not a secret
		s.refuse(w, r, &refusal{status: http.StatusForbidden, code: "accessDenied", message: "Requests from other sites are not allowed"})
		return
	}
	if !within(r.URL.Path, faultsPath) {
		if fault, found := s.faults.take(r.Method, r.URL.Path); found {
			s.disturb(w, r, fault)
			return
		}
	}
	s.route(w, r)
}
