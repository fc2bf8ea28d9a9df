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
	run    *run
	it     iteration
	client *httpclient.Client
	sink   sink
	memory *state.IterationValues // what the iteration remembers
	scope  *expr.Scope
	// number is that of the iteration, from 1; 0 when there is only one.
	number int
	// rootNumber is the number of the current root job, from 1.
	rootNumber int
	statistics statistics   // of the current root job and its children
	unwanted   *skippedRuns // runs of these that did not take place
	progress   progress
}

// newJobRunner is a runner of the jobs of an iteration.
func (r *run) newJobRunner(it iteration, client *httpclient.Client) *jobRunner {
	return &jobRunner{run: r, it: it, client: client, memory: r.memories[it.Key], statistics: statistics{}, unwanted: &skippedRuns{}, scope: r.scope(it)}
}

// root runs a root job with all its children, then reports for each of these
// jobs how it went.
func (jr *jobRunner) root(ctx context.Context, j *job) error {
	jr.rootNumber++
	jr.statistics, jr.unwanted = statistics{}, &skippedRuns{}
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
		jr.statistics.report(jr.run.Log, j, jr.unwanted, jr.number)
	} else {
		jr.statistics.unfinished(jr.run.Log, j, jr.number)
	}
	return err
}

// invocation is what one run of a job is called with: the endpoint with its
// placeholders filled in, their values, and the rows above it, the direct parent
// first. Only a job with children may read these rows.
type invocation struct {
	endpoint          string
	placeholderValues []placeholderValue
	parents           []value.Packed
	items             expr.Members // what its expressions refer to in these rows
	window            *jobWindow   // the window it is for, which may be that of a job above it; nil for none
	// position is that of the run among all, see position.
	position position
	// events are about the values that filled it.
	events []event.Body
	// counted are the items that the run is for, on the live line.
	counted *event.LiveParents
}

// jobRun is one run of one job: its pages so far.
type jobRun struct {
	*jobRunner
	*job
	invocation
	base       pagination.BaseRequest // the job's own request, before any paging
	scope      *expr.Scope
	scroller   pagination.Scroller
	columns    []mapping.Column // nil when they differ from page to page
	repetition repetition
	// evidence is what the responses say about whether all data was fetched.
	evidence     evidence
	pages        int
	rowsReceived int // rows
	rowsFiltered int // of these, by the row filter
	// batches are the values that child jobs with batches still wait with.
	batches map[*job]*openBatch
	sample  sample
	skipped bool // a rule has skipped the last response
	// restarted is set when it has begun again without what was remembered.
	restarted bool
	live      *event.LiveJob
	// events are about the current page. They are emitted when it is stored.
	events []event.Body
	// accumulators is what its items leave for the next run, last the scope of the last
	// page for what expressions leave.
	accumulators []accumulator
	last         *expr.Scope
}

// start is a run of a job that has sent nothing yet.
func (jr *jobRunner) start(j *job, in invocation) (*jobRun, error) {
	r := &jobRun{
		jobRunner: jr, job: j, invocation: in,
		sample: sample{size: jr.run.Sample},
		live:   jr.run.Live.Job(j, j.name, len(in.parents)).At(j.Pointer, jr.number),
		events: slices.Clip(in.events), // other runs share them; about the first page
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

// begin evaluates what does not depend on answers.
func (r *jobRun) begin() (err error) {
	if r.base, err = r.request(r.job, r.invocation, r.scope); err != nil {
		return err
	}
	r.endpoint = r.base.Endpoint
	if r.scroller, err = r.scrollerOf(r.job, r.scope); err != nil {
		return err
	}
	r.repetition.numbered, r.repetition.forever = pagination.Numbered(r.scroller)
	if !r.user.ofPage() {
		r.columns, err = r.columnsIn(r.scope)
	}
	return err
}

// driver decides when the requests of a job are sent, when its pages are stored,
// and when its child jobs run: one thing after another (serial), or several at
// once (jobStream).
//
// Serial is not jobStream with a concurrency of 1. A stream knows the next
// request before the current page is stored and before its children have ended,
// and it sends requests of both as soon as it has a permit. A serial run sends no
// request before all that comes before it has succeeded.
type driver interface {
	// sendNext is the response to the request for the next page. state is that of the
	// scroller after this request, last is the page before it.
	sendNext(ctx context.Context, request config.RequestSpec, state pagination.State, last pagination.PageInfo) (*httpclient.Response, error)
	// process stores a page and runs its child jobs, or starts both, and returns the
	// ids of the page. The error is that of the page, where it has one.
	process(context.Context, *pageResult) (pagination.IDs, error)
	// restart drops what was requested for the job, which begins again.
	restart()
	// finish runs, or starts, the child jobs whose batches have waited for another page.
	finish(context.Context) error
}

// fetch fetches page after page until a rule stops the job.
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
			last = r.pagingPage(page, ids) // child jobs count as time spent
			request, state, stop, err = r.next(state, last)
		}
		if err == nil {
			err = r.recordPage(page, stop)
		}
		if err == nil && stop != nil {
			err = d.finish(ctx)
		}
		if err != nil {
			return nil, r.wrapPageError(r.pages, r.unrecorded(err))
		}
		if stop != nil {
			return stop, nil
		}
	}
}

// next is the request after a page, or the reason to stop.
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

// serial is the driver of a job that does one thing after another.
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

// serialRunner runs jobs below a position, one after another.
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

// count counts a run of a job that has ended.
func (r *jobRun) count(stop pagination.Stop) {
	if r.sample.dropped {
		r.run.recordLimit("sample", float64(r.sample.size), float64(r.sample.size), r.job)
	}
	r.statistics.add(r, stop)
}

// completeRun counts a run of a job that a rule has ended, and checks whether its data
// is complete.
func (r *jobRun) completeRun(stop pagination.Stop) error {
	r.count(stop)
	for _, check := range endChecks() {
		found := check(finishedRun{r, stop})
		if found == nil {
			continue
		}
		if _, ok := found.(event.PagingRepeated); ok {
			r.statistics.of(r.job).repeated = true
		}
		if r.evidence.leadsNowhere() {
			r.later(r.job, found)
			r.hold(r.job, &r.invocation, found)
		} else if err := r.emit(r.job, found); err != nil {
			return err
		}
	}
	return r.saveRemembered()
}

// wrapPageError names the page of a job at which an error happened. A finding names it
// already.
func (r *jobRun) wrapPageError(page int, err error) error {
	if errors.Is(err, errIncomplete) {
		return err
	}
	return failure.Wrap(fmt.Sprintf("job %s, page %d", r.endpoint, page), r.Pointer, err)
}
