package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// stream is the loop of one run of a job: a request, its response, the decision what
// follows, the next request. It knows neither tables nor statistics nor the state: the
// pipeline gets its responses.
type stream struct {
	*evaluator
	*job
	*invocation
	pipeline   *pipeline
	evidence   *evidence
	pageEvents *pageEvents
	client     *httpclient.Client
	now        func() time.Time
	scope      *expr.Scope
	base       pagination.BaseRequest // request of the job without pagination
	scroller   pagination.Scroller
	repetition repetition
	sample     sample
	rounds     rounds
	pages      int // pages so far
	restarted  bool
	liveJob    *event.LiveJob
	recorder   *har.Recorder    // nil if the run is not recorded
	traced     bool             // true if the sources of requests are needed
	doc        *config.Document // for sourceFinder, like features
	features   Features
	rootNumber int
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
	// restart discards the pages that were requested, and the response, because the job
	// begins again.
	restart()
	// discardPending discards the pages that were requested in advance, because the job
	// continues with another request.
	discardPending()
	// finish runs, or starts, the child jobs for batches that are not full.
	finish(context.Context) error
}

// begin evaluates the expressions that do not depend on responses.
func (s *stream) begin() (err error) {
	if s.base, err = s.request(s.job, *s.invocation, s.scope); err != nil {
		return err
	}
	s.endpoint = s.base.Endpoint
	if s.scroller, err = s.scrollerOf(s.job, s.scope); err != nil {
		return err
	}

	s.repetition.numbered, s.repetition.forever = s.scroller.Numbered, s.scroller.Distinct
	s.evidence.begin(s.scroller, s.scroller.FromStart(s.base.RequestSpec))
	return s.pipeline.begin(s.scope, s.scroller.Needs)
}

// fetch fetches page after page until a stopper ends the job.
func (s *stream) fetch(ctx context.Context, d driver) (*pagination.Stop, error) {
	request, state := s.scroller.First(s.base.RequestSpec, s.now())
	var last pagination.PageInfo
	for {
		res, err := d.sendNext(ctx, request, state, last)
		if err == nil && res.Decision.Is(rule.Restart) {
			if err = s.startAgain(res); err == nil {
				d.restart()
				request, state = s.scroller.First(s.base.RequestSpec, s.now())
				continue
			}
		}
		page := s.read(request, state, res, err)
		ids, err := d.process(ctx, page)
		stop := page.stop
		if err == nil && stop == nil {
			last = pagingPageOf(res, page.page)
			last.IDs, last.Now = ids, s.now() // after process: Now must be after the child jobs
			request, state, stop, err = s.next(state, last)
		}
		if err == nil && stop != nil && stop.StartOver {
			d.discardPending()
			request, state, stop, err = s.nextRound(state, stop)
			last = pagination.PageInfo{}
		}
		if err == nil {
			err = s.recordPage(page, stop)
		}
		if err == nil && stop != nil {
			err = d.finish(ctx)
		}
		if err != nil || stop != nil {
			return stop, err
		}
	}
}

// next returns the request after a page, or the reason to stop.
func (s *stream) next(state pagination.State, page pagination.PageInfo) (config.RequestSpec, pagination.State, *pagination.Stop, error) {
	if s.sample.dropped {
		return s.base.RequestSpec, state, s.sample.stop(), nil
	}
	request, state, stop, err := s.base.Next(s.scroller, state, page)
	if err == nil && stop == nil && page.Rows == 0 && s.repetition.unchanged(request) {
		const rule = "the page is empty and leads to the same request again"
		stop = &pagination.Stop{Rule: rule, Pointer: s.paged.Pointer, Reason: pagination.NoProgress}
	}
	if err == nil && (stop == nil || stop.StartOver) && s.sample.full() {
		s.sample.dropped = true
		stop = s.sample.stop()
	}
	return request, state, stop, err
}

// pageRequest is a request for a page.
type pageRequest struct {
	position position           // position of the page
	paged    config.RequestSpec // the request that pagination made
	// full is the same request with the default options of all jobs, headers are the
	// headers that all jobs send.
	full    config.RequestSpec
	headers []config.Header
	// needed is closed when the job needs the response; nil means that the job needs it
	// now. yieldSlot becomes httpclient.JobInfo.YieldSlot.
	needed    <-chan struct{}
	yieldSlot func() (resume func() error)
}

// prepare adds the default options and the headers of all jobs to a request of this job.
func (s *stream) prepare(at position, request config.RequestSpec) (pageRequest, error) {
	full, headers, err := s.outgoing(s.job, request, s.scope)
	return pageRequest{position: at, paged: request, full: full, headers: headers}, err
}

// send sends a request. It may run in a goroutine of its own.
func (s *stream) send(ctx context.Context, p pageRequest) (*httpclient.Response, error) {
	s.secrets.AddAddress(p.full.Endpoint) // a response may have returned the URL of the next page
	from := httpclient.JobInfo{
		Job: s.name, Accept: s.format.Accept, Charset: s.format.Charset(), Anonymous: s.Anonymous, File: s.format.IsFile(), Pointer: s.Pointer, Iteration: s.iteration,
		Live: s.liveJob, Needed: p.needed, YieldSlot: p.yieldSlot, Headers: p.headers, Rules: s.rules, RateLimit: s.RateLimit,
	}
	if s.traced {
		from.PagePath, from.FindSources = s.pagePath(p.position), s.sourceFinder(p.paged, p.full)
	}
	return s.client.Do(ctx, p.full, from)
}

