package engine

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/config/window"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// windowLimit ends a root job before its last window, because of `windows.atMost` or
// `stopAfter`. The next run continues where it ended.
//
// The windows of a job may start before the windows in front of them are stored. The
// dispatcher calls mayStart, and the goroutine that stores pages calls ended, both in the
// order of the windows. A job stops only when all its windows are stored and the state is
// past the start of the job, so the result does not depend on the
// concurrency.
type windowLimit struct {
	job       *job
	name      string    // remembered name with the end of the last window
	deadline  time.Time // zero without `stopAfter`
	now       func() time.Time
	values    *state.IterationValues
	cancelled <-chan struct{} // closed when no further window ends; nil in a serial run
	changed   chan struct{}   // has an item after a window has ended

	mu              sync.Mutex
	all             window.Sequence // windows of the whole span
	secret          bool            // whether a bound was made of a secret
	started, done   int             // windows
	reached         int             // number of the last window that the state has
	advanced        bool            // whether the state is past the start of the job
	unfinished      bool            // whether the last window lacks rows
	reason, pointer string          // why the job stopped
}

// windowLimit returns the limit of a root job, or nil if all its windows run.
func (jr *jobRunner) windowLimit(j *job) *windowLimit {
	if !limited(jr.it, j) {
		return nil
	}
	l := &windowLimit{job: j, now: jr.run.Now, values: jr.iterationValues, changed: make(chan struct{}, 1)}
	if name, ok := endName(j); ok {
		l.name = name
	}
	if jr.it.StopAfter != (window.Step{}) {
		l.deadline = jr.it.StopAfter.After(jr.run.began, 1)
	}
	return l
}

// limited reports whether a root job may end before its last window.
func limited(it iteration, j *job) bool {
	return j.parent == nil && j.Windows != nil && j.Windows.Divided() && (j.Windows.AtMost > 0 || it.StopAfter != (window.Step{}))
}

// describeLimits returns sentences about the limits and failures of a root job.
func describeLimits(it iteration, j *job) []string {
	var all []string
	if limited(it, j) && j.Windows.AtMost > 0 {
		all = append(all, fmt.Sprintf("Fetches at most %s in a run; the next run continues after them.", textfmt.Count(j.Windows.AtMost, "window")))
	}
	if limited(it, j) && it.StopAfter != (window.Step{}) {
		all = append(all, "Starts no window later than 'stopAfter' allows; the next run continues there.")
	}
	if it.KeepOthers && j.parent == nil {
		all = append(all, "If it fails, its tables are left out and the other jobs continue.")
	}
	return all
}

// endName returns the remembered name of a job that holds the end of its windows, and where
// they start.
func endName(j *job) (string, bool) {
	from := j.Windows.FromReferences(expr.Remembered)
	for _, m := range j.remembers {
		if m.path == "" && slices.Contains(m.value.References(expr.Window), "end") && !m.value.RefersBeyond(expr.Window, expr.Attr, expr.Time) && slices.Contains(from, m.name) {
			return m.name, true
		}
	}
	return "", false
}

// begin sets the windows of the job.
func (l *windowLimit) begin(all window.Sequence, secret bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all, l.secret = all, secret
}

// mayStart reports whether the next window starts.
func (l *windowLimit) mayStart() bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	stop := l.unfinished
	reason, pointer := l.due()
	l.mu.Unlock()
	if !stop && reason != "" {
		stop = l.settle()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if stop || l.unfinished {
		l.reason, l.pointer = reason, pointer
		return false
	}
	l.started++
	return true
}

// due returns the reason why no further window should start, and its setting, or "".
func (l *windowLimit) due() (reason, pointer string) {
	switch {
	case l.job.Windows.AtMost > 0 && l.started >= l.job.Windows.AtMost:
		return "'windows.atMost' is reached", failure.PointerJoin(l.job.Windows.Pointer, config.WindowsAtMost.Name)
	case !l.deadline.IsZero() && l.now().After(l.deadline):
		return "'stopAfter' is reached", l.job.Windows.Pointer
	default:
		return "", ""
	}
}

