package engine

import (
	"errors"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// errIncomplete is the cause of the error that a finding becomes with
// `onIncomplete: fail`.
var errIncomplete = errors.New("the data is incomplete")

// mostEmpty is how many warnings about empty pages, skipped ones and new starts a job
// gives.
const mostEmpty = 10

// mostWindows is how many windows a job reports to people.
const mostWindows = 100

// warningCount is how many warnings of one kind a job had to give.
type warningCount struct {
	kind        string
	count, most int
}

// warned counts one more warning, and reports whether it is to be shown.
func (s *jobStatistics) warned(kind string, most int) bool {
	for i := range s.warnings {
		if w := &s.warnings[i]; w.kind == kind {
			w.count++
			return w.count <= most
		}
	}
	s.warnings = append(s.warnings, warningCount{kind, 1, most})
	return true
}

// emit emits an event of a job. A job gives one finding of each kind and ten
// warnings about empty and skipped pages and new starts, regardless of the number of its runs. With
// `onIncomplete: fail` a finding is an error.
func (jr *jobRunner) emit(j *job, e event.Body) error {
	switch e := e.(type) {
	case event.Finding:
		if !jr.statistics.of(j).warned(e.Kind(), 1) {
			return nil
		}
		jr.run.Log.Emit(e)
		jr.run.incomplete++
		if jr.it.FailIncomplete {
			err := failure.Userf("%s; this is an error because 'config.onIncomplete' is 'fail'; with 'warn' the run succeeds", e.Message()).At(e.Setting())
			err.Cause = errIncomplete
			return err
		}
	case event.DataEmpty, event.ResponseSkipped, event.JobRestarted:
		if jr.statistics.of(j).warned(e.Kind(), mostEmpty) {
			jr.run.Log.Emit(e)
		}
	case event.WindowStarted:
		s := jr.statistics.of(j)
		s.windows++
		e.Quiet = s.windows > mostWindows
		jr.run.Log.Emit(e)
	case event.ConfigWarning:
		jr.run.Log.WarnOnce(e)
	default:
		jr.run.Log.Emit(e)
	}
	return nil
}

// reportOmitted reports how many warnings a job had to give beyond those that were shown.
func (s *jobStatistics) reportOmitted(log *event.Log, j *job, iteration int) {
	for _, w := range s.warnings {
		if more := w.count - w.most; more > 0 {
			log.Emit(event.WarningsOmitted{Job: j.name, Of: w.kind, Count: more, JobPointer: j.Pointer, Iteration: iteration})
		}
	}
}
