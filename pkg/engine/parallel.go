package engine

import (
	"context"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// parallel runs one root job and its children in parallel. Each run of a job is a
// jobStream with its own goroutine, which requests pages, decides about pagination and
// starts the streams of child jobs. It sends its pages to channels. A single goroutine
// receives from these channels in the order in which a serial run would fetch the pages.
// Only this goroutine stores rows, emits the events of jobs, counts, and decides which
// error ends the run.
//
// The capacity of a channel is the concurrency. Each page or stream in it holds a permit,
// and admission grants no permit to a page with that many pages before it, so no sender
// blocks. The channel of pages has one more element for the last batches of a job, which
// belong to no page.
type parallel struct {
	*jobRunner
	admission *admission
	workers   sync.WaitGroup
	cancel    context.CancelFunc // cancels all workers
}

// jobStream is one run of a job, a driver that sends its pages to a channel.
type jobStream struct {
	*parallel
	at    position
	job   *job
	input invocation
	pages chan *queuedPage
	// r is set before the first page is sent.
	r *jobRun
	// stop or err is set before pages is closed.
	stop *pagination.Stop
	err  error
	// first is the permit of the first page, or nil after its use.
	first *permit
	// pending are the requested pages that are not processed yet, in their order.
	pending []*pendingPage
	// current is the permit of the page that is being processed.
	current *permit
	// children counts the running streams of child jobs.
	children sync.WaitGroup
}

// queuedPage is a page that waits to be stored.
type queuedPage struct {
	*pageResult
	permit   *permit
	children *queuedStreams
	// stored is closed when the page is stored. Nil means that its child jobs need not
	// wait for it.
	stored chan struct{}
}

// queuedStreams are the runs of the child jobs of a page, or the runs of a root job for
// its windows.
type queuedStreams struct {
	streams chan *jobStream
	// err is the reason why streams ended early. It is set before streams is closed.
	err error
}

func (p *parallel) newStreams() *queuedStreams {
	return &queuedStreams{streams: make(chan *jobStream, p.admission.limit)}
}

// parallel runs a root job to its end. When it returns, all its goroutines have ended and
// all bodies are closed.
func (jr *jobRunner) parallel(ctx context.Context, j *job, in invocation, concurrency int) error {
	p := &parallel{jobRunner: jr, admission: &admission{limit: concurrency}}
	ctx, p.cancel = context.WithCancel(ctx)
	defer p.workers.Wait()
	defer p.cancel()
	if in.limit != nil {
		in.limit.cancelled = ctx.Done()
	}
	roots := p.newStreams()
	p.workers.Go(func() {
		defer close(roots.streams)
		roots.err = failure.Recover(func() error {
			return p.startAll(ctx, position{}, roots, &sync.WaitGroup{}, func(run runFunc) error { return jr.eachWindow(j, in, run) })
		})
	})
	err := p.storeAll(ctx, roots)
	if err != nil || in.limit.isUnfinished() {
		p.cancel()
	}
	roots.discard()
	return err
}

// store stores the pages of a stream and of the streams below it.
func (p *parallel) store(ctx context.Context, s *jobStream) error {
	defer s.input.counted.End()
	defer s.discard()
	for q := range s.pages {
		if err := p.storePage(ctx, s, q); err != nil {
			return s.r.ledger.pageError(q.number, err)
		}
	}
	if s.err != nil {
		return s.err
	}
	return s.r.complete(*s.stop)
}

// storePage stores a page and then the pages of its children. An error cancels all
// workers, so that no later page is stored.
func (p *parallel) storePage(ctx context.Context, s *jobStream, q *queuedPage) error {
	stored := false
	defer func() {
		if !stored {
			p.cancel()
		}
		q.discard()
	}()
	if _, err := s.r.pipeline.store(ctx, q.pageResult); err != nil {
		return err
	}
	if q.stored != nil {
		close(q.stored)
	}
	if q.permit != nil {
		q.permit.release()
	}
	err := p.storeAll(ctx, q.children)
	stored = err == nil
	return err
}

func (p *parallel) storeAll(ctx context.Context, all *queuedStreams) error {
	for s := range all.streams {
		if err := p.store(ctx, s); err != nil {
			return err
		}
		if s.input.limit.isUnfinished() {
			return nil
		}
	}
	return all.err
}

func (s *jobStream) discard() {
	for q := range s.pages {
		q.discard()
	}
}

// discard drains the streams of the children and closes the page. The page must stay open
// until all children have started, because they read it.
func (q *queuedPage) discard() {
	q.children.discard()
	if q.body != nil {
		q.body.Close()
	}
}

func (all *queuedStreams) discard() {
	for s := range all.streams {
		s.discard()
	}
}

// work fetches the pages of a stream. It returns when the streams of its child jobs have
// ended, too.
func (s *jobStream) work(ctx context.Context) {
	s.err = failure.Recover(func() (err error) {
		if s.r, err = s.start(s.job, s.input); err != nil {
			s.admission.fail(s.first.at)
			s.first.endRequest()
			return err
		}
		if s.stop, err = s.r.stream.fetch(ctx, s); err != nil {
			s.admission.fail(s.at.child(s.r.stream.pages + 1))
			return s.r.ledger.pageError(s.r.stream.pages, err)
		}
		return nil
	})
	close(s.pages)
	s.dropPending()
	s.children.Wait()
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

// process sends a page to the channel and starts its child jobs. The page need not be
// stored yet.
func (s *jobStream) process(ctx context.Context, p *pageResult) (ids pagination.IDs, err error) {
	q := &queuedPage{pageResult: p, permit: s.current, children: s.newStreams()}
	defer close(q.children.streams)
	if p.err != nil {
		s.admission.fail(q.permit.at)
	}
	if s.r.pipeline.childrenWait() {
		q.stored = make(chan struct{}) // only the page that is stored decides about names
	}
	s.pages <- q
	if p.err != nil || p.page == nil {
		return ids, p.err
	}
	if ids, err = s.r.pipeline.ids(p.page); err == nil {
		err = q.waitStored(ctx)
	}
	if err == nil {
		err = s.startChildren(ctx, q, q.permit.at, func(run runFunc) error { return s.r.pipeline.eachChild(p.page, run) })
	}
	if s.r.stream.scroller.Needs.Time {
		s.children.Wait() // PageInfo.Now must be after the child jobs
	}
	return ids, err
}

// waitStored waits until the page is stored, if its child jobs need that.
func (q *queuedPage) waitStored(ctx context.Context) error {
	if q.stored == nil {
		return nil
	}
	select {
	case <-q.stored:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// restart also releases the permit of the response, because the response is not stored.
func (s *jobStream) restart() {
	s.discardPending()
	s.current.release()
}

func (s *jobStream) discardPending() {
	s.dropPending()
	s.pending = nil
}

// finish sends the last batches to the channel as a page without rows, which has only
// child jobs.
func (s *jobStream) finish(ctx context.Context) error {
	if !s.r.pipeline.batchesWait() {
		return nil
	}
	q := &queuedPage{pageResult: &pageResult{number: s.r.stream.pages}, children: s.newStreams()}
	defer close(q.children.streams)
	s.pages <- q
	return s.startChildren(ctx, q, s.at.child(s.r.stream.pages+1), s.r.pipeline.runLastBatches)
}

// startChildren starts the children of a page, see startAll, and records the error of
// their streams.
func (s *jobStream) startChildren(ctx context.Context, q *queuedPage, at position, each func(runFunc) error) error {
	q.children.err = s.startAll(ctx, at, q.children, &s.children, each)
	return q.children.err
}

// startAll starts a stream for every run that each yields, below a position, and queues
// the streams in their order. A stream starts when its first request has a permit.
// running counts the streams that have not ended.
func (p *parallel) startAll(ctx context.Context, at position, queue *queuedStreams, running *sync.WaitGroup, each func(runFunc) error) error {
	n := 0
	err := each(func(j *job, in invocation) error {
		n++
		in.position = at.child(n)
		s := &jobStream{
			parallel: p, at: in.position, job: j, input: in,
			pages: make(chan *queuedPage, p.admission.limit+1), first: p.admission.request(ctx, in.position.child(1)),
		}
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
