package engine

import (
	"errors"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// errUnwanted is why a job has no request.
var errUnwanted = errors.New("it does not run, because of its 'if'")

// wanted reports whether the `if` of a job lets it run. Warnings about the expression go
// to warn.
func (jr *jobRunner) wanted(j *job, in invocation, warn func(pointer, text string)) (bool, error) {
	if j.If == nil {
		return true, nil
	}
	var v value.Value
	err := jr.concealing(jr.scopeOf(in).Warning(warn), func(scope *expr.Scope) (err error) {
		v, err = j.If.Eval(scope)
		return err
	})
	return !v.Empty(), err
}

// unwanted counts the runs of jobs that did not take place because of `if`. Streams count
// at the same time.
type unwanted struct {
	mu    sync.Mutex
	count map[*job]int
}

func (u *unwanted) add(j *job) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count == nil {
		u.count = map[*job]int{}
	}
	u.count[j]++
}

func (u *unwanted) of(j *job) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count[j]
}

// unwantedDraft is errUnwanted for a job of which it is known before the run that it does
// not take place.
func (v *previewer) unwantedDraft(j *job, in invocation) error {
	known := []expr.Context{expr.Attr, expr.Time, expr.Remembered}
	if in.window == nil || in.window.of > 0 {
		known = append(known, expr.Window)
	}
	if j.If == nil || j.If.RefersBeyond(known...) {
		return nil
	}
	wanted, err := v.wanted(j, in, nil)
	if err == nil && !wanted {
		err = errUnwanted
	}
	return err
}
