package engine

import (
	"context"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// parallel runs one root job and its children in parallel. Every run of a job is
// a jobStream with a goroutine of its own, which requests its pages, decides about
// paging and starts the streams of its children. It sends its pages to channels.
// One goroutine goes through these channels in the order in which a serial run
// would fetch the pages. Only this one stores rows, emits the events of jobs,
// counts, and decides which error ends the run.
//
// The capacity of a channel is the concurrency. Each page or stream in it holds a
// permit, and admission grants no permit to a page with as many before it, so no
// sender waits. The last batches of a job, which belong to no page, are one more.
type parallel struct {
	*jobRunner
	admission *admission
	workers   sync.WaitGroup
	cancel    context.CancelFunc // of all workers
}

// jobStream is one run of a job, a driver that sends its pages to a channel.
type jobStream struct {
	*parallel
	at    position
	job   *job
	input invocation
	pages chan *queuedPage
	// r is set before the first page; stop, or else err, before the end of the
	// pages.
	r    *jobRun
	stop *pagination.Stop
	err  error
	// first is the permit for the first page, nil when it is used.
	first *permit
	// pending are the pages that were requested and are not processed yet, in
	// their order; current is the permit of the page that is being processed.
	pending []*pendingPage
	current *permit
	// children are the streams below it that have not ended.
	children sync.WaitGroup
}

// queuedPage is a page that waits to be stored.
type queuedPage struct {
	*pageResult
	permit   *permit
	children *queuedStreams
}

// queuedStreams are the runs of the child jobs of a page, or those of a root job for
// its windows.
type queuedStreams struct {
	streams chan *jobStream
	// err is why there are no more of them. It is set before their end.
	err error
}

func (p *parallel) newStreams() *queuedStreams {
	return &queuedStreams{streams: make(chan *jobStream, p.admission.limit)}
}

// parallel runs a root job to its end. When it returns, all its goroutines have
// ended and all bodies are closed.
func (jr *jobRunner) parallel(ctx context.Context, j *job, in invocation) error {
	p := &parallel{jobRunner: jr, admission: &admission{limit: jr.run.concurrency()}}
	ctx, p.cancel = context.WithCancel(ctx)
	defer p.workers.Wait()
	defer p.cancel()
	roots := p.newStreams()
	p.workers.Go(func() {
		defer close(roots.streams)
		roots.err = failure.Recover(func() error {
			return p.startAll(ctx, position{}, roots, &sync.WaitGroup{}, func(run runFunc) error { return jr.eachWindow(j, in, run) })
		})
	})
	err := p.storeAll(ctx, roots)
	if err != nil {
		p.cancel()
	}
	roots.discard()
	return err
}

// stream is a run of a job that waits for the permit for its first page.
func (p *parallel) stream(ctx context.Context, at position, j *job, in invocation) *jobStream {
	in.position = at
	return &jobStream{parallel: p, at: at, job: j, input: in, pages: make(chan *queuedPage, p.admission.limit+1), first: p.admission.request(ctx, at.child(1))}
}

// store stores the pages of a stream and of those below it.
func (p *parallel) store(ctx context.Context, s *jobStream) error {
	defer s.input.counted.End()
	defer s.discard()
	for q := range s.pages {
		if err := p.storePage(ctx, s, q); err != nil {
			return s.r.wrapPageError(q.number, err)
		}
	}
	if s.err != nil {
		return s.err
	}
	return s.r.completeRun(*s.stop)
}

// storePage stores a page and then the pages of its children. After an error nothing
// more is stored.
func (p *parallel) storePage(ctx context.Context, s *jobStream, q *queuedPage) error {
	stored := false
	defer func() {
		if !stored {
			p.cancel()
		}
		q.discard()
	}()
	if _, err := s.r.reportAndStore(ctx, q.pageResult); err != nil {
		return err
	}
	if q.permit != nil {
		q.permit.release()
	}
	err := p.storeAll(ctx, q.children)
	stored = err == nil
	return err
}

// storeAll stores the pages of streams, one stream after another.
func (p *parallel) storeAll(ctx context.Context, all *queuedStreams) error {
	for s := range all.streams {
		if err := p.store(ctx, s); err != nil {
			return err
		}
	}
	return all.err
}

// discard drops the pages that are left, until the stream has ended.
func (s *jobStream) discard() {
	for q := range s.pages {
		q.discard()
	}
}

// discard drops the children that are left and closes the page, which is read until
// all children have started.
func (q *queuedPage) discard() {
	q.children.discard()
	if q.body != nil {
		q.body.Close()
	}
}

// discard drops the streams that are left, until all have started.
func (all *queuedStreams) discard() {
	for s := range all.streams {
		s.discard()
	}
}

// work fetches the pages of a stream. It returns when the streams below it have
// ended, too.
func (s *jobStream) work(ctx context.Context) {
	s.err = failure.Recover(func() error { return s.fetch(ctx) })
	close(s.pages)
	s.dropPending()
	s.children.Wait()
}

func (s *jobStream) fetch(ctx context.Context) (err error) {
	if s.r, err = s.start(s.job, s.input); err != nil {
		s.admission.fail(s.first.at)
		s.first.endRequest()
		return err
	}
	if s.stop, err = s.r.fetch(ctx, s); err != nil {
		s.admission.fail(s.at.child(s.r.pages + 1))
	}
	return err
}

func (s *jobStream) sendNext(ctx context.Context, request config.RequestSpec, state pagination.State, last pagination.PageInfo) (*httpclient.Response, error) {
	if len(s.pending) == 0 {
		s.requestPage(ctx, request)
	}
	s.requestAhead(ctx, state, last)
	next := s.pending[0]
	s.pending = s.pending[1:]
	s.current = next.permit
	close(next.needed)
	<-next.done
	return next.res, next.err
}

// process sends a page to the channel and starts its child jobs, though nothing of
// it may be stored yet.
func (s *jobStream) process(ctx context.Context, p *pageResult) (ids pagination.IDs, err error) {
	q := &queuedPage{pageResult: p, permit: s.current, children: s.newStreams()}
	defer close(q.children.streams)
	if p.page == nil {
		if p.err != nil {
			s.admission.fail(q.permit.at)
		}
		s.pages <- q
		return ids, p.err
	}
	s.pages <- q
	if ids, err = s.r.ids(p.page); err == nil {
		err = s.startChildren(ctx, q, q.permit.at, func(run runFunc) error { return s.r.eachChild(p.page, run) })
	}
	if s.r.scroller.Needs().Time {
		s.children.Wait() // they count as time spent
	}
	return ids, err
}

// restart also returns the permit of the response, which is not stored.
func (s *jobStream) restart() {
	s.dropPending()
	s.pending = nil
	s.current.release()
}

// finish sends the last batches to the channel like a page after the last one, which
// holds only child jobs.
func (s *jobStream) finish(ctx context.Context) error {
	if !s.r.batchesWait() {
		return nil
	}
	q := &queuedPage{pageResult: &pageResult{number: s.r.pages}, children: s.newStreams()}
	defer close(q.children.streams)
	s.pages <- q
	return s.startChildren(ctx, q, s.at.child(s.r.pages+1), s.r.runLastBatches)
}

// startChildren starts the children of a page at a position, each as soon as its first
// request has a permit. each calls for them in their order.
func (s *jobStream) startChildren(ctx context.Context, q *queuedPage, at position, each func(runFunc) error) error {
	q.children.err = s.startAll(ctx, at, q.children, &s.children, each)
	return q.children.err
}

// startAll starts the stream of every run that each yields, below a position, and queues
// them in their order. A stream starts when its first request has a permit; running
// counts those that have not ended.
func (p *parallel) startAll(ctx context.Context, at position, queue *queuedStreams, running *sync.WaitGroup, each func(runFunc) error) error {
	n := 0
	err := each(func(j *job, in invocation) error {
		n++
		s := p.stream(ctx, at.child(n), j, in)
		if err := s.first.wait(); err != nil {
			return err
		}
		queue.streams <- s
		running.Add(1)
		p.workers.Go(func() {
			defer running.Done()
			s.work(ctx)
		})
		return nil
	})
	if err != nil {
		p.admission.fail(at.child(n + 1))
	}
	return err
}
