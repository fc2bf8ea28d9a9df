package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobRunner runs the jobs of one iteration.
type jobRunner struct {
	run             *run
	it              iteration
	client          *httpclient.Client
	sink            sink
	iterationValues *state.IterationValues // remembered values of the iteration
	scope           *expr.Scope
	// number is the number of the iteration, counted from 1. It is 0 if there is only one
	// iteration.
	number int
	// rootNumber is the number of the current root job, counted from 1.
	rootNumber  int
	statistics  statistics   // statistics of the current root job and its children
	skippedRuns *skippedRuns // runs of these jobs that `if` skipped
	progress    progress
}

func (r *run) newJobRunner(it iteration, client *httpclient.Client) *jobRunner {
	return &jobRunner{run: r, it: it, client: client, iterationValues: r.iterationValues[it.Key], statistics: statistics{}, skippedRuns: &skippedRuns{}, scope: r.scope(it)}
}

// root runs a root job with all its children. Then it emits a summary of each of these
// jobs.
func (jr *jobRunner) root(ctx context.Context, j *job) error {
	jr.rootNumber++
	jr.statistics, jr.skippedRuns = statistics{}, &skippedRuns{}
	jr.progress = jr.newProgress(j)
	defer jr.run.Live.Forget()
	in := invocation{endpoint: j.Endpoint}
	var err error
	if jr.run.concurrency() > 1 {
		err = jr.parallel(ctx, j, in)
	} else {
		err = jr.eachWindow(j, in, jr.serialRunner(ctx, nil))
	}
	if err == nil || isLimit(err) {
		if found := jr.checkCompleteness(j, err != nil); found != nil {
			err = found
		}
	}
	if err == nil {
		jr.warnForgetting(j)
	}
	if err == nil || isLimit(err) {
		jr.statistics.report(jr.run.Log, j, jr.skippedRuns, jr.number)
	} else {
		jr.statistics.unfinished(jr.run.Log, j, jr.number)
	}
	return err
}

// invocation is the input of a job run.
type invocation struct {
	// endpoint is the endpoint with the values of its placeholders.
	endpoint          string
	placeholderValues []placeholderValue
	// parents are the rows above the run, the direct parent first. Only a job with
	// children may read them, because the rows of other jobs are not cloned.
	parents  []value.Packed
	items    expr.Members // values in parents that expressions refer to
	window   *jobWindow   // window of the run or of a job above it, or nil
	position position     // position of the run among all runs below the root job
	events   []event.Body // events about the placeholder values
	// counted counts the items that the run is for in the live progress.
	counted *event.LiveParents
}

// jobRun is one run of one job, with the pages so far.
type jobRun struct {
	*jobRunner
	*job
	invocation
	base         pagination.BaseRequest // request of the job without pagination
	scope        *expr.Scope
	scroller     pagination.Scroller
	columns      []mapping.Column // columns of all pages, or nil if each page has other columns
	repetition   repetition
	evidence     evidence
	pages        int
	rowsReceived int
	rowsFiltered int // rows that rowFilter dropped
	// batches are the values of child jobs for batches that are not full yet.
	batches map[*job]*openBatch
	sample  sample
	skipped bool // true if a rule skipped the last response
	// restarted is true after a restart without the remembered values.
	restarted bool
	live      *event.LiveJob
	// events are the events about the current page. They are emitted when the page is
	// stored.
	events []event.Body
	// accumulators compute the values to remember from the items.
	accumulators []accumulator
	// last is the scope of the last page, for expressions in `remember`.
	last *expr.Scope
}

// start returns a run of a job. It evaluates expressions and sends no request.
func (jr *jobRunner) start(j *job, in invocation) (*jobRun, error) {
	r := &jobRun{
		jobRunner: jr, job: j, invocation: in,
		sample: sample{size: jr.run.Sample},
		live:   jr.run.Live.Job(j, j.name, len(in.parents)).At(j.Pointer, jr.number),
		events: slices.Clip(in.events), // other runs share in.events
	}
	if j.NotStored {
		r.live.Unstored()
	}
	r.scope = jr.scopeOf(in).Warning(warningCollector(&r.events))
	r.accumulators = newAccumulators(j.remembers)
	if err := r.begin(); err != nil {
		return nil, err
	}
	return r, nil
}

// begin evaluates the expressions that do not depend on responses.
func (r *jobRun) begin() (err error) {
	if r.base, err = r.request(r.job, r.invocation, r.scope); err != nil {
		return err
	}
	r.endpoint = r.base.Endpoint
	if r.scroller, err = r.scrollerOf(r.job, r.scope); err != nil {
		return err
	}
	traits := r.scroller.Traits()
	r.repetition.numbered, r.repetition.forever = traits.Numbered, traits.Distinct
	if !r.user.dependsOnPage() {
		r.columns, err = r.columnsIn(r.scope)
	}
	return err
}

// driver decides when the requests of a job are sent, when its pages are stored, and when
// its child jobs run: one after another (serial), or concurrently (jobStream).
//
// serial is not jobStream with a concurrency of 1. A stream knows the next request before
// the current page is stored and before its children have ended, and it sends their
// requests as soon as it has a permit. A serial run sends a request only after everything
// before it has succeeded.
type driver interface {
	// sendNext returns the response to the request of the next page. state is the state
	// of the scroller after this request. last is the page before it.
	sendNext(ctx context.Context, request config.RequestSpec, state pagination.State, last pagination.PageInfo) (*httpclient.Response, error)
	// process stores a page and runs its child jobs, or starts both. It returns the ids
	// of the page, and the error of the page if the page has an error.
	process(context.Context, *pageResult) (pagination.IDs, error)
	// restart discards the pages that were requested, because the job begins again.
	restart()
	// finish runs, or starts, the child jobs for batches that are not full.
	finish(context.Context) error
}

