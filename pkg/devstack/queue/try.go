package queue

import (
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Try prepares the run of a job with a configuration of its own as Run would do, and
// returns what such a job would say before the component starts. The job is in no store,
// where the component could look up its values of variables, so they are replaced here.
// A user error is one that would fail the job.
func (q *Queue) Try(job store.Job) (spec sandbox.Spec, said []sandbox.Record, err error) {
	resolving := *q
	resolving.o.ResolveVariables = true
	r := &run{q: &resolving, job: job, emit: func(e store.Event) {
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
