package exchange

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Step is one step of the chain. A step that changes the exchange, or hands it on
// more than once, hands on a copy.
type Step interface {
	Do(context.Context, *Exchange) (*Answer, error)
}

// Exchange is a request on its way through the chain, with everything that the
// steps must know about it.
type Exchange struct {
	*request.Request
	// Built is the request before authentication, signature and redirects.
	Built   *request.Request
	Sender  Sender
	Purpose Purpose
	// Foreign is set when the request goes, or a redirect of it has gone, where
	// an answer led to and credentials must not go: nothing is added that proves
	// who we are.
	Foreign bool
	// Attempt counts from 1.
	Attempt int

	// logins collects the exchanges of a login that is recorded; nil for none.
	logins *loginRecord
	// connected is called when the request has its connection; nil for no one.
	connected func()
	// moments are those of the connection; nil when no one wants to know.
	moments *moments
	// held is for how long the rate limit kept the request back.
	held time.Duration
}

// clone is a copy whose request can be changed.
func (x *Exchange) clone() *Exchange {
	clone := *x
	clone.Request = x.Request.Clone()
	return &clone
}

// Sender is the job that a request is sent for.
type Sender struct {
	// Job is the job's endpoint as configured, Pointer where it stands.
	Job, Pointer string
	// Iteration counts from 1; 0 when there is only one.
	Iteration int
	// Live is the job's line on the terminal, nil for none.
	Live *event.LiveJob
	// Needed is closed when the job needs the answer; nil when it needs it now.
	// See auth.Attempt.
	Needed <-chan struct{}
}

// Purpose is what a request is sent for.
type Purpose int

const (
	// Data is a request of a job.
	Data Purpose = iota
	// Login is a request of the authentication.
	Login
)

// Answer is an answer that has arrived completely.
type Answer struct {
	// Exchange is what was answered, as it was sent last.
	*Exchange
	Status int
	// StatusLine is the status with its reason: "404 Not Found".
	StatusLine string
	Header     http.Header
	// Length of the body as it was announced, -1 for unknown.
	Length int64
	// Body is decompressed. It must be closed.
	Body *answer.Spool
	// Ignored is set when the status is an error that the configuration wants
	// taken as data (`api.http.ignoreErrors`).
	Ignored bool

	cached string // the file of the cache that keeps it
}

// Address is what was asked for, for an error message.
func (a *Answer) Address() string { return a.Method + " " + a.Request.Address() }

// Link are the values of the header of that name, which may lead to the next page.
func (a *Answer) Link() []string { return headerLines(a.Header, "Link") }

// Forget takes the answer out of the cache, where there is one. It is for an
// answer that turned out to be useless: the next run should ask for another.
func (a *Answer) Forget() error {
	if a.cached == "" {
		return nil
	}
	if err := os.Remove(a.cached); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure.Applicationf("cannot remove an answer from the cache: %w", err)
	}
	return nil
}

func (a *Answer) close() error {
	if a == nil {
		return nil
	}
	return a.Body.Close()
}
