// Package platformapi serves the HTTP APIs of the local platform: the storage API below
// /v2/storage, the queue API below /queue, the encryption API below /encryption, and
// /faults, which makes the other APIs fail on demand.
//
// Every response has the shape of the platform's response. Invalid input gets a 4xx status.
// A creation that was acknowledged is in the store. Only the faults are kept in memory; all
// other data is read from the store and written to it. This package runs no jobs and does
// not interpret configurations.
//
// # Faults on demand
//
// PUT /faults replaces the list of faults with its body, GET returns the remaining faults,
// DELETE removes them. All three need the token. A fault is an object:
//
//	{"method": "POST", "path": "/queue/jobs", "status": 503,
//	 "headers": {"Retry-After": "1"}, "body": {…},
//	 "delaySeconds": 0.2, "cut": "after", "times": 2}
//
// A fault applies to requests with its method (any, if absent) and a path that begins with
// its path. The first matching fault of the list is used. It waits for delaySeconds first.
// With "status" the request is not carried out: the response has this status, the headers,
// and the body. Without a body it has the error of the API. With "cut" the connection is
// dropped: "before" instead of carrying out the request, "after" instead of sending the
// response. With neither, the request continues normally. A fault is removed after "times"
// requests; 0 or absent means no limit. Faults are lost when the process ends.
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
	// Token is the required value of X-StorageApi-Token. It must not be empty.
	Token string
	// JobToken is accepted like Token, except for /faults. Running components get it. If it
	// is empty, only Token is accepted.
	JobToken string
	// Port is the port of these APIs and QueuePort the port of QueueRoot. Set both or leave
	// both empty. Clients that use Port get the URL of the queue on QueuePort. Other
	// clients connect through a port mapping, where QueuePort may be unreachable; they get
	// the path of the queue on their own port.
	Port, QueuePort string
	// Components are the ids of components that exist without a configuration.
	Components []string
	// Now returns the current time. If it is nil, time.Now is used.
	Now func() time.Time
	// Sleep waits for the delay of a fault. It returns the error of the context if the
	// context ends first. It is required.
	Sleep func(context.Context, time.Duration) error
	// Report receives the errors behind status 500, which clients do not see. It may be
	// called from several goroutines. If it is nil, the errors are dropped.
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

// New returns the handler of /v2/storage, /queue, /encryption and /faults. The handler
// expects full paths. Any other path gets a 404 in the shape of the storage API.
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

// QueueRoot returns a handler that serves the queue API of New at the root, for a listener
// of its own.
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

// queueRootKey is the context key that marks requests to the handler of QueueRoot.
type queueRootKey struct{}

type server struct {
	Options
	box     *encryption.Box
	started time.Time
	routes  *http.ServeMux
	faults  faults
}

// serve handles a request. Faults apply before the token is checked, as failures of a real
// platform do. Only requests to /faults never fail.
func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	// A fault may contain HTML and shares its origin with the web UI. A browser must not
	// run or embed it.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if guard.CrossSite(r) { // the default token is not a secret
		s.refuse(w, r, &refusal{status: http.StatusForbidden, code: "accessDenied", message: "Requests from other sites are not allowed"})
		return
	}
	if !within(r.URL.Path, faultsPath) {
		if fault, found := s.faults.take(r.Method, r.URL.Path); found {
			s.applyFault(w, r, fault)
			return
		}
	}
	s.route(w, r)
}
