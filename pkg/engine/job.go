package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/tables/mapping"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// jobRunner runs the jobs of one iteration.
type jobRunner struct {
	run    *run
	client *exchange.Client
	sink   sink
	scope  *expr.Scope
	// number is that of the iteration, from 1; 0 when there is only one.
	number int
	// concurrency is how many requests may be under way at once.
	concurrency int
	// lookahead is how many pages may be asked for on the chance that they are
	// there.
	lookahead int
	tally     tally // of the root job at hand
	progress  progress
	// ignored are the statuses whose answers are data.
	ignored []int
	// failIncomplete makes an error of a finding.
	failIncomplete bool
}

// root runs a root job with all its children and then says, for each of these
// jobs, how it went.
func (jr *jobRunner) root(ctx context.Context, j *job) error {
	jr.tally = tally{}
	jr.progress = jr.newProgress(j)
	defer jr.run.Live.Forget()
	run := jr.job
	if jr.concurrency > 1 {
		run = jr.sideBySide
	}
	err := run(ctx, j, place{endpoint: j.Endpoint})
	if err == nil {
		err = jr.complete(j)
	}
	if err == nil || isCut(err) {
		jr.tally.report(jr.run.Log, j, jr.number)
	} else {
		jr.tally.unfinished(jr.run.Log, j, jr.number)
	}
	return err
}

// place is where a run of a job stands: its endpoint with the placeholders
// filled in, their values, and the rows above it, the direct parent first.
type place struct {
	endpoint string
	filled   []filled
	parents  []value.Value
	// notes are events about the values that filled it.
	notes []event.Body
}

// jobRun is one run of one job: its pages so far.
type jobRun struct {
	*jobRunner
	*job
	place
	base    config.Request // the job's own request, before any paging
	columns []mapping.Column
	seen    repetition
	// evidence is what the answers say about whether all data was fetched.
	evidence evidence
	pages    int
	found    int // rows
	sample   sample
	live     *event.LiveJob
	// notes are events about the page at hand, told when it is stored.
	notes []event.Body
}

