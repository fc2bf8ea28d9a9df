package webui

import (
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const shownRequests = 100

// request is one attempt of a request.
type request struct {
	// ID is the id of its event.
	ID                  uint64
	Method, Path, Query string
	Job, pointer        string
	Login               bool
	Attempt             int
	// Status is 0 if there was no response. Reason is the cause then.
	Status int
	Reason string
	Bytes  int64
	start  time.Time
	Took   time.Duration
	// Held is the time that a rate limit delayed the request before it was sent.
	Held time.Duration
	// waitFrom and Wait describe the wait after the request, if there was one. WaitReason
	// is the reason of the wait.
	waitFrom   time.Time
	Wait       time.Duration
	WaitReason string
	// Ignored is true if the configuration allows the status.
	Ignored bool
}

func isRequest(kind string) bool {
	switch kind {
	case "request.answered", "request.retried", "job.waiting", "response.ignored", "response.skipped":
		return true
	}
	return false
}

// requestsOf returns the requests in events, in the order of their responses.
func requestsOf(events []store.Event) []request {
	var found []request
	for _, e := range events {
		found = addRequest(found, e, fields(e.Results))
	}
	return found
}

// addRequest updates the list from an event: it adds a request, or changes the last
// matching request if the event is about a wait or an ignored response.
func addRequest(found []request, e store.Event, details value.Value) []request {
	last := func(is func(request) bool, change func(*request)) {
		for i := len(found) - 1; i >= 0; i-- {
			if is(found[i]) {
				change(&found[i])
				return
			}
		}
	}
	text := func(name string) string { return details.Field(name).Raw() }
	switch kind := text("event"); kind {
	case "request.answered":
		return append(found, newRequest(e, details))
	case "request.retried", "job.waiting":
		last(func(r request) bool { return r.Method == text("method") && r.Path == text("path") }, func(r *request) {
			r.waitFrom, r.Wait, r.WaitReason = e.Created, duration(details.Field("waitSeconds")), text("reason")
		})
	case "response.ignored", "response.skipped":
		status := int(decimal(details.Field("status")))
		last(func(r request) bool { return r.Status == status && r.pointer == text("jobPointer") && !r.Ignored }, func(r *request) { r.Ignored = true })
	}
	return found
}

func newRequest(e store.Event, details value.Value) request {
	took := duration(details.Field("seconds"))
	return request{
		ID:      eventID(e),
		Method:  details.Field("method").Raw(),
		Path:    details.Field("path").Raw(),
		Query:   details.Field("query").Raw(),
		Job:     details.Field("job").Raw(),
		pointer: details.Field("jobPointer").Raw(),
		Login:   details.Field("login").Raw() == "true",
		Attempt: int(decimal(details.Field("attempt"))),
		Status:  int(decimal(details.Field("status"))),
		Reason:  details.Field("reason").Raw(),
		Bytes:   int64(decimal(details.Field("bytes"))),
		start:   e.Created.Add(-took),
		Took:    took,
		Held:    duration(details.Field("waited")),
	}
}

func eventID(e store.Event) uint64 {
	id, _ := strconv.ParseUint(e.ID, 10, 64) // the store gives ids that are numbers
	return id
}

// duration reads seconds. It returns 0 for negative numbers and for more than 31 days.
func duration(v value.Value) time.Duration {
	seconds := decimal(v)
	if seconds < 0 || seconds > 31*24*3600 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// class returns the outcome: ok, redirect, ignored, refused or failed.
func (r request) class() string {
	switch {
	case r.Status == 0:
		return "failed"
	case r.Status >= 400 && r.Ignored:
		return "ignored"
	case r.Status >= 400:
		return "refused"
	case r.Status >= 300:
		return "redirect"
	default:
		return "ok"
	}
}

// matches reports whether the method, path, query, status, reason or job contains a
// phrase. The phrase must be in lower case.
func (r request) matches(phrase string) bool {
	return strings.Contains(strings.ToLower(r.Method+" "+r.Path+"?"+r.Query+" "+strconv.Itoa(r.Status)+" "+r.Reason+" "+r.Job), phrase)
}

type waterfall struct {
	// Bars are the requests. Ticks are marks at round times, Pauses the shortened pauses.
	Bars   []bar
	Ticks  []tick
	Pauses []pause
	// Has contains the classes of the requests, wait and pause, as far as the waterfall has
	// them. It has refused also for failed requests.
	Has map[string]bool
}

// bar is a request with its position on the axis, in percent.
type bar struct {
	request
	Class                                        string
	X, Width, WaitX, WaitWidth, HeldX, HeldWidth string
}

// newWaterfall returns a waterfall of requests and the waits after them.
func newWaterfall(requests []request) waterfall {
	var spans []span
	var until time.Time
	for _, r := range requests {
		spans = append(spans, span{r.start, r.start.Add(r.Took)})
		if waited := r.waitFrom.Add(r.Wait); r.Wait > 0 && waited.After(until) {
			until = waited
		}
	}
	a := newAxis(spans, until)
	place := func(from, until time.Time) (x, width string) {
		const thinnest = 0.006
		start, end := a.position(from), a.position(until)
		if end-start < thinnest { // so that the bar is visible
			end = min(start+thinnest, 1)
			start = end - thinnest
		}
		return percent(start), percent(end - start)
	}
	w := waterfall{Ticks: a.ticks(), Pauses: a.pauses()}
	w.Has = map[string]bool{"pause": len(w.Pauses) > 0}
	for _, r := range requests {
		b := bar{request: r, Class: r.class()}
		b.X, b.Width = place(r.start, r.start.Add(r.Took))
		if r.Wait > 0 {
			b.WaitX, b.WaitWidth = place(r.start.Add(r.Took), r.waitFrom.Add(r.Wait))
		}
		if r.Held > 0 {
			b.HeldX, b.HeldWidth = place(r.start.Add(-r.Held), r.start)
		}
		w.Bars = append(w.Bars, b)
		w.Has[b.Class] = true
		w.Has["refused"] = w.Has["refused"] || b.Class == "failed"
		w.Has["wait"] = w.Has["wait"] || r.Wait > 0 || r.Held > 0
	}
	return w
}
