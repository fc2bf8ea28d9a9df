package engine

import (
	"errors"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// errSkipped is the reason why a job with a false `if` has no request.
var errSkipped = errors.New("it does not run, because of its 'if'")

// shouldRun reports whether the `if` of a job lets it run. It passes warnings about the
// expression to warn.
func (jr *jobRunner) shouldRun(j *job, in invocation, warn func(pointer, text string)) (bool, error) {
	if j.If == nil {
		return true, nil
	}
	var v value.Value
	err := jr.evalRegisteringSecrets(jr.scopeOf(in).Warning(warn), func(scope *expr.Scope) (err error) {
		v, err = j.If.Eval(scope)
		return err
	})
	return !v.Empty(), err
}

// skippedRuns counts the runs of jobs that `if` skipped. Streams use it concurrently.
type skippedRuns struct {
	mu    sync.Mutex
	count map[*job]int
}

func (u *skippedRuns) add(j *job) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count == nil {
		u.count = map[*job]int{}
	}
	u.count[j]++
}

func (u *skippedRuns) get(j *job) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count[j]
}

// plannedSkip returns errSkipped if `if` skips the job and its value is known before the
// run.
func (v *previewer) plannedSkip(j *job, in invocation) error {
	known := []expr.Context{expr.Attr, expr.Time, expr.Remembered}
	if in.window == nil || in.window.of > 0 {
		known = append(known, expr.Window)
	}
	if j.If == nil || j.If.RefersBeyond(known...) {
		return nil
	}
	shouldRun, err := v.shouldRun(j, in, nil)
	if err == nil && !shouldRun {
		err = errSkipped
	}
	return err
}
