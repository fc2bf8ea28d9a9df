// Package window splits a span of time into windows: one after another, without a gap
// and without an overlap, the last one as long as what is left.
//
// It is arithmetic only: times come from the caller, and nothing is read, sent or
// remembered. Windows are made one at a time, so memory does not grow with their number.
package window

import (
	"fmt"
	"iter"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Most is how many windows there may be.
const Most = 100_000

// Spec say how windows are made and written.
type Spec struct {
	// Step is the length of a window. The zero Span makes one window of all.
	Step Step
	// Format is that of the function date.
	Format string
	// Zone is where days are counted, and what Format writes. Not nil.
	Zone *time.Location
	// Inclusive is set if a window ends one unit before the next window starts. The unit is
	// the finest one that Format writes, a day at most.
	Inclusive bool
}

// Sequence are those between two times.
type Sequence struct {
	rules    Spec
	end      unit
	from, to time.Time
	open     bool // from has no value
	// Count is their number.
	Count int
}

// Between are the windows from one time to another one, of which only whole seconds
// count. More than Most are a user error.
func (r Spec) Between(from, to time.Time) (Sequence, error) {
	in := func(t time.Time) time.Time { return time.Unix(t.Unix(), 0).In(r.Zone) }
	w := Sequence{rules: r, end: r.end(), from: in(from), to: in(to)}
	spans := 0
	for start, end := range w.spans() {
		if spans++; spans > Most {
			return Sequence{}, failure.Userf("there are more than %d windows between %s and %s: make 'step' longer", Most, php.DateIn(boundFormat, w.from), php.DateIn(boundFormat, w.to))
		}
		if !w.window(start, end).empty() {
			w.Count++
		}
	}
	return w, nil
}

// Until is one window that ends at a time and has no start.
func (r Spec) Until(to time.Time) Sequence {
	return Sequence{rules: r, end: r.end(), to: time.Unix(to.Unix(), 0).In(r.Zone), open: true, Count: 1}
}

// end returns the unit by which windows end earlier, or 0 if a window ends at the start of
// the next one.
func (r Spec) end() unit {
	if !r.Inclusive {
		return 0
	}
	return finest(r.Format)
}

// Window is the time from Start to End, which is where the next one starts. One that
// Until has made has no Start.
type Window struct {
	// Number counts from 1.
	Number     int
	Start, End time.Time
	open       bool
	format     string
	end        unit
}

func (w Sequence) window(start, end time.Time) Window {
	return Window{Start: start, End: end, open: w.open, format: w.rules.Format, end: w.end}
}

// All are the windows in their order. A window without a whole unit, which an inclusive
// end would put before its start, is left out: the one after it starts with the same
// day.
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

// spans are the starts and ends of windows. Each is counted from the start of the
// first, so that a month which is cut does not cut those after it. A day that the
// clocks of the zone skip makes no window.
func (w Sequence) spans() iter.Seq2[time.Time, time.Time] {
	return func(yield func(start, end time.Time) bool) {
		start := w.from
		if w.open || w.rules.Step == (Step{}) {
			if start.Before(w.to) {
				yield(start, w.to)
			}
			return
		}
		for n := int64(1); start.Before(w.to); n++ {
			end := w.rules.Step.from(w.from, n)
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

// First is the window that starts first; ok is false when there is none.
func (w Sequence) First() (first Window, ok bool) {
	for one := range w.All() {
		return one, true
	}
	return Window{}, false
}

// empty reports whether the window has no whole unit.
func (w Window) empty() bool {
	switch {
	case w.open || w.end == 0:
		return false
	case w.end == day:
		return compareDays(w.last(), w.Start) < 0
	default:
		return w.last().Before(w.end.floor(w.Start))
	}
}

// last is the time that is written as the end.
func (w Window) last() time.Time {
	switch w.end {
	case 0:
		return w.End
	case day:
		return dayBefore(w.End)
	default:
		return w.end.floor(w.End).Add(-min(time.Duration(w.end), time.Second))
	}
}

// StartValue and EndValue are what the job sees of the window: texts, or numbers of
// seconds since 1970. A start that there is not is null.
func (w Window) StartValue() value.Value { return w.start(w.format) }
func (w Window) EndValue() value.Value   { return written(w.format, w.last()) }

// StartBound and EndBound are what is remembered of the window, in a form that does not depend on its format.
func (w Window) StartBound() value.Value { return w.start(boundFormat) }
func (w Window) EndBound() value.Value   { return written(boundFormat, w.End) }

func (w Window) start(format string) value.Value {
	if w.open {
		return value.Value{}
	}
	return written(format, w.Start)
}

// String is the window for a person.
func (w Window) String() string {
	if w.open {
		return "everything until " + w.EndValue().Raw()
	}
	return fmt.Sprintf("%s to %s", w.StartValue().Raw(), w.EndValue().Raw())
}
