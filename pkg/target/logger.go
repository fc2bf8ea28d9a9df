package target

import (
	"net/http"
	"net/http/httptrace"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// logger counts every request that is really sent and, under debug, reports it
// as it leaves: after authentication, one event for each attempt, hop and login.
// An attempt that finds no connection sends nothing and is told by the retry.
type logger struct {
	next  http.RoundTripper
	log   *event.Log
	debug bool
	stats *Stats
}

var _ http.RoundTripper = (*logger)(nil)

// RoundTrip implements http.RoundTripper.
func (t *logger) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := sync.OnceFunc(func() { t.sent(req) })
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent() }}
	return t.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
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