// fetch fetches page after page until a stopper ends the job.
func (r *jobRun) fetch(ctx context.Context, d driver) (*pagination.Stop, error) {
	request, state := r.scroller.First(r.base.RequestSpec, r.run.Now())
	var last pagination.PageInfo
	for {
		res, err := d.sendNext(ctx, request, state, last)
		if err == nil && res.Decision.Is(rule.Restart) {
			if err = r.startAgain(res); err == nil {
				d.restart()
				request, state = r.scroller.First(r.base.RequestSpec, r.run.Now())
				continue
			}
		}
		page := r.read(request, state, res, err)
		ids, err := d.process(ctx, page)
		stop := page.stop
		if err == nil && stop == nil {
			last = r.pagingPage(page, ids) // after process: PageInfo.Now must be after the child jobs
			request, state, stop, err = r.next(state, last)
		}
		if err == nil {
			err = r.recordPage(page, stop)
		}
		if err == nil && stop != nil {
			err = d.finish(ctx)
		}
		if err != nil {
			return nil, r.wrapPageError(r.pages, r.explainUnrecorded(err))
		}
		if stop != nil {
			return stop, nil
		}
	}
}

// next returns the request after a page, or the reason to stop.
func (r *jobRun) next(state pagination.State, page pagination.PageInfo) (config.RequestSpec, pagination.State, *pagination.Stop, error) {
	if r.sample.dropped {
		return r.base.RequestSpec, state, r.sample.stop(), nil
	}
	request, state, stop, err := r.base.Next(r.scroller, state, page)
	if err == nil && stop == nil && page.Rows == 0 && r.repetition.unchanged(request) {
		stop = pagination.Unchanged(r.paged.Pointer)
	}
	if err == nil && stop == nil && r.sample.full() {
		r.sample.dropped = true
		stop = r.sample.stop()
	}
	return request, state, stop, err
}

// serial is the driver of a job that stores each page and runs its children before the
// next request.
type serial struct{ *jobRun }

func (jr *jobRunner) serial(ctx context.Context, j *job, in invocation) error {
	defer in.counted.End()
	r, err := jr.start(j, in)
	if err != nil {
		return err
	}
	stop, err := r.fetch(ctx, serial{r})
	if reached, ok := errors.AsType[*httpclient.LimitReached](err); ok {
		jr.run.recordLimit(reached.Budget, reached.Limit, reached.Reached, j)
		r.count(pagination.Stop{Rule: reached.Error()})
	}
	if err != nil {
		return err
	}
	return r.completeRun(*stop)
}

// serialRunner returns a runFunc that runs the jobs below a position one after another.
func (jr *jobRunner) serialRunner(ctx context.Context, at position) runFunc {
	n := 0
	return func(j *job, in invocation) error {
		n++
		in.position = at.child(n)
		return jr.serial(ctx, j, in)
	}
}

func (s serial) sendNext(ctx context.Context, request config.RequestSpec, _ pagination.State, _ pagination.PageInfo) (*httpclient.Response, error) {
	out, err := s.prepare(request)
	if err != nil {
		return nil, err
	}
	return s.send(ctx, s.position.child(s.pages+1), request, out, nil, nil)
}

func (s serial) process(ctx context.Context, p *pageResult) (pagination.IDs, error) {
	if p.body != nil {
		defer p.body.Close()
	}
	ids, err := s.reportAndStore(ctx, p)
	if err == nil && p.page != nil {
		err = s.eachChild(p.page, s.serialRunner(ctx, s.position.child(p.number)))
	}
	return ids, err
}

func (serial) restart() {}

func (s serial) finish(ctx context.Context) error {
	return s.runLastBatches(s.serialRunner(ctx, s.position.child(s.pages+1)))
}

// count adds a finished run to the statistics.
func (r *jobRun) count(stop pagination.Stop) {
	if r.sample.dropped {
		r.run.recordLimit("sample", float64(r.sample.size), float64(r.sample.size), r.job)
	}
	r.statistics.add(r, stop)
}

// completeRun counts a run that a stopper has ended, checks whether its data is complete,
// and saves its remembered values.
func (r *jobRun) completeRun(stop pagination.Stop) error {
	r.count(stop)
	for _, check := range endChecks() {
		found := check(finishedRun{r, stop})
		if found == nil {
			continue
		}
		if _, ok := found.(event.PagingRepeated); ok {
			r.statistics.get(r.job).repeated = true
		}
		if r.evidence.leadsNowhere() {
			r.postpone(r.job, found)
			r.hold(r.job, &r.invocation, found)
		} else if err := r.emit(r.job, found); err != nil {
			return err
		}
	}
	return r.saveRemembered()
}

// wrapPageError adds the job and the page to an error. A finding already names them.
func (r *jobRun) wrapPageError(page int, err error) error {
	if errors.Is(err, errIncomplete) {
		return err
	}
	return failure.Wrap(fmt.Sprintf("job %s, page %d", r.endpoint, page), r.Pointer, err)
}
