package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/window"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobWindow is a window that a job runs for.
type jobWindow struct {
	window.Window
	of int // how many there are; 0 for a stand-in, of which only a run will know more
	// members are what expressions see of it. They are secrets when a bound was made of
	// one.
	members expr.Members
	secret  bool
}

// bounds are what the next run may know of the window: where it starts and where the one
// after it does, regardless of the format and the end.
func (w *jobWindow) bounds() expr.Members {
	members := expr.WindowMembers(w.StartBound(), w.EndBound())
	if w.secret {
		return members.AsSecret()
	}
	return members
}

// runFunc runs a job once.
type runFunc func(*job, invocation) error

// eachWindow runs a job for each of its windows, in their order; once when it has no
// setting for them; not at all when its `if` says so.
func (jr *jobRunner) eachWindow(j *job, in invocation, run runFunc) error {
	in.events = slices.Clip(in.events) // other runs share them
	wanted, err := jr.shouldRun(j, in, warningCollector(&in.events))
	switch {
	case err != nil:
		return err
	case !wanted:
		jr.unwanted.add(j)
		return nil
	case j.Windows == nil:
		return run(j, in)
	}
	all, secret, err := jr.windows(j, in, warningCollector(&in.events))
	if err != nil {
		return err
	}
	for one := range all.All() {
		if err := run(j, jr.forWindow(j, in, one, all.Count, secret)); err != nil {
			return err
		}
	}
	return nil
}

// windows are those of one run of a job. Warnings about their bounds go to warn.
func (jr *jobRunner) windows(j *job, in invocation, warn func(pointer, text string)) (all window.Sequence, secret bool, err error) {
	err = jr.evalRegisteringSecrets(jr.scopeOf(in).Warning(warn), func(scope *expr.Scope) (err error) {
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
func (jr *jobRunner) forWindow(j *job, in invocation, one window.Window, of int, secret bool) invocation {
	in.window = &jobWindow{Window: one, of: of, members: expr.WindowMembers(one.StartValue(), one.EndValue()), secret: secret}
	started := event.WindowStarted{Job: j.name, Window: one.Number, Of: of, Start: one.StartValue().Text(), End: one.EndValue().Text(), JobPointer: j.Pointer, Iteration: jr.number}
	if secret {
		for _, v := range in.window.members.AsSecret() {
			jr.registerSecret(v)
		}
		started.Start, started.End = "", ""
	}
	in.events = append(slices.Clip(in.events), started)
	return in
}

const noWindow = "there is no window between 'from' and 'to'"

// errNoWindow is why a job has no request.
var errNoWindow = errors.New("it does not run: " + noWindow)

// firstWindow is the invocation for the first window of a job, or the same one for a job
// without windows.
func (jr *jobRunner) firstWindow(j *job, in invocation) (invocation, error) {
	if wanted, err := jr.shouldRun(j, in, nil); err != nil || !wanted {
		return in, cmp.Or(err, errSkipped)
	}
	if j.Windows == nil {
		return in, nil
	}
	all, secret, err := jr.windows(j, in, nil)
	if err != nil {
		return in, err
	}
	first, ok := all.First()
	if !ok {
		return in, errNoWindow
	}
	events := in.events
	in = jr.forWindow(j, in, first, all.Count, secret)
	in.events = events // no window has started
	return in, nil
}

// forFirstWindow previews a job for its first window. Bounds that come from data have
// stand-ins.
func (v *previewer) forFirstWindow(j *job, in invocation, draft func(invocation) PlannedRequest) (PlannedRequest, invocation) {
	if err := v.plannedSkip(j, in); err != nil {
		return PlannedRequest{Iteration: v.number, Job: j.name, Pointer: j.Pointer, Notes: notes(j), Problem: err}, in
	}
	if j.Windows == nil {
		return draft(in), in
	}
	known := []expr.Context{expr.Attr, expr.Time, expr.Remembered}
	if in.window == nil || in.window.of > 0 {
		known = append(known, expr.Window)
	}
	if j.Windows.RefersBeyond(known...) || !j.Windows.Known(v.scopeOf(in)) {
		in.window = &jobWindow{members: expr.WindowMembers(
			value.OfString(v.standIn(fmt.Sprintf("start of a window of %q", j.name))),
			value.OfString(v.standIn(fmt.Sprintf("end of a window of %q", j.name))))}
		d := draft(in)
		d.Window = "only a run knows them, as they depend on rows or variables"
		return d, in
	}
	first, err := v.firstWindow(j, in)
	if err != nil {
		return PlannedRequest{Iteration: v.number, Job: j.name, Pointer: j.Pointer, Problem: err}, in
	}
	d := draft(first)
	d.Windows, d.Window = first.window.of, first.window.String()
	if first.window.secret {
		d.Window = "made of a secret"
	}
	return d, first
}
