package target

import (
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// logger counts every request that is really sent and, under debug, reports it
// as it leaves: after authentication, one event for each attempt, hop and login.
type logger struct {
	next  http.RoundTripper
	log   *event.Log
	debug bool
	stats *Stats
}

var _ http.RoundTripper = (*logger)(nil)

// RoundTrip implements http.RoundTripper.
func (t *logger) RoundTrip(req *http.Request) (*http.Response, error) {
	t.stats.Requests.Add(1)
	if t.debug {
		t.log.Emit(event.RequestSent{
			Method:  req.Method,
			URL:     req.URL.Redacted(),
			Path:    req.URL.EscapedPath(),
			Query:   req.URL.RawQuery,
			Attempt: attempt(req.Context()),
		})
	}
	return t.next.RoundTrip(req)
}
