package exchange

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Sender tells which job a request is sent for.
type Sender struct {
	// Job is the job's endpoint as configured, Pointer where it stands.
	Job, Pointer string
	// Iteration counts from 1; 0 when there is only one.
	Iteration int
}

// senderKey carries the sender of a request to its events, loggingIn that it is
// one of the authentication, and heldKey a *time.Duration, for which the rate
// limit keeps it back.
type (
	senderKey struct{}
	loggingIn struct{}
	heldKey   struct{}
)

// From tells which job the requests of a context, logins included, are sent for.
func From(ctx context.Context, s Sender) context.Context {
	return context.WithValue(ctx, senderKey{}, s)
}

func senderOf(ctx context.Context) Sender {
	s, _ := ctx.Value(senderKey{}).(Sender)
	return s
}

// logger counts every request that is really sent and, under debug, reports it
// as it leaves: after authentication, one event for each attempt, hop and login.
// Its end is reported too, without debug to a report only. An attempt that finds
// no connection sends nothing and is told by the retry.
type logger struct {
	next  http.RoundTripper
	log   *event.Log
	debug bool
	stats *Stats
	now   func() time.Time
}

var _ http.RoundTripper = (*logger)(nil)

// RoundTrip implements http.RoundTripper.
func (t *logger) RoundTrip(req *http.Request) (*http.Response, error) {
	var once sync.Once
	var start time.Time
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		once.Do(func() {
			start = t.now()
			t.sent(req)
		})
	}}
	var held time.Duration
	ctx := context.WithValue(req.Context(), heldKey{}, &held)
	res, err := t.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	once.Do(func() {}) // nothing is sent any more
	if res != nil {
		t.log.Secrets().AddAddress(res.Header.Get("Location"))
	}
	if !start.IsZero() {
		t.answered(req, res, err, t.now().Sub(start), held)
	}
	return res, err
}

func (t *logger) sent(req *http.Request) {
	t.stats.Requests.Add(1)
	if !t.debug {
		return
	}
	a := masked(req, t.log)
	t.log.Emit(event.RequestSent{
		Method:  req.Method,
		URL:     a.Whole,
		Path:    a.Path,
		Query:   a.Query,
		Attempt: attempt(req.Context()),
	})
}

func (t *logger) answered(req *http.Request, res *http.Response, err error, took, held time.Duration) {
	sender := senderOf(req.Context())
	login, _ := req.Context().Value(loggingIn{}).(bool)
	a := masked(req, t.log)
	e := event.RequestAnswered{
		Method:     req.Method,
		URL:        a.Whole,
		Path:       a.Path,
		Query:      a.Query,
		Attempt:    attempt(req.Context()),
		Seconds:    took.Seconds(),
		Waited:     held.Seconds(),
		Login:      login,
		Job:        sender.Job,
		JobPointer: sender.Pointer,
		Iteration:  sender.Iteration,
		Untold:     !t.debug,
	}
	if err != nil {
		e.Reason = err.Error()
	} else {
		e.Status = res.StatusCode
		e.Bytes = res.Body.(*answer.Spool).Size()
	}
	t.log.Emit(e)
}

// masked is the address of a request as events show it.
func masked(req *http.Request, log *event.Log) secret.Address {
	return log.Secrets().RedactAddress(req.URL, secret.SensitiveOf(req.Context()))
}

// shown is the address of a request for an error, in which secrets will be masked
// that are known by their text.
func shown(req *http.Request) string {
	return secret.SensitiveOf(req.Context()).Address(req.URL)
}
