// Package window splits a time range into windows. Windows follow each other without gaps
// and without overlaps. The last window may be shorter.
//
// The package only computes: the caller passes the times. It computes one window at a
// time, so memory does not grow with the number of windows.
package window

import (
	"fmt"
	"iter"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// maxWindows is the maximum number of windows.
	maxWindows = 100_000
	// maxSpans limits the time that is spent on windows that All leaves out.
	maxSpans = 5 * maxWindows
)

// Spec describes how windows are computed and formatted.
type Spec struct {
	// Step is the length of a window. The zero Step makes a single window.
	Step Step
	// Format is a format of the function date.
	Format string
	// Zone is the time zone of days and of formatted times. It must not be nil.
	Zone *time.Location
	// Inclusive is true if a window ends one unit before the next window starts. The unit
	// is the smallest part of a time that Format writes, at most a day.
	Inclusive bool
}

// Sequence contains the windows between two times.
type Sequence struct {
	spec     Spec
	end      unit
	from, to time.Time
	open     bool // true if there is no start
	// Count is the number of windows.
	Count int
	// Since is the time that earlier runs have reached. The first window may start before
	// it. The package does not set it.
	Since time.Time
}

// Between returns the windows between two times, without fractions of seconds. More than
// maxWindows windows are a user error.
func (r Spec) Between(from, to time.Time) (Sequence, error) {
	in := func(t time.Time) time.Time { return time.Unix(t.Unix(), 0).In(r.Zone) }
	w := Sequence{spec: r, end: r.endUnit(), from: in(from), to: in(to)}
	spans := 0
	for start, end := range w.spans() {
		if !w.window(start, end).empty() {
			w.Count++
		}
		if spans++; w.Count > maxWindows || spans > maxSpans {
			return Sequence{}, failure.Userf("there are more than %d windows between %s and %s: make 'step' longer", maxWindows, php.DateIn(boundFormat, w.from), php.DateIn(boundFormat, w.to))
		}
	}
	return w, nil
}

// Until returns a single window without a start.
func (r Spec) Until(to time.Time) Sequence {
	return Sequence{spec: r, end: r.endUnit(), to: time.Unix(to.Unix(), 0).In(r.Zone), open: true, Count: 1}
}

// endUnit returns the unit by which windows end earlier, or 0 if a window ends at the
// start of the next window.
func (r Spec) endUnit() unit {
	if !r.Inclusive {
		return 0
	}
	return finestUnit(r.Format)
}

// Window is the time from Start to End. The next window starts at End. A window of Until
// has no Start.
type Window struct {
	// Number counts from 1.
	Number     int
	Start, End time.Time
	open       bool
	format     string
	end        unit
}

func (w Sequence) window(start, end time.Time) Window {
	return Window{Start: start, End: end, open: w.open, format: w.spec.Format, end: w.end}
}

// All returns the windows in their order. It leaves out windows that are shorter than a
// unit, because an inclusive end would be before their start. The next window starts with
// the same day.
func (w Sequence) All() iter.Seq[Window] {
	return func(yield func(Window) bool) {
		number := 0
		for start, end := range w.spans() {
			one := w.window(start, end)
			if one.empty() {
				continue
			}
			number++
			one.Number = number
			if !yield(one) {
				return
			}
		}
	}
}

// spans returns the starts and ends of windows. Each end is computed from the start of
// the first window: otherwise a short month would change the day in all later windows. A
// day that the clocks of the zone skip has no window.
func (w Sequence) spans() iter.Seq2[time.Time, time.Time] {
	return func(yield func(start, end time.Time) bool) {
		start := w.from
		if w.open || w.spec.Step == (Step{}) {
			if start.Before(w.to) {
				yield(start, w.to)
			}
			return
		}
		for n := int64(1); start.Before(w.to); n++ {
			end := w.spec.Step.add(w.from, n)
			switch {
			case !end.After(start):
				continue
			case end.After(w.to):
				end = w.to
			}
			if !yield(start, end) {
				return
			}
			start = end
		}
	}
}

// First returns the first window. It returns false if there are no windows.
func (w Sequence) First() (first Window, ok bool) {
	for one := range w.All() {
		return one, true
	}
	return Window{}, false
}

// empty reports whether the window contains no whole unit.
func (w Window) empty() bool {
	switch {
	case w.open || w.end == 0:
		return false
	case w.end == day:
		return compareDays(w.lastTime(), w.Start) < 0
	default:
		return w.lastTime().Before(w.end.floor(w.Start))
	}
}

// lastTime returns the time that is formatted as the end.
func (w Window) lastTime() time.Time {
	switch w.end {
	case 0:
		return w.End
	case day:
		return dayBefore(w.End)
	default:
		return w.end.floor(w.End).Add(-min(time.Duration(w.end), time.Second))
	}
}

// StartValue returns the start of the window for expressions: a text, or seconds since
// 1970. It returns null if the window has no start.
func (w Window) StartValue() value.Value { return w.start(w.format) }

// EndValue returns the end of the window for expressions, see Spec.Inclusive.
func (w Window) EndValue() value.Value { return formatTime(w.format, w.lastTime()) }

// StartBound returns the start as a remembered value, which does not depend on Format.
func (w Window) StartBound() value.Value { return w.start(boundFormat) }

// EndBound returns the end as a remembered value, which does not depend on Format.
func (w Window) EndBound() value.Value { return formatTime(boundFormat, w.End) }

func (w Window) start(format string) value.Value {
	if w.open {
		return value.Value{}
	}
	return formatTime(format, w.Start)
}

// String returns the window for messages.
func (w Window) String() string {
	if w.open {
		return "everything until " + w.EndValue().Raw()
	}
	return fmt.Sprintf("%s to %s", w.StartValue().Raw(), w.EndValue().Raw())
}
