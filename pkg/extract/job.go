package extract

import (
	"context"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/mapping"
	"github.com/keboola/configurable-extractor/pkg/pagination"
	"github.com/keboola/configurable-extractor/pkg/target"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobRunner runs the jobs of one iteration.
type jobRunner struct {
	run    *run
	client *target.Client
	sink   sink
	scope  *expr.Scope
	tally  tally // of the root job at hand
	// ignored are the statuses whose answers are data.
	ignored []int
}

// root runs a root job with all its children and then says, for each of these
// jobs, how it went.
func (jr *jobRunner) root(ctx context.Context, j *job) error {
	jr.tally = tally{}
	if err := jr.job(ctx, j, place{endpoint: j.Endpoint}); err != nil {
		return err
	}
	jr.tally.report(jr.run.Log, j)
	return nil
}

// place is where a run of a job stands: its endpoint with the placeholders
// filled in, their values, and the rows above it, the direct parent first.
type place struct {
	endpoint string
	filled   []filled
	parents  []value.Value
}

// jobRun is one run of one job: its pages so far.
type jobRun struct {
	*jobRunner
	*job
	place
	columns []mapping.Column
	seen    repetition
	pages   int
	found   int // rows
}

// job runs a job to its end: page after page until a rule stops it.
func (jr *jobRunner) job(ctx context.Context, j *job, at place) error {
	base, err := jr.request(j, at)
	if err != nil {
		return err
	}
	columns, err := j.user.columns(jr.scope)
	if err != nil {
		return err
	}
	r := &jobRun{jobRunner: jr, job: j, place: at, columns: append(columns, parentColumns(at.filled)...)}
	request, state := j.scroller.First(base, jr.run.Now())
	for {
		facts, stop, err := r.page(ctx, request)
		if err == nil && stop == nil {
			facts.Now = jr.run.Now() // after the child jobs, which count as time spent
			request, state, stop, err = j.scroller.Next(base, state, facts)
		}
		if err != nil {
			return failure.Within(fmt.Sprintf("job %s, page %d", at.endpoint, r.pages), j.Pointer, err)
		}
		if stop != nil {
			jr.tally.add(j, r, *stop)
			return nil
		}
	}
}

// request is a job's own request, before any paging.
func (jr *jobRunner) request(j *job, at place) (config.Request, error) {
	params, err := j.Params.Eval(jr.scope)
	return config.Request{Endpoint: at.endpoint, Method: j.Method, Params: params, Headers: j.Headers}, err
}

// page fetches, checks and stores one page and runs its child jobs. It stops
// the job when the page only repeats what was there before.
func (r *jobRun) page(ctx context.Context, request config.Request) (facts pagination.Page, stop *pagination.Stop, err error) {
	r.pages++
	answer, err := r.client.Do(ctx, request)
	if err != nil {
		return facts, nil, err
	}
	defer answer.Body.Close()
	if answer.Ignored {
		r.run.Log.Emit(event.ResponseIgnored{Job: r.endpoint, Status: answer.Status, Text: "taken as data, as 'api.http.ignoreErrors' wants it"})
	}
	page, err := r.scan(answer)
	if err != nil {
		return facts, nil, err
	}
	if stop := r.seen.check(r.pages, request, page); stop != nil {
		return facts, stop, nil
	}
	if err := r.check(page); err != nil {
		return facts, nil, err
	}
	if facts, err = r.store(ctx, page); err != nil {
		return facts, nil, err
	}
	return facts, nil, r.runChildren(ctx, page)
}

// runChildren runs the child jobs of a page: for each definition, for each row,
// for each combination of placeholder values.
func (r *jobRun) runChildren(ctx context.Context, page rows) error {
	for _, child := range r.children {
		if len(child.placeholders) == 0 && len(r.filled) == 0 {
			continue // the configuration's warnings say that it never runs
		}
		for row, err := range r.filtered(page) {
			if err != nil {
				return err
			}
			if err := r.runChild(ctx, child, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *jobRun) runChild(ctx context.Context, child *job, row value.Value) error {
	pass, err := child.filter.passes(row)
	if err != nil || !pass {
		return err
	}
	parents := append([]value.Value{row}, r.parents...)
	all, err := combinations(r.filled, child.placeholders, parents)
	if err != nil {
		return err
	}
	for _, values := range all {
		at := place{endpoint: endpoint(child.Endpoint, values), filled: values, parents: parents}
		if err := r.jobRunner.job(ctx, child, at); err != nil {
			return err
		}
	}
	return nil
}
