package queue

import (
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Try prepares a run of a job with a configuration of its own, as Run does. It returns
// the events that such a job has before the component starts. The job is not in the
// store, so the component could not look up its values of variables. Therefore Try
// replaces the variables. A user error is an error that would fail the job.
func (q *Queue) Try(job store.Job) (spec sandbox.Spec, said []sandbox.Record, err error) {
	resolving := *q
	resolving.o.ResolveVariables = true
	r := &execution{q: &resolving, job: job, emit: func(e store.Event) {
		said = append(said, sandbox.Record{Time: e.Created, Type: e.Type, Message: e.Message})
	}}
	r.secrets.add(q.o.Token)
	p, err := r.prepare()
	if err == nil && len(p.steps) != 1 {
		err = failure.Applicationf("a job with a configuration of its own has %d runs", len(p.steps))
	}
	if err == nil {
		spec, err = r.spec(p, p.steps[0])
	}
	if err != nil {
		err = &failure.Error{Kind: failure.KindOf(err), Message: r.presentable(err.Error()), Cause: err}
	}
	return spec, said, err
}
