package engine

import (
	"context"
	"slices"
	"sync"
)

// position is where a page stands in the order in which pages are stored: the
// number of a page of the root job, the number of a child run of that page, the
// number of a page of that run, and so on. Positions are compared like words.
type position []int

// below is a position one level further down.
func (p position) below(n int) position { return append(slices.Clip(p), n) }

// admission decides which requests may start. At most limit are under way at once,
// and at most limit pages are held, which means under way or waiting to be stored.
// Of several requests that wait, the first one by position starts.
//
// Pages that are held may have late positions: the pages of one level of jobs are
// fetched before anything is known of the jobs below the first of them. So that
// they do not keep out the pages of these jobs, a page that has fewer than limit
// before it may start until three times as many are held.
//
// Beyond that, only a page that comes before all held pages may start: the goroutine
// that stores the pages waits for it, and releases nothing until it is there. There
// is at most one such page for each level of jobs.
type admission struct {
	limit int

	mu       sync.Mutex
	underWay int
	held     []*permit // under way or waiting to be stored
	waiting  []*permit // by position
	failed   position  // the first page that failed; nil for none
}

// permit is the permission to request one page and to hold it.
type permit struct {
	admission *admission
	at        position
	ctx       context.Context // of the request
	cancel    context.CancelFunc
	granted   chan struct{}
	underWay  bool
}

// request asks for a permit for the page at a position.
func (a *admission) request(ctx context.Context, at position) *permit {
	p := &permit{admission: a, at: at, granted: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	i, _ := slices.BinarySearchFunc(a.waiting, p, func(a, b *permit) int { return slices.Compare(a.at, b.at) })
	a.waiting = slices.Insert(a.waiting, i, p)
	a.grant()
	return p
}

// wait waits until the page may be requested. It fails only with the context of
// the permit, and then releases it.
func (p *permit) wait() error {
	select {
	case <-p.granted:
		return nil
	case <-p.ctx.Done():
		err := p.ctx.Err()
		p.answered()
		p.release()
		return err
	}
}

// grant grants the permits that may be granted. The caller holds the lock.
func (a *admission) grant() {
	for len(a.waiting) > 0 && a.underWay < a.limit {
		p := a.waiting[0]
		if a.failed != nil && slices.Compare(p.at, a.failed) > 0 {
			return
		}
		if !a.fits(p) {
			return
		}
		a.waiting = a.waiting[1:]
		a.held = append(a.held, p)
		a.underWay++
		p.underWay = true
		close(p.granted)
	}
}

// maxHeld is how many times limit pages may be held, see admission.
const maxHeld = 3

// fits reports whether one more page may be held.
func (a *admission) fits(p *permit) bool {
	before := 0
	for _, other := range a.held {
		if slices.Compare(other.at, p.at) < 0 {
			before++
		}
	}
	return before == 0 || len(a.held) < a.limit || before < a.limit && len(a.held) < maxHeld*a.limit
}

// fail says that the run will end at a position. Pages after it are no longer
// requested, and requests for them that are under way are cancelled.
func (a *admission) fail(at position) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != nil && slices.Compare(at, a.failed) >= 0 {
		return
	}
	a.failed = at
	for _, p := range a.held {
		if p.underWay && slices.Compare(p.at, at) > 0 {
			p.cancel()
		}
	}
}

// answered says that the request has its answer or never will. A second call does
// nothing.
func (p *permit) answered() {
	p.admission.mu.Lock()
	defer p.admission.mu.Unlock()
	if !p.underWay {
		return
	}
	p.underWay = false
	p.admission.underWay--
	p.cancel()
	p.admission.grant()
}

// release gives the permit back, granted or not: the page has been stored, or it
// is not wanted any more.
func (p *permit) release() {
	p.admission.mu.Lock()
	defer p.admission.mu.Unlock()
	same := func(other *permit) bool { return other == p }
	p.admission.held = slices.DeleteFunc(p.admission.held, same)
	p.admission.waiting = slices.DeleteFunc(p.admission.waiting, same)
	p.cancel()
	p.admission.grant()
}
