package engine

import (
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/window"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// jobWindow is a window that a job runs for.
type jobWindow struct {
	window.Window
	of int // how many there are
	// members are what expressions see of it.
	members expr.Members
}

// runFunc runs a job once.
type runFunc func(*job, invocation) error

// eachWindow runs a job for each of its windows, in their order; once when it has no
// setting for them.
func (jr *jobRunner) eachWindow(j *job, in invocation, run runFunc) error {
	if j.Windows == nil {
		return run(j, in)
	}
	in.events = slices.Clip(in.events) // other runs share them
	all, secret, err := jr.windows(j, in, recordWarnings(&in.events))
	if err != nil {
		return err
	}
	for one := range all.All() {
		if err := run(j, in.forWindow(j, one, all.Count, secret, jr.number)); err != nil {
			return err
		}
	}
	return nil
}

// windows are those of one run of a job. Warnings about their bounds go to warn.
func (jr *jobRunner) windows(j *job, in invocation, warn func(pointer, text string)) (all window.Windows, secret bool, err error) {
	err = jr.concealing(jr.scopeOf(in).Warning(warn), func(scope *expr.Scope) (err error) {
		all, secret, err = j.Windows.Between(scope, jr.started())
		return err
	})
	return all, secret, err
}

// started is when the run started, from which phrases such as "yesterday" are counted.
func (jr *jobRunner) started() time.Time {
	seconds, _ := jr.run.time.Current().Int()
	return time.Unix(seconds, 0)
}

// forWindow is the invocation for one window.
func (in invocation) forWindow(j *job, one window.Window, of int, secret bool, iteration int) invocation {
	in.window = &jobWindow{one, of, expr.WindowMembers(one.StartValue(), one.EndValue())}
	started := event.WindowStarted{Job: j.Endpoint, Window: one.Number, Of: of, Start: one.StartValue().Text(), End: one.EndValue().Text(), JobPointer: j.Pointer, Iteration: iteration}
	if secret {
		in.window.members.AsSecret()
		started.Start, started.End = "", ""
	}
	in.events = append(slices.Clip(in.events), started)
	return in
}
