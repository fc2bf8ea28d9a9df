package httpclient

import (
	"context"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// logger counts every request that is sent: each attempt, hop and login. With debug it
// emits an event when the request is sent and another event when it ends. Without debug
// it emits only the second event, for the report of the run or a platform that shows
// requests. The step retry reports an attempt without a connection.
type logger struct {
	next step
	*Options
}

func (t *logger) do(ctx context.Context, x *call) (*Response, error) {
	var start time.Time
	sent := *x
	sent.connected = func() {
		if start.IsZero() {
			start = t.Now()
			t.Stats.Requests.Add(1)
			if t.Debug {
				a := t.Secrets.RedactAddress(x.URL, x.Sensitive)
				t.Log.Emit(event.RequestSent{Method: x.Method, URL: a.Whole, Path: a.Path, Query: a.Query, Attempt: x.Attempt})
			}
		}
	}
	res, err := t.next.do(ctx, &sent)
	if res != nil {
		t.Secrets.AddAddress(res.Header.Get("Location"))
	}
	if !start.IsZero() && (t.Debug || t.Log.Traced() || t.Log.RequestEventsEnabled()) {
		t.responded(x, res, err, t.Now().Sub(start), sent.held)
	}
	return res, err
}

func (t *logger) responded(x *call, res *Response, err error, took, held time.Duration) {
	a := t.Secrets.RedactAddress(x.URL, x.Sensitive)
	e := event.RequestAnswered{
		Method:     x.Method,
		URL:        a.Whole,
		Path:       a.Path,
		Query:      a.Query,
		Attempt:    x.Attempt,
		Seconds:    took.Seconds(),
		Waited:     held.Seconds(),
		Login:      x.forLogin,
		Job:        x.Sender.Job,
		JobPointer: x.Sender.Pointer,
		Iteration:  x.Sender.Iteration,
		ReportOnly: !t.Debug && !t.Log.RequestEventsEnabled(),
	}
	if err != nil {
		e.Reason = err.Error()
	} else {
		e.Status = res.Status
		e.Bytes = res.Body.Size()
	}
	t.Log.Emit(e)
}
