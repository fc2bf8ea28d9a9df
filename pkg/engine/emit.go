package engine

import (
	"errors"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// errIncomplete is the cause of the error that replaces a finding with `onIncomplete:
// fail`.
var errIncomplete = errors.New("the data is incomplete")

// mostWarnings is the maximum number of warnings of one kind, for a job and for the run
// outside of jobs. Further warnings are only counted.
const mostWarnings = 10

// mostWindows is the maximum number of windows that a job reports to people.
const mostWindows = 100

// warnings counts the warnings of each kind.
type warnings []warningCount

// warningCount counts the warnings of one kind. At most most of them are emitted.
type warningCount struct {
	kind        string
	count, most int
}

// countWarning counts a warning and reports whether to emit it.
func (all *warnings) countWarning(kind string, most int) bool {
	for i := range *all {
		if w := &(*all)[i]; w.kind == kind {
			w.count++
			return w.count <= most
		}
	}
	*all = append(*all, warningCount{kind, 1, most})
	return true
}

// reportOmitted emits the number of omitted warnings of each kind. about names the job.
func (all warnings) reportOmitted(log *event.Log, about event.WarningsOmitted) {
	for _, w := range all {
		if more := w.count - w.most; more > 0 {
			about.Of, about.Count = w.kind, more
			log.Emit(about)
		}
	}
}

// warn emits a warning that belongs to no job. A warning about the configuration is
// emitted once, because an expression repeats its warning for each request or row.
func (r *run) warn(e event.Body) {
	w, once := e.(event.ConfigWarning)
	if once && slices.Contains(r.configWarnings, w) {
		return
	}
	if !r.warnings.countWarning(e.Kind(), mostWarnings) {
		return
	}
	if once {
		r.configWarnings = append(r.configWarnings, w)
	}
	r.Log.Emit(e)
}

// emit emits an event of a job. A job emits one finding of each kind and ten warnings of
// each other kind, regardless of the number of its runs. With `onIncomplete: fail` emit
// returns the finding as an error.
func (jr *jobRunner) emit(j *job, e event.Body) error {
	switch e := e.(type) {
	case event.Finding:
		if jr.statistics.get(j).countWarning(e.Kind(), 1) {
			return jr.run.raise(e, jr.it.FailIncomplete)
		}
		return nil
	case event.WindowStarted:
		s := jr.statistics.get(j)
		s.windows++
		e.Quiet = s.windows > mostWindows
		jr.run.Log.Emit(e)
		return nil
	case event.ConfigWarning:
		jr.run.warn(e)
		return nil
	}
	if e.Level() != event.Warn || jr.statistics.get(j).countWarning(e.Kind(), mostWarnings) {
		jr.run.Log.Emit(e)
	}
	return nil
}

// raise emits a finding. If fail is true, it returns the finding as an error.
func (r *run) raise(found event.Finding, fail bool) error {
	r.Log.Emit(found)
	r.incomplete++
	if !fail {
		return nil
	}
	err := failure.Userf("%s; this is an error because 'config.onIncomplete' is 'fail'; with 'warn' the run succeeds", found.Message()).At(found.Setting())
	err.Cause = errIncomplete
	return err
}

// postpone stores a finding until all runs of the job have ended. The finding may be a
// consequence of data.missing, which is found only then and is emitted first.
func (jr *jobRunner) postpone(j *job, found event.Finding) {
	if s := jr.statistics.get(j); s.countWarning(found.Kind(), 1) {
		s.postponed = append(s.postponed, found)
	}
}

// raisePostponed emits the findings that postpone has stored.
func (jr *jobRunner) raisePostponed(j *job) error {
	s := jr.statistics[j]
	if s == nil {
		return nil
	}
	for _, found := range s.postponed {
		if err := jr.run.raise(found, jr.it.FailIncomplete); err != nil {
			return err
		}
	}
	s.postponed = nil
	return nil
}
