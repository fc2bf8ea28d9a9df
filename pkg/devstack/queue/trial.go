package queue

import (
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Trial is what the component gets for a job that is in no queue: one with a
// configuration of its own, of which nothing will be stored.
type Trial struct {
	Spec sandbox.Spec
	// Notices are what a job would say about it before the component starts.
	Notices []store.Event
}

// Try prepares the run of a job with a configuration of its own as Run would do. The
// component cannot look up the values of variables for a job that does not exist, so
// they are replaced here. A user error is one that would fail the job.
func (q *Queue) Try(job store.Job) (Trial, error) {
	resolving := *q
	resolving.o.ResolveVariables = true
	var t Trial
	r := &run{q: &resolving, job: job, emit: func(e store.Event) { t.Notices = append(t.Notices, e) }}
	r.secrets.add(q.o.Token)
	p, err := r.prepare()
	if err == nil && len(p.steps) != 1 {
		err = failure.Applicationf("a job with a configuration of its own has %d runs", len(p.steps))
	}
	if err == nil {
		t.Spec, err = r.spec(p, p.steps[0])
	}
	if err != nil {
		return t, &failure.Error{Kind: failure.KindOf(err), Message: r.presentable(err.Error()), Cause: err}
	}
	return t, nil
}
