package webui

import (
	"cmp"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const shownLines = 200

// progress is the progress of the jobs of a configuration, computed from events.
type progress struct {
	Lines []jobLine
	// More is true if there are more jobs than shownLines.
	More  bool
	index map[lineKey]int
}

type lineKey struct{ pointer, iteration string }

// jobLine is the progress of one job of a configuration, with all its runs.
type jobLine struct {
	Name, Pointer, Iteration string
	Depth                    int
	Window                   string
	Pages, Rows              int
	Requests, Failures       int
	Parents, ParentsDone     int
	// Ended is true if the job is complete. Rule is the rule that ended it. Unstored is
	// true if its rows are in no table.
	Ended, Unstored bool
	Rule            string
	// Waiting is the reason of the current wait, or "". The wait began at since and ends
	// at until, if these are known.
	Waiting      string
	since, until time.Time
	// began and last are the times of the first and the last activity.
	began, last time.Time
}

// add updates the progress from an event.
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
		if class := newRequest(e, details).class(); class == "failed" || class == "refused" {
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

// allow subtracts a failure that the configuration allows. The event does not contain the
// iteration, so allow takes the newest line of the job with a failure.
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

// line returns the line of the job of an event, and adds it if it is new. It returns nil
// if the event belongs to no job or there are too many lines.
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

// start moves the beginning of the line to an earlier time.
func (l *jobLine) start(at time.Time) {
	if l.began.IsZero() || at.Before(l.began) {
		l.began = at
	}
}

// lineView is a line at a point in time.
type lineView struct {
	jobLine
	// Running is true if neither the line nor the platform's job has ended.
	Running bool
	Took    time.Duration
	// Rate is the number of rows per second, or 0 if the time is too short.
	Rate int
	// Left is the remaining time of a wait, Waited the time since its start if its end is
	// unknown.
	Left, Waited time.Duration
	// Share is the percentage of parents that are done, with its unit, or "" if the number
	// of parents is unknown.
	Share string
}

// views returns the lines at time now. running is true if the platform's job is running.
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
		if l.Parents > 0 {
			v.Share = percent(min(float64(l.ParentsDone)/float64(l.Parents), 1))
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
