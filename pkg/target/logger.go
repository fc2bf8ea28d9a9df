package target

import (
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/response"
)

// logger counts every request that is really sent and, under debug, reports it
// as it leaves: after authentication, one event for each attempt, hop and login.
// Its end is reported too. An attempt that finds no connection sends nothing and
// is told by the retry.
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
	res, err := t.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	once.Do(func() {}) // nothing is sent any more
	if t.debug && !start.IsZero() {
		t.answered(req, res, err, t.now().Sub(start))
	}
	return res, err
}

func (t *logger) sent(req *http.Request) {
	t.stats.Requests.Add(1)
	if !t.debug {
		return
	}
	t.log.Emit(event.RequestSent{
		Method:  req.Method,
		URL:     req.URL.Redacted(),
		Path:    req.URL.EscapedPath(),
		Query:   req.URL.RawQuery,
		Attempt: attempt(req.Context()),
	})
}

func (t *logger) answered(req *http.Request, res *http.Response, err error, took time.Duration) {
	e := event.RequestAnswered{
		Method:  req.Method,
		URL:     req.URL.Redacted(),
		Path:    req.URL.EscapedPath(),
		Query:   req.URL.RawQuery,
		Attempt: attempt(req.Context()),
		Seconds: took.Seconds(),
	}
	if err != nil {
		e.Reason = err.Error()
	} else {
		e.Status = res.StatusCode
		e.Bytes = res.Body.(*response.Spool).Size()
	}
	t.log.Emit(e)
}
