// Package api is the HTTP of the local platform: the storage API below
// /v2/storage, the queue API below /queue, and /faults, which makes both of them
// fail on demand.
//
// It promises that every answer has the shape of the platform's, that bad input
// is refused with a status of 4xx, and that a creation which was acknowledged is
// in the store. It keeps nothing but the faults: everything else is read from
// the store and written there. It runs no jobs, and what a configuration means
// is none of its business.
//
// # Faults on demand
//
// PUT /faults replaces the list of faults by that of its body, GET shows what is
// left of it, DELETE empties it; all three want the token. A fault is
//
//	{"method": "POST", "path": "/queue/jobs", "status": 503,
//	 "headers": {"Retry-After": "1"}, "body": {…},
//	 "delaySeconds": 0.2, "cut": "after", "times": 2}
//
// and happens to requests of its method (any, when it is absent) whose path
// begins with its path. The first fault of the list that fits is the one. First
// it waits delaySeconds. Then, with status, it is answered with that instead of
// being carried out, with body or else the API's own error, and with headers; or
// the connection is dropped: with cut "before" instead of carrying the request
// out, with "after" instead of sending the answer. With neither it goes on as
// ever. After times requests the fault is used up; 0 or absent is never. Faults
// are gone when the process ends.
package api

import (
	"context"
	"net/http"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// Options is what the APIs need.
type Options struct {
	Store *store.Store
	// Token is what X-StorageApi-Token must be; not "".
	Token string
	// JobToken is accepted like Token, but for /faults; it is the one that running
	// components get. "" is none.
	JobToken string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Sleep waits for the delays of faults, and ends early with an error when the
	// context does; nil really waits.
	Sleep func(context.Context, time.Duration) error
	// Report gets what a client is not told: the errors behind status 500. It may
	// be called by several goroutines. nil drops them.
	Report func(error)
}

// The one project, branch and token there is.
const (
	projectID        = 1
	projectName      = "Local project"
	branchID         = 1
	branchName       = "Main"
	tokenID          = "1"
	tokenDescription = "local"
)

// New is the handler of /v2/storage, /queue and /faults, which wants the whole
// paths. Any other path is a 404 in the shape of the storage API.
func New(o Options) http.Handler {
	s := &server{
		store:    o.Store,
		token:    o.Token,
		jobToken: o.JobToken,
		now:      o.Now,
		sleep:    o.Sleep,
		report:   o.Report,
		routes:   http.NewServeMux(),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.sleep == nil {
		s.sleep = sleep
	}
	if s.report == nil {
		s.report = func(error) {}
	}
	s.started = s.now()
	s.register()
	return http.HandlerFunc(s.serve)
}

type server struct {
	store           *store.Store
	token, jobToken string
	now             func() time.Time
	sleep           func(context.Context, time.Duration) error
	report          func(error)
	started         time.Time
	routes          *http.ServeMux
	faults          faults
}

// serve takes a request from the network. Faults come before the token is
// looked at, as the faults of a real platform do; only the way to end them is
// spared.
func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	// A browser must not make anything of an answer but show it to its page: a
	// fault may be HTML, and shares the address with the page of the platform.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if err := sameSite(r); err != nil {
		s.refuse(w, r, err)
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

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
