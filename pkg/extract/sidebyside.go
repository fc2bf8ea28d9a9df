package extract

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/pagination"
	"github.com/keboola/configurable-extractor/pkg/response"
)

// fan runs one root job and its children side by side. Every run of a job is a
// branch with a goroutine of its own, which asks for its pages, takes the
// decisions of paging and starts the branches of its children. What it found it
// leaves in queues, and one goroutine goes through them in the order in which
// the pages would come one after another: only this one stores rows, emits
// events of jobs, counts, and decides which error ends the run.
type fan struct {
	*jobRunner
	gate    *gate
	workers sync.WaitGroup

	mu   sync.Mutex
	open map[*arrival]struct{} // their bodies are to be closed
}

// branch is one run of a job.
type branch struct {
	at       position
	job      *job
	place    place
	arrivals *queue[*arrival]
	// run is set before the first arrival; stop, or else err, before the end of
	// the arrivals.
	run  *jobRun
	stop *pagination.Stop
	err  error
}

// arrival is an answer that waits to be stored.
type arrival struct {
	slot   *slot
	number int // of the page
	notes  []event.Body
	page   *response.Page // nil when there is nothing to store
	body   *response.Spool
	err    error // why there is nothing
	// children are the branches of the page; childErr, why there are no more of
	// them, is set before their end.
	children *queue[*branch]
	childErr error
	// users are those who still read the page: who stores it, and who starts
	// its children.
	users atomic.Int32
}

// sideBySide runs a root job to its end. When it returns, all its goroutines have
// ended and all bodies are closed.
func (jr *jobRunner) sideBySide(ctx context.Context, j *job, at place) error {
	ctx, cancel := context.WithCancel(ctx)
	f := &fan{jobRunner: jr, gate: &gate{limit: jr.concurrency}, open: map[*arrival]struct{}{}}
	defer f.close()
	defer cancel()
	root := f.branch(position{}, j, at)
	slot, err := f.gate.enter(ctx, root.at.below(1))
	if err != nil {
		return err
	}
	f.workers.Go(func() { f.work(ctx, root, slot) })
	return f.follow(ctx, root)
}

func (f *fan) branch(at position, j *job, p place) *branch {
	return &branch{at: at, job: j, place: p, arrivals: newQueue[*arrival]()}
}

// close waits for the goroutines and closes what nobody has stored.
func (f *fan) close() {
	f.workers.Wait()
	for a := range f.open {
		a.body.Close()
	}
}

// follow stores the pages of a branch and of those below it.
func (f *fan) follow(ctx context.Context, b *branch) error {
	for a := range b.arrivals.all() {
		if err := f.settle(ctx, b, a); err != nil {
			return b.run.within(a.number, err)
		}
	}
	if b.err != nil {
		return b.err
	}
	f.ended(b.run, *b.stop)
	return nil
}

// settle stores one page and then the pages of its children.
func (f *fan) settle(ctx context.Context, b *branch, a *arrival) error {
	b.run.tell(a.notes)
	if a.err != nil {
		return a.err
	}
	if a.page != nil {
		_, err := b.run.store(ctx, a.page)
		f.release(a)
		if err != nil {
			return err
		}
		f.progress.page(a.page.Rows)
		b.run.live.Page(a.page.Rows)
	}
	a.slot.leave()
	for child := range a.children.all() {
		if err := f.follow(ctx, child); err != nil {
			return err
		}
	}
	return a.childErr
}

// work fetches the pages of a branch, whose first slot it is given.
func (f *fan) work(ctx context.Context, b *branch, first *slot) {
	defer b.arrivals.close()
	b.err = failure.Guarded(func() error { return f.pages(ctx, b, first) })
}

func (f *fan) pages(ctx context.Context, b *branch, s *slot) error {
	r, err := f.start(b.job, b.place)
	if err != nil {
		f.gate.fail(s.at)
		s.landed()
		return err
	}
	b.run = r
	request, state := r.scroller.First(r.base, r.run.Now())
	for {
		facts, stop, err := f.page(ctx, b, s, request)
		if err == nil && stop == nil {
			request, state, stop, err = r.next(state, facts)
		}
		next := b.at.below(r.pages + 1)
		if err != nil {
			f.gate.fail(next)
			return r.within(r.pages, err)
		}
		if stop != nil {
			b.stop = stop
			return nil
		}
		if s, err = f.gate.enter(ctx, next); err != nil {
			return err
		}
	}
}

// page fetches one page and runs its child jobs. It returns when all of them
// have what they want, though nothing of it may be stored yet.
func (f *fan) page(ctx context.Context, b *branch, s *slot, request config.Request) (facts pagination.Page, stop *pagination.Stop, err error) {
	a, stop := f.fetch(b.run, s, request)
	defer a.children.close()
	b.arrivals.put(a)
	if a.page == nil {
		return facts, stop, a.err
	}
	defer f.release(a)
	ids, err := b.run.ids(a.page)
	if err == nil {
		err = f.expand(ctx, b.run, a)
	}
	return b.run.facts(a.page, ids), nil, err
}

// fetch asks for a page and reads what came.
func (f *fan) fetch(r *jobRun, s *slot, request config.Request) (*arrival, *pagination.Stop) {
	defer s.landed()
	r.pages++
	a := &arrival{slot: s, number: r.pages, children: newQueue[*branch]()}
	answer, err := f.client.Do(r.live.Context(s.ctx), request)
	s.landed()
	var stop *pagination.Stop
	if err == nil {
		a.body = answer.Body
		a.page, stop, err = r.read(request, answer)
	}
	a.notes = r.taken()
	switch {
	case err != nil:
		a.page, a.err = nil, err
		f.gate.fail(s.at)
	case a.page != nil:
		f.keep(a)
		return a, nil
	}
	if a.body != nil {
		a.body.Close()
	}
	return a, stop
}

// expand starts the children of a page, each as soon as the gate lets its first
// request pass, and waits until they have ended.
func (f *fan) expand(ctx context.Context, r *jobRun, a *arrival) error {
	var children sync.WaitGroup
	n := 0
	err := r.eachChild(a.page, func(child *job, at place) error {
		n++
		c := f.branch(a.slot.at.below(n), child, at)
		s, err := f.gate.enter(ctx, c.at.below(1))
		if err != nil {
			return err
		}
		a.children.put(c)
		children.Add(1)
		f.workers.Go(func() {
			defer children.Done()
			f.work(ctx, c, s)
		})
		return nil
	})
	if err != nil {
		f.gate.fail(a.slot.at.below(n + 1))
	}
	a.childErr = err
	a.children.close()
	children.Wait()
	return err
}

// keep notes an arrival whose body is open until both its users are done.
func (f *fan) keep(a *arrival) {
	a.users.Store(2)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[a] = struct{}{}
}

func (f *fan) release(a *arrival) {
	if a.users.Add(-1) > 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, a)
	a.body.Close()
}