// start is a run of a job that has sent nothing yet.
func (jr *jobRunner) start(j *job, at place) (*jobRun, error) {
	notes := slices.Clip(at.notes) // the runs beside it have the same
	scope := jr.scope.Warning(noting(&notes))
	base, err := jr.request(j, at, scope)
	if err != nil {
		return nil, err
	}
	var columns []mapping.Column
	err = jr.concealing(scope, func(scope *expr.Scope) (err error) {
		columns, err = j.user.columns(scope)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &jobRun{
		jobRunner: jr, job: j, place: at, base: base,
		columns: append(columns, parentColumns(at.filled)...),
		sample:  sample{size: jr.run.Sample},
		live:    jr.run.Live.Job(j, j.Endpoint, len(at.parents)),
		notes:   notes, // about the first page
	}, nil
}

// request is a job's own request, before any paging.
func (jr *jobRunner) request(j *job, at place, scope *expr.Scope) (config.Request, error) {
	for _, f := range at.filled {
		if text := f.value.Text(); f.value.Secret() && expr.Conceals(text) {
			jr.run.Secrets.AddPassing(text)
		}
	}
	jr.run.Secrets.AddAddress(at.endpoint)
	r := config.Request{Endpoint: at.endpoint, Method: j.Method, Headers: j.Headers}
	err := jr.concealing(scope, func(scope *expr.Scope) (err error) {
		r.Params, err = j.Params.Eval(scope)
		return err
	})
	return r, err
}

// concealing evaluates expressions of a job and keeps the secrets that they compute
// out of every event: for good, unless they depend on the time, which makes others
// again and again.
func (jr *jobRunner) concealing(given *expr.Scope, evaluate func(*expr.Scope) error) error {
	scope, hide := *given, jr.run.Secrets.Add
	scope.Now = func() time.Time {
		hide = jr.run.Secrets.AddPassing
		return given.Now()
	}
	var secrets []string
	scope.Conceal = func(secret string) { secrets = append(secrets, secret) }
	err := evaluate(&scope)
	for _, secret := range secrets {
		hide(secret)
	}
	return err
}

// job runs a job to its end: page after page until a rule stops it.
func (jr *jobRunner) job(ctx context.Context, j *job, at place) error {
	r, err := jr.start(j, at)
	if err != nil {
		return err
	}
	request, state := j.scroller.First(r.base, jr.run.Now())
	for {
		facts, stop, err := r.page(ctx, request)
		if err == nil && stop == nil {
			request, state, stop, err = r.next(state, facts)
		}
		if cut, ok := errors.AsType[*exchange.Cut](err); ok {
			jr.run.noteCut(cut.Budget, cut.Limit, cut.Reached, j)
			jr.count(r, paging.Stop{Rule: cut.Error()})
		}
		if err != nil {
			return r.within(r.pages, err)
		}
		if stop != nil {
			return jr.ended(r, *stop)
		}
	}
}

// next is the request after a page, or the reason to stop.
func (r *jobRun) next(state paging.State, page paging.Page) (config.Request, paging.State, *paging.Stop, error) {
	if r.sample.dropped {
		return r.base, state, r.sample.stop(), nil
	}
	request, state, stop, err := r.scroller.Next(r.base, state, page)
	if err == nil && stop == nil && r.sample.full() {
		r.sample.dropped = true
		stop = r.sample.stop()
	}
	return request, state, stop, err
}

// stored counts a page that was stored.
func (jr *jobRunner) stored(r *jobRun, rows int) {
	jr.progress.page(rows)
	jr.tally.page(r.job, rows)
	r.live.Page(rows)
}

// count counts a run of a job that has ended.
func (jr *jobRunner) count(r *jobRun, stop paging.Stop) {
	if r.sample.dropped {
		jr.run.noteCut("sample", float64(r.sample.size), float64(r.sample.size), r.job)
	}
	jr.tally.add(r.job, r, stop)
}

// ended counts a run of a job that a rule has ended, and judges whether it is
// complete.
func (jr *jobRunner) ended(r *jobRun, stop paging.Stop) error {
	jr.count(r, stop)
	for _, check := range endChecks() {
		found := check(ending{r, stop})
		if found == nil {
			continue
		}
		if _, ok := found.(event.PagingRepeated); ok {
			jr.tally.of(r.job).again = true
		}
		if err := jr.emit(r.job, found); err != nil {
			return err
		}
	}
	return nil
}

// within names the page of a job at which an error came up. A finding names it
// already.
func (r *jobRun) within(page int, err error) error {
	if errors.Is(err, errIncomplete) {
		return err
	}
	return failure.Within(fmt.Sprintf("job %s, page %d", r.endpoint, page), r.Pointer, err)
}

// page fetches, checks and stores one page and runs its child jobs. It stops
// the job when the page only repeats what was there before.
func (r *jobRun) page(ctx context.Context, request config.Request) (facts paging.Page, stop *paging.Stop, err error) {
	r.pages++
	res, err := r.send(ctx, request, nil)
	if err != nil {
		if isCut(err) {
			r.pages-- // it never came
		}
		return facts, nil, err
	}
	defer res.Body.Close()
	page, stop, err := r.read(request, res)
	if found := r.tell(r.taken()); found != nil {
		return facts, nil, found
	}
	if err != nil || stop != nil {
		return facts, stop, err
	}
	ids, err := r.store(ctx, page)
	if err != nil {
		return facts, nil, err
	}
	r.jobRunner.stored(r, page.Rows)
	if err := r.eachChild(page, func(child *job, at place) error { return r.jobRunner.job(ctx, child, at) }); err != nil {
		return facts, nil, err
	}
	// The child jobs count as time spent.
	return r.facts(page, ids), nil, nil
}

// send sends a request of the job. needed is closed when the job needs the answer;
// nil is for one that it needs now.
func (r *jobRun) send(ctx context.Context, request config.Request, needed <-chan struct{}) (*exchange.Answer, error) {
	r.run.Secrets.AddAddress(request.Endpoint) // of the next page: an answer may have given it
	return r.client.Do(ctx, request, exchange.Sender{Job: r.Endpoint, Pointer: r.Pointer, Iteration: r.number, Live: r.live, Needed: needed})
}

// read scans and checks an answer. A page that only repeats what was there
// before is the reason to stop.
func (r *jobRun) read(request config.Request, res *exchange.Answer) (*answer.Page, *paging.Stop, error) {
	if res.Ignored {
		r.note(event.ResponseIgnored{Job: r.endpoint, Status: res.Status, Text: "taken as data, as 'api.http.ignoreErrors' wants it", JobPointer: r.Pointer})
	}
	page, err := r.scan(res)
	if err != nil {
		return nil, nil, err
	}
	if stop := r.seen.check(r.pages, request, page); stop != nil {
		r.evidence.repeat = &paging.Repeat{Page: r.pages, Earlier: r.seen.earlier, Rows: page.Rows, Largest: r.evidence.largest, Before: r.evidence.last}
		r.evidence.repeatsList = page.IsList()
		return nil, stop, nil
	}
	err = r.check(res, page)
	r.evidence.observe(r.scroller, res, page)
	r.sample.take(page)
	return page, nil, err
}

// note keeps an event about the page at hand.
func (r *jobRun) note(e event.Body) { r.notes = append(r.notes, e) }

// taken are the notes so far, which the page takes with it.
func (r *jobRun) taken() []event.Body {
	notes := r.notes
	r.notes = nil
	return notes
}

// tell emits the notes about a page. One of them may be an error.
func (r *jobRun) tell(notes []event.Body) error {
	for _, e := range notes {
		if err := r.jobRunner.emit(r.job, e); err != nil {
			return err
		}
	}
	return nil
}

// noting keeps what is odd about the arguments of a call as notes.
func noting(notes *[]event.Body) func(pointer, text string) {
	return func(pointer, text string) {
		*notes = append(*notes, event.ConfigWarning{Pointer: pointer, Text: text})
	}
}

// eachChild yields the child jobs of a page in their order: for each definition,
// for each row, for each combination of placeholder values.
func (r *jobRun) eachChild(page rows, run func(*job, place) error) error {
	for _, child := range r.children {
		if len(child.placeholders) == 0 && len(r.filled) == 0 {
			continue // the configuration's warnings say that it never runs
		}
		for row, err := range r.filtered(page) {
			if err != nil {
				return err
			}
			if err := r.ofRow(child, row, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofRow yields the runs of a child job for one row.
func (r *jobRun) ofRow(child *job, row value.Value, run func(*job, place) error) error {
	pass, err := child.filter.passes(row)
	if err != nil || !pass {
		return err
	}
	parents := append([]value.Value{row}, r.parents...)
	var notes []event.Body
	all, err := combinations(r.filled, child.placeholders, parents, noting(&notes))
	if err != nil {
		return err
	}
	for values := range all {
		at := place{endpoint: endpoint(child.Endpoint, values), filled: values, parents: parents, notes: notes}
		if err := run(child, at); err != nil {
			return err
		}
	}
	return nil
}