// read reads and checks the response to a request. If there is no response, err becomes
// the result.
func (s *stream) read(request config.RequestSpec, state pagination.State, res *httpclient.Response, err error) *pageResult {
	if !isLimit(err) { // a limit prevents the request
		s.pages++
	}
	p := &pageResult{number: s.pages}
	status := httpclient.StatusOf(err)
	switch {
	case err == nil:
		if p.err = s.readResponse(p, request, state, res); p.page == nil {
			res.Body.Close()
		}
	case status > 0 && s.pages > s.rounds.before+1:
		last, largest := s.evidence.pages()
		p.stop = s.scroller.AfterLast(s.base.RequestSpec, status, last, largest)
	}
	if err != nil && p.stop == nil {
		p.err = s.evidence.explainUnrecorded(s.job, err, s.secrets.Mask)
	}
	p.events, s.pageEvents.list = s.pageEvents.list, nil
	return p
}

// readResponse decodes and checks a response. If the page only repeats an earlier page, it
// sets the reason to stop.
func (s *stream) readResponse(p *pageResult, request config.RequestSpec, state pagination.State, res *httpclient.Response) error {
	if res.Decision.Is(rule.Skip) {
		s.pageEvents.add(event.ResponseSkipped{
			Job: s.name, Page: p.number, Status: res.Status, Text: s.client.RuleMessage(res),
			Pointer: res.Decision.Pointer, JobPointer: s.Pointer, Iteration: s.iteration,
		})
		p.stop = &pagination.Stop{Rule: fmt.Sprintf("a rule skipped the response with status %d", res.Status), Pointer: res.Decision.Pointer, Reason: pagination.Deliberate}
		return nil
	}
	if res.AcceptedError {
		reason := "'api.http.ignoreErrors'"
		if res.Decision != nil {
			reason = "a rule"
			if says := s.client.RuleMessage(res); says != "" {
				reason += " (" + says + ")"
			}
		}
		s.pageEvents.add(event.ResponseIgnored{Job: s.endpoint, Status: res.Status, Text: "used as data, because of " + reason, JobPointer: s.Pointer})
	}
	page, err := s.pipeline.decode(p.number, res)
	if err != nil {
		return err
	}
	next := func() (config.RequestSpec, bool) {
		request, _, stop, err := s.base.Next(s.scroller, state, pagingPageOf(res, page))
		return request, err == nil && stop == nil
	}
	if repeat := s.repetition.check(p.number, request, page, next); repeat != nil {
		s.evidence.dropRepeat(p.number, page, repeat)
		p.stop = &pagination.Stop{Rule: repeat.rule}
		if repeat.leadsOn {
			p.stop.Hint = "if this API never ends its pages, limit the job with 'forceStop'"
		}
		return nil
	}
	if err := s.pipeline.check(p.number, res, page); err != nil {
		return err
	}
	s.evidence.observe(res, page)
	s.sample.take(page)
	if err := s.follow(page); err != nil {
		return err
	}
	p.page, p.body, p.response = page, res.Body, res
	return s.pipeline.evaluate(p)
}

// startAgain restarts the run without the remembered values, because a rule demands it for
// a response. It closes the response. A restart is possible once, for the first response of
// the run, before rows are stored. Otherwise startAgain returns a user error.
func (s *stream) startAgain(res *httpclient.Response) error {
	says := s.client.RuleMessage(res)
	status := strings.TrimSpace(res.StatusLine)
	if err := res.Body.Close(); err != nil {
		return err
	}
	if why := s.cannotStartAgain(); why != "" {
		text := fmt.Sprintf("[%d] %s returned %s; a rule restarts the job without its remembered values, but %s", res.Status, res.Address(), status, why)
		if says != "" {
			text += ": " + says
		}
		return failure.Userf("%s", text).At(res.Decision.Pointer)
	}
	s.pageEvents.add(event.JobRestarted{
		Job: s.name, Status: res.Status, Text: says,
		Pointer: res.Decision.Pointer, JobPointer: s.Pointer, Iteration: s.iteration,
	})
	s.restarted = true
	s.scope = s.scope.With(expr.Remembered, expr.Members{})
	return s.begin()
}

// cannotStartAgain returns the reason why a run cannot restart, or "".
func (s *stream) cannotStartAgain() string {
	remembers := func(name string) bool { return !s.scope.Contexts[expr.Remembered][name].IsBlank() }
	switch {
	case s.restarted:
		return "the job was restarted before, and the API rejects this request too"
	case s.pages > 0:
		return "its earlier pages are already stored and would be stored twice: run again later, then the job starts from its first page"
	case s.Windows != nil && slices.ContainsFunc(s.Windows.References(expr.Remembered), remembers):
		return "its windows depend on a remembered value: run once with --full"
	case !slices.ContainsFunc(s.rememberedNames, remembers):
		return "no value that it reads was remembered, so it would send the same request again"
	default:
		return ""
	}
}

// sample takes the first items of a job run.
type sample struct {
	size  int // maximum number of items, 0 for all items
	taken int
	// dropped is true if items or pages were dropped.
	dropped bool
}

// sampleOf returns the sample of a run of a job. Names for other jobs would be missing
// without all items of the job that has them.
func sampleOf(j *job, size int) sample {
	if len(j.feeds) > 0 {
		size = 0
	}
	return sample{size: size}
}

// take truncates a page to the items that still belong to the sample.
func (s *sample) take(page *response.Page) {
	if s.size == 0 {
		return
	}
	if left := s.size - s.taken; page.Rows > left {
		page.Truncate(left)
		s.dropped = true
	}
	s.taken += page.Rows
}

// full reports whether the sample takes no more items.
func (s *sample) full() bool { return s.size > 0 && s.taken >= s.size }

func (s *sample) stop() *pagination.Stop {
	return &pagination.Stop{Rule: fmt.Sprintf("--sample took the first %d items and left the rest out", s.size), Reason: pagination.Deliberate, Limit: true}
}
