package engine

import (
	"context"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// parallel runs one root job and its children in parallel. Every run of a job is
// a jobStream with a goroutine of its own, which requests its pages, decides about
// paging and starts the streams of its children. It puts its pages into queues.
// One goroutine goes through these queues in the order in which a serial run
// would fetch the pages. Only this one stores rows, emits the events of jobs,
// counts, and decides which error ends the run.
type parallel struct {
	*jobRunner
	admission *admission
	workers   sync.WaitGroup

	mu sync.Mutex
	// users are how many goroutines still read a page: one stores it, one starts
	// its children.
	users map[*queuedPage]int
}

// jobStream is one run of a job, a driver that puts its pages into a queue.
type jobStream struct {
	*parallel
	at    position
	job   *job
	input invocation
	pages *queue[*queuedPage]
	// r is set before the first page; stop, or else err, before the end of the
	// pages.
	r    *jobRun
	stop *paging.Stop
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
	permit *permit
	// children are the streams of the page; childErr, why there are no more of
	// them, is set before their end.
	children *queue[*jobStream]
	childErr error
}

// parallel runs a root job to its end. When it returns, all its goroutines have
// ended and all bodies are closed.
func (jr *jobRunner) parallel(ctx context.Context, j *job, in invocation) error {
	ctx, cancel := context.WithCancel(ctx)
	p := &parallel{jobRunner: jr, admission: &admission{limit: jr.concurrency}, users: map[*queuedPage]int{}}
	defer p.close()
	defer cancel()
	root := p.stream(ctx, position{}, j, in)
	p.workers.Go(func() { root.work(ctx) })
	return p.store(ctx, root)
}

// stream is a run of a job that waits for the permit for its first page.
func (p *parallel) stream(ctx context.Context, at position, j *job, in invocation) *jobStream {
	return &jobStream{parallel: p, at: at, job: j, input: in, pages: newQueue[*queuedPage](), first: p.admission.request(ctx, at.below(1))}
}

// close waits for the goroutines and closes the pages that were not stored.
func (p *parallel) close() {
	p.workers.Wait()
	for q := range p.users {
		q.body.Close()
	}
}

// store stores the pages of a stream and of those below it.
func (p *parallel) store(ctx context.Context, s *jobStream) error {
	for q := range s.pages.all() {
		if err := p.storePage(ctx, s, q); err != nil {
			return s.r.within(q.number, err)
		}
	}
	if s.err != nil {
		return s.err
	}
	return s.r.ended(*s.stop)
}

// storePage stores a page and then the pages of its children.
func (p *parallel) storePage(ctx context.Context, s *jobStream, q *queuedPage) error {
	_, err := s.r.settle(ctx, q.pageResult)
	p.release(q)
	if err != nil {
		return err
	}
	q.permit.release()
	for child := range q.children.all() {
		if err := p.store(ctx, child); err != nil {
			return err
		}
	}
	return q.childErr
}

// work fetches the pages of a stream. It returns when the streams below it have
// ended, too.
func (s *jobStream) work(ctx context.Context) {
	s.err = failure.Guarded(func() error { return s.fetch(ctx) })
	s.pages.close()
	s.dropPending()
	s.children.Wait()
}

func (s *jobStream) fetch(ctx context.Context) (err error) {
	if s.r, err = s.start(s.job, s.input); err != nil {
		s.admission.fail(s.first.at)
		s.first.answered()
		return err
	}
	if s.stop, err = s.r.fetch(ctx, s); err != nil {
		s.admission.fail(s.at.below(s.r.pages + 1))
	}
	return err
}

func (s *jobStream) answer(ctx context.Context, request config.Request, state paging.State, last paging.Page) (*exchange.Response, error) {
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

// process puts a page into the queue and starts its child jobs, though nothing of
// it may be stored yet.
func (s *jobStream) process(ctx context.Context, p *pageResult) (ids paging.IDs, err error) {
	q := &queuedPage{pageResult: p, permit: s.current, children: newQueue[*jobStream]()}
	defer q.children.close()
	if p.page == nil {
		if p.err != nil {
			s.admission.fail(q.permit.at)
		}
		s.pages.put(q)
		return ids, p.err
	}
	s.keep(q)
	defer s.release(q)
	s.pages.put(q)
	if ids, err = s.r.ids(p.page); err == nil {
		err = s.startChildren(ctx, q)
	}
	if s.r.scroller.Needs().Time {
		s.children.Wait() // they count as time spent
	}
	return ids, err
}

// startChildren starts the children of a page, each as soon as its first request
// has a permit.
func (s *jobStream) startChildren(ctx context.Context, q *queuedPage) error {
	n := 0
	q.childErr = s.r.eachChild(q.page, func(child *job, in invocation) error {
		n++
		c := s.stream(ctx, q.permit.at.below(n), child, in)
		if err := c.first.wait(); err != nil {
			return err
		}
		q.children.put(c)
		s.children.Add(1)
		s.workers.Go(func() {
			defer s.children.Done()
			c.work(ctx)
		})
		return nil
	})
	if q.childErr != nil {
		s.admission.fail(q.permit.at.below(n + 1))
	}
	q.children.close()
	return q.childErr
}

// keep leaves the body of a page open until both its users have released it.
func (p *parallel) keep(q *queuedPage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[q] = 2
}

func (p *parallel) release(q *queuedPage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.users[q] {
	case 2:
		p.users[q] = 1
	case 1:
		delete(p.users, q)
		q.body.Close()
	}
}
