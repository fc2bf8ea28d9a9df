package webui

import (
	"cmp"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// shownLines is how many jobs of a configuration the page of a job lists.
const shownLines = 200

// progress is what the events of a run say about the jobs of its configuration.
type progress struct {
	Lines []jobLine
	// More says that there are more jobs.
	More  bool
	index map[lineKey]int
}

type lineKey struct{ pointer, iteration string }

// jobLine is how far one job of a configuration is, with all its runs.
type jobLine struct {
	Name, Pointer, Iteration string
	Depth                    int
	Window                   string
	Pages, Rows              int
	Requests, Failures       int
	Parents, ParentsDone     int
	// Ended says that it is complete, and Rule why; Unstored that its rows are in no
	// table.
	Ended, Unstored bool
	Rule            string
	// Waiting is what it waits for since, and until then, if that is known.
	Waiting      string
	since, until time.Time
	// began and last are its first and its last sign.
	began, last time.Time
}

// add takes what an event says about a job of the configuration.
func (p *progress) add(e store.Event, details value.Value) {
	if kind := details.Field("event").Raw(); kind == "response.ignored" || kind == "response.skipped" {
		p.allow(details)
		return
	}
	number := func(name string) int { return int(max(decimal(details.Field(name)), 0)) }
	kind := details.Field("event").Raw()
	switch kind {
	case "request.answered", "request.retried", "job.waiting", "job.live", "job.finished", "job.unfinished":
	default:
		return
	}
	l := p.line(details)
	if l == nil {
		return
	}
	l.last = e.Created
	switch kind {
	case "request.answered":
		l.Requests++
		if r := newRequest(e, details); r.Class() == "failed" || r.Class() == "refused" {
			l.Failures++
		}
		l.start(e.Created.Add(-duration(details.Field("seconds"))))
		l.Waiting = ""
	case "request.retried", "job.waiting":
		l.Waiting = details.Field("reason").Raw()
		l.since, l.until = e.Created, e.Created.Add(duration(details.Field("waitSeconds")))
	case "job.live":
		l.start(e.Created.Add(-duration(details.Field("seconds"))))
		l.Depth, l.Window = number("depth"), details.Field("window").Raw()
		l.Pages, l.Rows = number("pages"), number("rows")
		l.Parents, l.ParentsDone = number("parents"), number("parentsDone")
		l.Unstored = details.Field("unstored").Raw() == "true"
		l.Waiting = details.Field("waiting").Raw()
		l.since, l.until = e.Created.Add(-duration(details.Field("waited"))), time.Time{}
		if wait := duration(details.Field("waitSeconds")); wait > 0 {
			l.until = e.Created.Add(wait)
		}
	case "job.finished", "job.unfinished":
		l.start(e.Created)
		l.Pages, l.Rows = number("pages"), number("rows")
		l.Ended, l.Rule = kind == "job.finished", details.Field("rule").Raw()
		l.Unstored = details.Field("unstored").Raw() == "true"
		l.Waiting = ""
		if l.Ended {
			l.ParentsDone = l.Parents
		}
	}
}

// allow takes back a failure that the configuration allows. The event does not say in
// which iteration.
func (p *progress) allow(details value.Value) {
	if decimal(details.Field("status")) < 400 {
		return
	}
	for i := range slices.Backward(p.Lines) {
		if l := &p.Lines[i]; l.Pointer == details.Field("jobPointer").Raw() && l.Failures > 0 {
			l.Failures--
			return
		}
	}
}

// line is that of the job of an event; nil for none, and when there are too many.
func (p *progress) line(details value.Value) *jobLine {
	pointer := details.Field("jobPointer").Raw()
	if pointer == "" {
		return nil
	}
	key := lineKey{pointer, details.Field("iteration").Raw()}
	i, known := p.index[key]
	if !known {
		if len(p.Lines) == shownLines {
			p.More = true
			return nil
		}
		if p.index == nil {
			p.index = map[lineKey]int{}
		}
		i = len(p.Lines)
		p.index[key] = i
		p.Lines = append(p.Lines, jobLine{Name: cmp.Or(details.Field("job").Raw(), pointer), Pointer: pointer, Iteration: key.iteration})
	}
	return &p.Lines[i]
}

// start moves the beginning to an earlier time.
func (l *jobLine) start(at time.Time) {
	if l.began.IsZero() || at.Before(l.began) {
		l.began = at
	}
}

// lineView is a line at a time.
type lineView struct {
	jobLine
	// Running says that it has not ended and its job has not either.
	Running bool
	Took    time.Duration
	// Rate is rows in a second, 0 if that says nothing.
	Rate int
	// Left is for how long it will wait, Waited for how long it has; 0 if that is
	// unknown or too short to be shown.
	Left, Waited time.Duration
}

// views are the lines at a time; running says that the job is.
func (p progress) views(now time.Time, running bool) []lineView {
	views := make([]lineView, len(p.Lines))
	for i, l := range p.Lines {
		v := lineView{jobLine: l, Running: running && !l.Ended}
		until := l.last
		if v.Running {
			until = now
		}
		if !l.began.IsZero() {
			v.Took = max(until.Sub(l.began), 0)
		}
		if s := v.Took.Seconds(); s >= 1 && !l.Unstored {
			v.Rate = int(float64(l.Rows)/s + 0.5)
		}
		if !v.Running {
			v.Waiting = ""
		}
		if v.Waiting != "" && l.until.After(now) {
			v.Left = l.until.Sub(now)
		} else if v.Waiting != "" {
			v.Waited = max(now.Sub(l.since), 0)
		}
		views[i] = v
	}
	return views
}

// Share is the part of the parents that are done, in percent with a unit; "" if unknown.
func (l jobLine) Share() string {
	if l.Parents <= 0 {
		return ""
	}
	return percent(min(float64(l.ParentsDone)/float64(l.Parents), 1))
}
