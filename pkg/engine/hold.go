package engine

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// emit emits an event of a job, see jobRunner.emit. A finding about missing rows holds
// the remembered values of the run.
func (r *jobRun) emit(j *job, e event.Body) error {
	err := r.jobRunner.emit(j, e)
	if found, ok := e.(event.Finding); ok && err == nil {
		r.hold(j, &r.invocation, found)
	}
	return err
}

// hold keeps values of the state from moving past the rows that a finding reports as
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
func (jr *jobRunner) hold(j *job, in *invocation, found event.Finding) {
	if _, complete := found.(event.RowsComplete); complete {
		return
	}
	e := event.StateHeld{Job: j.name, Finding: found.Kind(), Start: jr.it.HoldIncomplete, Pointer: j.Pointer, JobPointer: j.Pointer, Iteration: jr.number}
	if e.Start {
		jr.run.time.Hold()
	}
	for _, owner := range withChildren(jr.it.jobs) {
		for _, m := range owner.remembers {
			if !isRelated(m.name, owner, j) || !jr.holdName(m, owner, j, in) {
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
	statistics := jr.statistics.get(j)
	if statistics.held || len(e.Names) == 0 && !e.Start {
		return
	}
	statistics.held = true
	jr.run.Log.Emit(e)
}

// holdName holds a name of job owner, because rows of a run of job j are missing. It
// returns false if the name has one value for each item below the run: missing items have
// no value.
func (jr *jobRunner) holdName(m rememberEntry, owner, j *job, in *invocation) bool {
	switch combination, known := m.combinationOf(in); {
	case in == nil || !slices.Contains(j.family(), owner):
		jr.iterationValues.HoldAll(m.name)
	case m.dependsOnlyOnWindow(owner):
		jr.iterationValues.Freeze(m.name) // the windows before this one are complete
	case known:
		jr.iterationValues.Hold(m.name, combination)
	default:
		return false
	}
	return true
}

// combinationOf returns the combination of run in, or false if in is nil.
func (m rememberEntry) combinationOf(in *invocation) (text string, ok bool) {
	if in == nil {
		return "", false
	}
	return m.combination(*in)
}

// dependsOnlyOnWindow reports whether the remembered value of a root job depends on its
// window only. The windows of a root job run one after another.
func (m rememberEntry) dependsOnlyOnWindow(owner *job) bool {
	return owner.parent == nil && owner.Windows != nil && m.path == "" &&
		len(m.value.References(expr.Window)) > 0 && !m.value.RefersBeyond(expr.Window, expr.Attr, expr.Time)
}

// isRelated reports whether job j, or a job above or below it, remembers or reads a name of
// job owner.
func isRelated(name string, owner, j *job) bool {
	return slices.ContainsFunc(j.family(), func(relative *job) bool {
		return relative == owner || slices.Contains(relative.rememberedNames, name)
	})
}

// family returns the job and all jobs above and below it.
func (j *job) family() []*job {
	all := withChildren([]*job{j})
	for above := j.parent; above != nil; above = above.parent {
		all = append(all, above)
	}
	return all
}

// withChildren returns jobs and all jobs below them.
func withChildren(jobs []*job) []*job {
	var all []*job
	for _, j := range jobs {
		all = append(append(all, j), withChildren(j.children)...)
	}
	return all
}
