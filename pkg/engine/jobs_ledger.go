package engine

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
)

// jobsLedger records what the jobs of an iteration did: their statistics, events, findings
// and remembered values.
type jobsLedger struct {
	*runLedger
	it              iteration
	secrets         *secret.Registry
	iterationValues *state.IterationValues
	time            *state.Time
	statistics      statistics
	skippedRuns     *skippedRuns // runs that `if` skipped
	progress        progress
}

// mostWindows is the maximum number of windows, and of rounds of `startOver`, that a job
// reports to people.
const mostWindows = 100

// emit emits an event of a job. A job emits one finding of each kind and ten warnings of
// each other kind, regardless of the number of its runs. A finding about missing rows holds
// the remembered values of the run in, or of all runs if in is nil. With `onIncomplete:
// fail` emit returns the finding as an error.
func (l *jobsLedger) emit(j *job, in *invocation, e event.Body) error {
	switch e := e.(type) {
	case event.Finding:
		if l.statistics.get(j).countWarning(event.KindOf(e), 1) {
			if err := l.raise(e, l.it.FailIncomplete); err != nil {
				return err
			}
		}
		l.holdValues(j, in, e)
	case event.WindowStarted:
		s := l.statistics.get(j)
		s.windows++
		e.Quiet = s.windows > mostWindows
		l.log.Emit(e)
	case event.PagingRound:
		s := l.statistics.get(j)
		s.rounds++
		e.Quiet = s.rounds > mostWindows
		l.log.Emit(e)
	case event.ConfigWarning:
		l.warn(e)
	default:
		if e.Level() != event.Warn || l.statistics.get(j).countWarning(event.KindOf(e), mostWarnings) {
			l.log.Emit(e)
		}
	}
	return nil
}

// postpone stores a finding until all runs of the job have ended. The finding may be a
// consequence of data.missing, which is found only then and is emitted first.
func (l *jobsLedger) postpone(j *job, in *invocation, found event.Finding) {
	if s := l.statistics.get(j); s.countWarning(event.KindOf(found), 1) {
		s.postponed = append(s.postponed, found)
	}
	l.holdValues(j, in, found)
}

// holdValues keeps values of the state from moving past the rows that a finding reports as
// missing, so that the next run requests these rows again:
//
//   - It holds the names that job j and the jobs above and below it remember or read. If
//     children are missing, their item must come again; if an item is missing, its children
//     must come again. A name with combinations is held for the combinations that the
//     missing rows may belong to, or for all if the finding is about all runs of the job
//     (in is nil).
//   - With `onIncomplete: hold`, it holds the start of the previous run.
//
// Names of unrelated jobs move on.
func (l *jobsLedger) holdValues(j *job, in *invocation, found event.Finding) {
	if event.RowsComplete(found) {
		return
	}
	e := event.StateHeld{
		Job: j.name, Finding: event.KindOf(found), Start: l.it.HoldIncomplete,
		Pointer: j.Pointer, JobPointer: j.Pointer, Iteration: j.iteration,
	}
	if e.Start {
		l.time.Hold()
	}
	family := j.family()
	for _, owner := range withChildren(l.it.jobs) {
		for _, m := range owner.remembers {
			related := slices.ContainsFunc(family, func(relative *job) bool {
				return relative == owner || slices.Contains(relative.rememberedNames, m.name)
			})
			if !related || !l.holdName(m, owner, family, in) {
				continue
			}
			if len(e.Names) == 0 || owner == j {
				e.Pointer = m.pointer
			}
			if !slices.Contains(e.Names, m.name) {
				e.Names = append(e.Names, m.name)
			}
		}
	}
	statistics := l.statistics.get(j)
	if statistics.held || len(e.Names) == 0 && !e.Start {
		return
	}
	statistics.held = true
	l.log.Emit(e)
}

// holdName holds a name of job owner, because rows of a run of a job are missing. family
// are this job and the jobs above and below it. holdName returns false if the name has one
// value for each item below the run: missing items have no value.
func (l *jobsLedger) holdName(m rememberEntry, owner *job, family []*job, in *invocation) bool {
	if in == nil || !slices.Contains(family, owner) {
		l.iterationValues.HoldAll(m.name)
		return true
	}
	// The windows of a root job run one after another, so the windows before this one are
	// complete.
	onlyWindow := owner.parent == nil && owner.Windows != nil && m.path == "" &&
		len(m.value.References(expr.Window)) > 0 && !m.value.RefersBeyond(expr.Window, expr.Attr, expr.Time)
	combination, known := m.combination(in.placeholderValues)
	switch {
	case onlyWindow:
		l.iterationValues.Freeze(m.name)
	case known:
		l.iterationValues.Hold(m.name, combination)
	default:
		return false
	}
	return true
}

// finish emits the postponed findings of a root job and its child jobs, after all their
// runs. It finds jobs without a response that has their `dataField`, if a response has
// lists at other paths, unless a limit has cut some of the runs.
func (l *jobsLedger) finish(root *job, cut bool) error {
	for _, j := range withChildren([]*job{root}) {
		s := l.statistics[j]
		if s == nil {
			continue
		}
		if !s.found && len(s.otherLists) > 0 && !cut {
			if err := l.emit(j, nil, dataMissing(j, s.otherLists, l.secrets.Mask)); err != nil {
				return err
			}
		}
		for _, found := range s.postponed {
			if err := l.raise(found, l.it.FailIncomplete); err != nil {
				return err
			}
		}
		s.postponed = nil
	}
	return nil
}

// dataMissing returns the finding that no response of a job has its `dataField`. paths
// are the lists in the responses.
func dataMissing(j *job, paths []string, mask func(string) string) event.DataMissing {
	lists := make([]string, len(paths))
	for i, path := range paths {
		lists[i] = mask(path)
		if path == "" {
			lists[i] = j.DataField.Delimiter
		}
	}
	return event.DataMissing{
		Job: j.name, DataField: j.DataField.Path, Lists: lists,
		Pointer: failure.PointerJoin(j.Pointer, config.JobDataField.Name), JobPointer: j.Pointer, Iteration: j.iteration,
	}
}