// settle waits until all started windows are stored. It returns true if the job may stop.
func (l *windowLimit) settle() bool {
	for {
		l.mu.Lock()
		settled, stop := l.unfinished || l.done == l.started, l.unfinished || l.advanced
		l.mu.Unlock()
		if settled || l.cancelled == nil {
			return stop
		}
		select {
		case <-l.changed:
		case <-l.cancelled:
			return true
		}
	}
}

// ended records the end of a window. skipped is true if a rule skipped a response, so that
// the window is not remembered.
func (l *windowLimit) ended(one *jobWindow, skipped bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	switch {
	case l.values.IsHeld(l.name):
		l.unfinished = true
	case !skipped:
		l.reached = one.Number
		l.advanced = l.advanced || one.End.After(l.all.Since)
	}
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// isUnfinished reports whether the last stored window lacks rows. The windows after it are
// not stored.
func (l *windowLimit) isUnfinished() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unfinished
}

// left returns the event about the windows that are left for the next run, or nil if all
// windows ran.
func (l *windowLimit) left(mask func(string) string) *event.WindowsLeft {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done >= l.all.Count {
		return nil
	}
	reached := l.reached
	if !l.values.IsSet(l.name, "") { // a finding about all windows holds it
		reached = 0
	}
	e := &event.WindowsLeft{
		Job: l.job.name, Left: l.all.Count - reached, Of: l.all.Count, Reason: l.reason, Pointer: l.pointer,
		JobPointer: l.job.Pointer, Iteration: l.job.iteration,
	}
	if l.unfinished {
		e.Reason, e.Pointer = "rows of a window may be missing", l.job.Pointer
	}
	if !l.secret {
		e.Next = formatRemembered(l.name, l.values.Current(l.name, ""), mask)
	}
	return e
}

// endWindows reports the windows that a root job has left for the next run. cut is true if a
// limit of the run has ended the job; the next run then starts from the same state.
func (jr *jobRunner) endWindows(j *job, l *windowLimit, cut bool) {
	e := l.left(jr.run.Secrets.Mask)
	if e == nil || cut {
		return
	}
	if j.readsPreviousStart() {
		jr.ledger.time.Hold() // the next run requests the remaining windows as this run would
	}
	jr.ledger.leave(j, *e)
}

// checkWindowLimits reports jobs that could not continue after a limit of their windows.
func (p *Program) checkWindowLimits() {
	for _, it := range p.iterations {
		for _, j := range withChildren(it.jobs) {
			if j.Windows == nil || j.Windows.Undecided() {
				continue
			}
			at := field.NewSection(p.doc.Root.Value.Lookup(failure.PointerSplit(j.Windows.Pointer)), j.Windows.Pointer, j.Problems())
			limit := config.WindowsAtMost.In(at)
			switch {
			case j.Windows.AtMost > 0 && j.parent != nil:
				limit.Problem("expected it in a root job, because a child job cannot continue in the next run", `set it in the windows of the root job, or limit all with "stopAfter"`)
			case j.Windows.AtMost > 0 && !j.Windows.Divided():
				limit.Problem(`expected a "step", because without it there is one window`, "")
			case limited(it, j):
				p.checkWindowLimit(it, j, at, limit)
			}
		}
	}
}

// checkWindowLimit reports what a job with a limit of its windows lacks.
func (p *Program) checkWindowLimit(it iteration, j *job, windows, limit config.Section) {
	setting, at := config.WindowsAtMost.Name, limit
	if j.Windows.AtMost == 0 {
		setting, at = config.StopAfter.Name, windows
	}
	if _, ok := endName(j); !ok {
		at.Fault(failure.WrongValue, failure.Text(fmt.Sprintf("%q needs a job that remembers the end of its windows and starts from it, otherwise the next run cannot continue", setting)),
			`write "from": {"remembered": "until", "default": …} and "remember": {"until": {"window": "end"}}`)
	}
	if !it.Incremental {
		at.Fault(failure.WrongValue, failure.Text(fmt.Sprintf("%q needs \"incrementalOutput\": true, otherwise each run replaces the rows of the windows before", setting)), "")
	}
	if j.Windows.AtMost > 0 && !j.Windows.Advances() {
		config.WindowsLookback.In(windows).Problem(`expected less than "atMost" times "step": each run would end where it started`, "make \"atMost\" greater or \"lookback\" shorter")
	}
}
