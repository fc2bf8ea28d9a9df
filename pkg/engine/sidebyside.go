package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/paging"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
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
	stop *paging.Stop
	err  error
	// asked are the pages that were asked for and not taken yet, in their order.
	asked []*inquiry
	// children are the branches below it that have not ended.
	children sync.WaitGroup
}

// arrival is an answer that waits to be stored.
type arrival struct {
	slot   *slot
	number int // of the page
	notes  []event.Body
	page   *answer.Page // nil when there is nothing to store
	body   *answer.Spool
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
	slot := f.gate.want(ctx, root.at.below(1))
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
	return f.ended(b.run, *b.stop)
}

// settle stores one page and then the pages of its children.
func (f *fan) settle(ctx context.Context, b *branch, a *arrival) error {
	if err := b.run.tell(a.notes); err != nil {
		return err
	}
	if a.err != nil {
		return a.err
	}
	if a.page != nil {
		_, err := b.run.store(ctx, a.page)
		f.release(a)
		if err != nil {
			return err
		}
		f.stored(b.run, a.page.Rows)
	}
	a.slot.leave()
	for child := range a.children.all() {
		if err := f.follow(ctx, child); err != nil {
			return err
		}
	}
	return a.childErr
}

// work fetches the pages of a branch, whose first slot it is given. It returns
// when the branches below it have ended, too.
func (f *fan) work(ctx context.Context, b *branch, first *slot) {
	b.err = failure.Guarded(func() error { return f.pages(ctx, b, first) })
	b.arrivals.close()
	drop(b.asked)
	b.children.Wait()
}

func (f *fan) pages(ctx context.Context, b *branch, first *slot) error {
	r, err := f.start(b.job, b.place)
	if err != nil {
		f.gate.fail(first.at)
		first.landed()
		return err
	}
	b.run = r
	request, state := r.scroller.First(r.base, r.run.Now())
	b.asked = []*inquiry{f.ask(r, first, request)}
	f.askAhead(ctx, b, state, paging.Page{})
	for {
		facts, stop, err := f.page(ctx, b)
		if err == nil && stop == nil {
			request, state, stop, err = r.next(state, facts)
		}
		if err != nil {
			f.gate.fail(b.at.below(r.pages + 1))
			return r.within(r.pages, err)
		}
		if stop != nil {
			b.stop = stop
			return nil
		}
		if len(b.asked) == 0 {
			f.askNext(ctx, b, request)
		}
		f.askAhead(ctx, b, state, facts)
	}
}

// page takes the next page and starts its child jobs, though nothing of it may be
// stored yet.
func (f *fan) page(ctx context.Context, b *branch) (facts paging.Page, stop *paging.Stop, err error) {
	a, stop := f.take(b)
	defer a.children.close()
	b.arrivals.put(a)
	if a.page == nil {
		return facts, stop, a.err
	}
	defer f.release(a)
	ids, err := b.run.ids(a.page)
	if err == nil {
		err = f.expand(ctx, b, a)
	}
	if b.run.scroller.Needs().Time {
		b.children.Wait() // they count as time spent
	}
	return b.run.facts(a.page, ids), nil, err
}

// take waits for the answer to the first request of those asked, and reads it.
func (f *fan) take(b *branch) (*arrival, *paging.Stop) {
	q, r := b.asked[0], b.run
	b.asked = b.asked[1:]
	close(q.needed)
	<-q.done
	r.pages++
	a := &arrival{slot: q.slot, number: r.pages, children: newQueue[*branch]()}
	var stop *paging.Stop
	err := q.err
	if err == nil {
		a.body = q.answer.Body
		a.page, stop, err = r.read(q.request, q.answer)
	}
	a.notes = r.taken()
	switch {
	case err != nil:
		a.page, a.err = nil, err
		f.gate.fail(q.slot.at)
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
// request pass.
func (f *fan) expand(ctx context.Context, b *branch, a *arrival) error {
	n := 0
	err := b.run.eachChild(a.page, func(child *job, at place) error {
		n++
		c := f.branch(a.slot.at.below(n), child, at)
		s := f.gate.want(ctx, c.at.below(1))
		if err := s.enter(); err != nil {
			return err
		}
		a.children.put(c)
		b.children.Add(1)
		f.workers.Go(func() {
			defer b.children.Done()
			f.work(ctx, c, s)
		})
		return nil
	})
	if err != nil {
		f.gate.fail(a.slot.at.below(n + 1))
	}
	a.childErr = err
	a.children.close()
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
