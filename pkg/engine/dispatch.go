package engine

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/window"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// dispatcher decides how often a job of an iteration runs: not at all if its `if` is
// false, for each of its windows, otherwise once. It makes the scope of the expressions
// of each run.
type dispatcher struct {
	*evaluator
	scope           *expr.Scope            // scope that all jobs share
	iterationValues *state.IterationValues // remembered values of the iteration
	standIn         func(name string) string
	started         time.Time // start of the run, the base of phrases such as "yesterday"
	skippedRuns     *skippedRuns
}

// invocation is the input of a job run.
type invocation struct {
	// endpoint is the endpoint with the values of its placeholders.
	endpoint          string
	placeholderValues []placeholderValue
	// parents are the rows above the run, the direct parent first. Only a job with
	// children may read them, because the rows of other jobs are not cloned.
	parents  []value.Packed
	items    expr.Members // values in parents that expressions refer to
	window   *jobWindow   // window of the run or of a job above it, or nil
	limit    *windowLimit // limit of the windows of a root job, or nil
	position position     // position of the run among all runs below the root job
	events   []event.Body // events about the placeholder values
	// counted counts the items that the run is for in the live progress.
	counted *event.LiveParents
}

// jobWindow is a window that a job runs for.
type jobWindow struct {
	window.Window
	of int // number of windows, 0 if the window is a stand-in of a preview
	// members are the values of the window in expressions.
	members expr.Members
	// secret is true if a bound was made of a secret.
	secret bool
}

// runFunc runs a job once.
type runFunc func(*job, invocation) error

const noWindow = "there is no window between 'from' and 'to'"

// The reasons why a job has no request.
var (
	errNoWindow = errors.New("it does not run: " + noWindow)
	errSkipped  = errors.New("it does not run, because of its 'if'")
)

// scopeOf returns the scope of the expressions of a job run.
func (d *dispatcher) scopeOf(in invocation) *expr.Scope {
	scope := d.scope
	if in.window != nil {
		scope = scope.With(expr.Window, in.window.members)
	}
	if len(in.parents) == 0 {
		return scope
	}
	placeholders := make(expr.Members, len(in.placeholderValues))
	for _, f := range in.placeholderValues {
		placeholders[f.token] = f.value
	}
	scope = scope.With(expr.Placeholder, placeholders).With(expr.ParentItem, in.items)
	if remembered := d.rememberedFor(in); remembered != nil {
		scope = scope.With(expr.Remembered, remembered)
	}
	return scope
}

// rememberedFor returns the remembered values for a run of a child job, or nil if no value
// depends on the placeholders of the run.
func (d *dispatcher) rememberedFor(in invocation) expr.Members {
	var members expr.Members
	for _, m := range d.it.remembers {
		combination, ok := m.combination(in.placeholderValues)
		if !ok || len(m.per) == 0 {
			continue
		}
		if members == nil {
			members = d.iterationValues.AllBefore()
		}
		members[m.name] = d.iterationValues.Previous(m.name, combination)
		if d.standIn != nil && d.iterationValues.Entry(m.name).Stored > 0 { // a preview does not know the values of the placeholders
			members[m.name] = value.OfString(d.standIn(m.name + " of this " + strings.Join(m.per, ", ")))
		}
	}
	return members
}

// shouldRun reports whether the `if` of a job lets it run. It passes warnings about the
// expression to warn.
func (d *dispatcher) shouldRun(j *job, in invocation, warn func(pointer, text string)) (bool, error) {
	if j.If == nil {
		return true, nil
	}
	var v value.Value
	err := d.evalRegisteringSecrets(d.scopeOf(in).Warning(warn), func(scope *expr.Scope) (err error) {
		v, err = j.If.Eval(scope)
		return err
	})
	return !v.Empty(), err
}

// eachWindow runs a job for each of its windows in their order, or once if the job has no
// windows. It does not run the job if its `if` is false.
func (d *dispatcher) eachWindow(j *job, in invocation, run runFunc) error {
	if j.If == nil && j.Windows == nil { // the most frequent case, without allocations
		return run(j, in)
	}
	return d.eachInput(j, in, run)
}

func (d *dispatcher) eachInput(j *job, in invocation, run runFunc) error {
	in.events = slices.Clip(in.events) // other runs share in.events
	warn := warningCollector(&in.events)
	shouldRun, err := d.shouldRun(j, in, warn)
	switch {
	case err != nil:
		return err
	case !shouldRun:
		d.skippedRuns.add(j)
		return nil
	case j.Windows == nil:
		return run(j, in)
	}
	all, secret, err := d.windows(j, in, warn)
	if err != nil {
		return err
	}
	in.limit.begin(all, secret)
	for one := range all.All() {
		if !in.limit.mayStart() {
			break
		}
		if err := run(j, d.forWindow(j, in, one, all.Count, secret)); err != nil {
			return err
		}
	}
	return nil
}

// firstWindow returns the invocation for the first window of a job with windows.
func (d *dispatcher) firstWindow(j *job, in invocation) (invocation, error) {
	all, secret, err := d.windows(j, in, nil)
	if err != nil {
		return in, err
	}
	first, ok := all.First()
	if !ok {
		return in, errNoWindow
	}
	in = d.forWindow(j, in, first, all.Count, secret)
	in.events = nil // preview and probe start no window
	return in, nil
}

// windows returns the windows of a job run. It passes warnings about their bounds to
// warn.
func (d *dispatcher) windows(j *job, in invocation, warn func(pointer, text string)) (all window.Sequence, secret bool, err error) {
	err = d.evalRegisteringSecrets(d.scopeOf(in).Warning(warn), func(scope *expr.Scope) (err error) {
		all, secret, err = j.Windows.Between(scope, d.started)
		return err
	})
	return all, secret, err
}

// forWindow returns the invocation for one window. of is the number of windows.
func (d *dispatcher) forWindow(j *job, in invocation, one window.Window, of int, secret bool) invocation {
	in.window = &jobWindow{Window: one, of: of, members: expr.WindowMembers(one.StartValue(), one.EndValue()), secret: secret}
	started := event.WindowStarted{Job: j.name, Window: one.Number, Of: of, Start: one.StartValue().Text(), End: one.EndValue().Text(), JobPointer: j.Pointer, Iteration: j.iteration}
	if secret {
		for _, v := range in.window.members.AsSecret() {
			d.registerSecret(v)
		}
		started.Start, started.End = "", ""
	}
	in.events = append(slices.Clip(in.events), started)
	return in
}

// RememberedValue is the value that earlier runs left under a name. A name with a value
// for each combination of placeholders has Values, the number of values, instead of
// Value. Before the first run both are empty.
type RememberedValue struct {
	Name   string `json:"name"`
	Value  string `json:"value,omitempty"`
	Values int    `json:"values,omitempty"`
}

// rememberedValues returns the values that earlier runs left under names.
func (d *dispatcher) rememberedValues(names []string) []RememberedValue {
	all := make([]RememberedValue, len(names))
	for i, name := range names {
		found := d.iterationValues.Entry(name)
		all[i] = RememberedValue{Name: name, Value: formatRemembered(name, found.Before, d.secrets.Mask)}
		if found.Per {
			all[i].Values = found.Stored
		}
	}
	return all
}
