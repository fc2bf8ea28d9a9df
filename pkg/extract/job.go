package extract

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/pagination"
	"github.com/keboola/configurable-extractor/pkg/response"
	"github.com/keboola/configurable-extractor/pkg/target"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobRunner runs the jobs of one iteration.
type jobRunner struct {
	run    *run
	it     iteration
	client *target.Client
	sink   sink
	scope  *expr.Scope
}

// jobRun is one run of one job: its pages so far.
type jobRun struct {
	*jobRunner
	job      config.Job
	scroller pagination.Scroller
	seen     repetition
	pages    int
	rows     int
}

// run1 runs a job to its end: page after page until a rule stops it.
func (jr *jobRunner) run1(ctx context.Context, job config.Job) error {
	params, err := job.Params.Eval(jr.scope)
	if err != nil {
		return err
	}
	scroller, err := jr.it.scrollers.For(job.Scroller)
	if err != nil {
		return err
	}
	base := config.Request{Endpoint: job.Endpoint, Method: job.Method, Params: params, Headers: job.Headers}
	j := &jobRun{jobRunner: jr, job: job, scroller: scroller}
	request, state := scroller.First(base, jr.run.Now())
	for {
		var stop *pagination.Stop
		facts, stop, err := j.page(ctx, request)
		if err == nil && stop == nil {
			request, state, stop, err = scroller.Next(base, state, facts)
		}
		if err != nil {
			return failure.Within(fmt.Sprintf("job %s, page %d", job.Endpoint, j.pages), job.Pointer, err)
		}
		if stop != nil {
			j.run.Log.Emit(event.JobFinished{Job: job.Endpoint, Pages: j.pages, Rows: j.rows, Rule: stop.Rule, Pointer: stop.Pointer, Repeated: j.seen.again})
			return nil
		}
	}
}

// page fetches, checks and stores one page. It stops the job when the page only
// repeats what was there before.
func (j *jobRun) page(ctx context.Context, request config.Request) (pagination.Page, *pagination.Stop, error) {
	j.pages++
	answer, err := j.client.Do(ctx, request)
	if err != nil {
		return pagination.Page{}, nil, err
	}
	defer answer.Body.Close()
	page, err := j.scan(answer)
	if err != nil {
		return pagination.Page{}, nil, err
	}
	if stop := j.seen.check(j.pages, request, page); stop != nil {
		return pagination.Page{}, stop, nil
	}
	if err := j.check(page); err != nil {
		return pagination.Page{}, nil, err
	}
	facts, err := j.store(ctx, page)
	return facts, nil, err
}

// scan reads the answer once. An answer without a body has no data.
func (j *jobRun) scan(answer *target.Response) (*response.Page, error) {
	query := response.Query{
		Data:   response.Path{Text: j.job.DataField.Path, Separator: j.job.DataField.Delimiter},
		Fields: j.scroller.Needs().Fields,
	}
	page, err := j.run.scanner.Scan(answer.Body, query)
	if errors.Is(err, io.EOF) {
		return response.NoPage(query), nil
	}
	return page, err
}

// check takes the decisions about a page that need no row: is there data, and
// only one place of it?
func (j *jobRun) check(page *response.Page) error {
	detected := j.job.DataField.Path == ""
	switch {
	case detected && len(page.Lists) > 1:
		return failure.Userf("more than one list was found in the response (%s): set 'dataField' to the one with the data", join(page.Lists)).At(j.job.Pointer)
	case detected && page.Root != value.Object && page.Root != value.Array && !page.NoBody:
		return failure.Userf("the response is a %s, expected an object or a list; with 'dataField': '.' it is taken as one value", page.Root).At(j.job.Pointer)
	case page.Rows == 0:
		j.run.Log.Emit(event.DataEmpty{Job: j.job.Endpoint, DataField: j.job.DataField.Path, Page: j.pages})
	}
	return nil
}

// store hands the rows to the tables and learns from them what paging wants to
// know.
func (j *jobRun) store(ctx context.Context, page *response.Page) (pagination.Page, error) {
	facts := pagination.Page{Rows: page.Rows, Field: page.Field, Now: j.run.Now()}
	id := j.scroller.Needs().ItemID
	batch := j.sink.batch(j.job)
	for row, err := range page.Items() {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = batch.Row(row)
		}
		if err != nil {
			return facts, err
		}
		if id.Text != "" {
			v, _ := row.At(id.Text, id.Separator)
			facts.IDs.Add(v)
		}
	}
	j.rows += page.Rows
	return facts, nil
}
