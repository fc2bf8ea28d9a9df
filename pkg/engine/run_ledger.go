package engine

import (
	"errors"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// errIncomplete is the cause of the error that replaces a finding with `onIncomplete:
// fail`.
var errIncomplete = errors.New("the data is incomplete")

// mostWarnings is the maximum number of warnings of one kind, for a job and for the run
// outside of jobs. Further warnings are only counted.
const mostWarnings = 10

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

// runLedger records what happened in a run: its findings, its warnings outside of jobs,
// and the limit that ended it.
type runLedger struct {
	log            *event.Log
	incomplete     int                   // number of findings
	limit          *LimitReached         // nil if no data was dropped
	remaining      []remaining           // windows that are left for the next run
	warnings                             // warnings outside of jobs
	configWarnings []event.ConfigWarning // emitted warnings about the configuration
}

// warn emits a warning that belongs to no job. A warning about the configuration is
// emitted once, because an expression repeats its warning for each request or row.
func (l *runLedger) warn(e event.Body) {
	w, once := e.(event.ConfigWarning)
	if once && slices.Contains(l.configWarnings, w) || !l.countWarning(event.KindOf(e), mostWarnings) {
		return
	}
	if once {
		l.configWarnings = append(l.configWarnings, w)
	}
	l.log.Emit(e)
}

// raise emits a finding. If fail is true, it returns the finding as an error.
func (l *runLedger) raise(found event.Finding, fail bool) error {
	l.record(found)
	if !fail {
		return nil
	}
	err := failure.Userf("%s; this is an error because 'config.onIncomplete' is 'fail'; with 'warn' the run succeeds", event.MessageOf(found)).At(event.SettingOf(found))
	err.Cause = errIncomplete
	return err
}

// record emits and counts a finding.
func (l *runLedger) record(found event.Finding) {
	l.log.Emit(found)
	l.incomplete++
}

// recordLimit stores the first limit that was reached. A sample counts only if no other
// limit was reached.
func (l *runLedger) recordLimit(budget string, limit, reached float64, j *job) {
	if l.limit == nil || l.limit.Budget == "sample" && budget != "sample" {
		l.limit = &LimitReached{Budget: budget, Limit: limit, Reached: reached, Job: j.name, Pointer: j.Pointer}
	}
}

// LimitReached describes the limit that ended a run, so that its tables hold only a part
// of the data.
type LimitReached struct {
	// Budget is the flag that set the limit, without dashes: max-requests, max-time,
	// max-bytes or sample.
	Budget string
	// Limit is the allowed and Reached the used amount: requests, seconds, bytes, or
	// items of one run of a job.
	Limit, Reached float64
	// Job is the name of the job that was running. For a sample, it is the first job that
	// lost items. Pointer is the JSON pointer of the job.
	Job, Pointer string
}

// isLimit reports whether an error only means that a limit was reached.
func isLimit(err error) bool {
	_, ok := errors.AsType[*httpclient.LimitReached](err)
	return ok
}

// remaining are the windows of a root job that are left for the next run.
type remaining struct {
	job  *job
	left event.WindowsLeft
}

// leave records the windows that are left for the next run.
func (l *runLedger) leave(j *job, e event.WindowsLeft) {
	l.log.Emit(e)
	l.remaining = append(l.remaining, remaining{j, e})
}

// forgetRemaining drops what a job that failed later has left for the next run.
func (l *runLedger) forgetRemaining(j *job) {
	l.remaining = slices.DeleteFunc(l.remaining, func(one remaining) bool { return one.job == j })
}

// remainingTexts describes what is left for the next run.
func (l *runLedger) remainingTexts() []string {
	var all []string
	for _, one := range l.remaining {
		all = append(all, one.left.Summary())
	}
	return all
}
