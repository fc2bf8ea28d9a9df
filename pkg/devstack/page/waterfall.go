package page

import (
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// shownRequests is how many requests a waterfall shows at most.
const shownRequests = 500

// waterfall is the first HTTP requests of a job on a time scale.
type waterfall struct {
	requests []request
	// Total counts all of them.
	Total int
}

// request is one attempt of a request.
type request struct {
	Method, Path, Query string
	Attempt             int
	// Status is 0 without an answer; Reason then says why.
	Status int
	Reason string
	Bytes  int64
	start  time.Time
	Took   time.Duration
	// waitFrom and Wait are the pause before the next attempt, if there was one.
	waitFrom time.Time
	Wait     time.Duration
}

// add adds a request, or the pause after one.
func (w *waterfall) add(e store.Event, details value.Value) {
	switch details.Field("event").Raw() {
	case "request.answered":
		w.Total++
		if len(w.requests) < shownRequests {
			w.requests = append(w.requests, newRequest(e, details))
		}
	case "request.retried":
		if w.Total > len(w.requests) {
			return // its request is not shown
		}
		for i := len(w.requests) - 1; i >= 0; i-- {
			r := &w.requests[i]
			if r.Method == details.Field("method").Raw() && r.Path == details.Field("path").Raw() {
				r.waitFrom, r.Wait = e.Created, duration(details.Field("waitSeconds"))
				return
			}
		}
	}
}

func newRequest(e store.Event, details value.Value) request {
	took := duration(details.Field("seconds"))
	return request{
		Method:  details.Field("method").Raw(),
		Path:    details.Field("path").Raw(),
		Query:   details.Field("query").Raw(),
		Attempt: int(decimal(details.Field("attempt"))),
		Status:  int(decimal(details.Field("status"))),
		Reason:  details.Field("reason").Raw(),
		Bytes:   int64(decimal(details.Field("bytes"))),
		start:   e.Created.Add(-took),
		Took:    took,
	}
}

// duration reads seconds; 0 for negative numbers and more than a month.
func duration(v value.Value) time.Duration {
	seconds := decimal(v)
	if seconds < 0 || seconds > 31*24*3600 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// Class is the outcome: ok, redirect, refused or failed.
func (r request) Class() string {
	switch {
	case r.Status == 0:
		return "failed"
	case r.Status >= 400:
		return "refused"
	case r.Status >= 300:
		return "redirect"
	default:
		return "ok"
	}
}

// bar is a request with its position on the scale, in percent.
type bar struct {
	request
	X, Width, WaitX, WaitWidth string
}

// Bars are the requests with their positions.
func (w *waterfall) Bars() []bar {
	from, span := w.scale()
	percent := func(d time.Duration) string {
		return fmt.Sprintf("%.2f%%", 100*float64(d)/float64(span))
	}
	bars := make([]bar, len(w.requests))
	for i, r := range w.requests {
		bars[i] = bar{request: r, X: percent(r.start.Sub(from)), Width: percent(r.Took)}
		if r.Wait > 0 {
			bars[i].WaitX, bars[i].WaitWidth = percent(r.waitFrom.Sub(from)), percent(r.Wait)
		}
	}
	return bars
}

// Omitted is how many requests are not shown.
func (w *waterfall) Omitted() int { return w.Total - len(w.requests) }

type tick struct {
	X    string
	Text string
}

// Ticks are the quarters of the scale.
func (w *waterfall) Ticks() []tick {
	_, span := w.scale()
	ticks := make([]tick, 4)
	for i := range ticks {
		ticks[i] = tick{fmt.Sprintf("%d%%", 25*i), seconds(span * time.Duration(i) / 4)}
	}
	return ticks
}

// scale is when the first request began, and a span of four round steps that covers
// all requests and pauses; it is never 0.
func (w *waterfall) scale() (from time.Time, span time.Duration) {
	var until time.Time
	for i, r := range w.requests {
		if i == 0 || r.start.Before(from) {
			from = r.start
		}
		for _, end := range []time.Time{r.start.Add(r.Took), r.waitFrom.Add(r.Wait)} {
			if end.After(until) {
				until = end
			}
		}
	}
	return from, 4 * roundUp(until.Sub(from)/4)
}

// roundUp is the next round duration.
func roundUp(d time.Duration) time.Duration {
	for unit := time.Millisecond; ; unit *= 10 {
		for _, tenths := range []time.Duration{10, 12, 15, 20, 25, 30, 40, 50, 60, 80} {
			if step := unit * tenths / 10; step >= d {
				return step
			}
		}
	}
}
