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
	of int // number of windows, 0 if the window is a stand-in of a preview
	// members are the values of the window in expressions.
	members expr.Members
	// secret is true if a bound was made of a secret.
	secret bool
}

// bounds returns the values of the window that may be remembered: its start and the start
// of the window after it, regardless of the settings for format and end.
func (w *jobWindow) bounds() expr.Members {
	members := expr.WindowMembers(w.StartBound(), w.EndBound())
	if w.secret {
		return members.AsSecret()
	}
	return members
}

// runFunc runs a job once.
type runFunc func(*job, invocation) error

// eachWindow runs a job for each of its windows in their order, or once if the job has no
// windows. It does not run the job if its `if` is false.
func (jr *jobRunner) eachWindow(j *job, in invocation, run runFunc) error {
	in.events = slices.Clip(in.events) // other runs share in.events
	shouldRun, err := jr.shouldRun(j, in, warningCollector(&in.events))
	switch {
	case err != nil:
		return err
	case !shouldRun:
		jr.skippedRuns.add(j)
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

// windows returns the windows of a job run. It passes warnings about their bounds to
// warn.
func (jr *jobRunner) windows(j *job, in invocation, warn func(pointer, text string)) (all window.Sequence, secret bool, err error) {
	err = jr.evalRegisteringSecrets(jr.scopeOf(in).Warning(warn), func(scope *expr.Scope) (err error) {
		all, secret, err = j.Windows.Between(scope, jr.started())
		return err
	})
	return all, secret, err
}

// started returns the start time of the run, the base of phrases such as "yesterday".
func (jr *jobRunner) started() time.Time {
	seconds, _ := jr.run.time.Current().Int()
	return time.Unix(seconds, 0)
}

// forWindow returns the invocation for one window. of is the number of windows.
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

// errNoWindow is the reason why a job without a window has no request.
var errNoWindow = errors.New("it does not run: " + noWindow)

// firstWindow returns the invocation for the first window of a job. A job without windows
// returns in unchanged.
func (jr *jobRunner) firstWindow(j *job, in invocation) (invocation, error) {
	if shouldRun, err := jr.shouldRun(j, in, nil); err != nil || !shouldRun {
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
	in.events = events // preview and probe start no window
	return in, nil
}

// forFirstWindow plans a job for its first window. Bounds that depend on data get
// stand-ins.
func (v *previewer) forFirstWindow(j *job, in invocation, draft func(invocation) PlannedRequest) (PlannedRequest, invocation) {
	if err := v.plannedSkip(j, in); err != nil {
		return PlannedRequest{Iteration: v.number, Job: j.name, Pointer: j.Pointer, Notes: describeNotes(j), Problem: err}, in
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
		d.Window = "known only during a run, because they depend on rows or variables"
		return d, in
	}
	first, err := v.firstWindow(j, in)
	if err != nil {
		return PlannedRequest{Iteration: v.number, Job: j.name, Pointer: j.Pointer, Problem: err}, in
	}
	d := draft(first)
	d.Windows, d.Window = first.window.of, first.window.String()
	if first.window.secret {
		d.Window = "computed from a secret"
	}
	return d, first
}
