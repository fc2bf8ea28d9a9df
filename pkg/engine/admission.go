package engine

import (
	"context"
	"slices"
	"sync"
)

// position is where a page is in the order in which pages are stored: the
// number of a page of the root job, the number of a child run of that page, the
// number of a page of that run, and so on. Positions are compared like words.
type position []int

// child is a position one level further down.
func (p position) child(n int) position { return append(slices.Clip(p), n) }

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
//
// A page whose response is not ready is idle between two requests: it lends its place
// among the requests under way to pages that come before it, so that these are not held
// back for as long as an API makes a report. Pages after it do not get the place. They
// may wait for the page, and then it could never continue.
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
	idle      bool
}

// request requests a permit for the page at a position.
func (a *admission) request(ctx context.Context, at position) *permit {
	p := &permit{admission: a, at: at, granted: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.enter(p)
	return p
}

// enter puts a permit among those that wait. The caller holds the lock.
func (a *admission) enter(p *permit) {
	i, _ := slices.BinarySearchFunc(a.waiting, p, func(a, b *permit) int { return slices.Compare(a.at, b.at) })
	a.waiting = slices.Insert(a.waiting, i, p)
	a.grant()
}

// yieldSlot says that no request for the page is under way for a while. The returned function
// waits until the next one may be; it fails only with the context of the permit.
func (p *permit) yieldSlot() (resume func() error) {
	a := p.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	p.idle, p.underWay = true, false
	a.underWay--
	a.grant()
	return func() error {
		a.mu.Lock()
		granted := make(chan struct{})
		p.granted = granted
		a.enter(p)
		a.mu.Unlock()
		select {
		case <-granted:
			return nil
		case <-p.ctx.Done():
			return p.ctx.Err() // release forgets it
		}
	}
}

// wait waits until the page may be requested. It fails only with the context of
// the permit, and then releases it.
func (p *permit) wait() error {
	select {
	case <-p.granted:
		return nil
	case <-p.ctx.Done():
		err := p.ctx.Err()
		p.endRequest()
		p.release()
		return err
	}
}

// grant grants the permits that may be granted. The caller holds the lock.
func (a *admission) grant() {
	for i := 0; i < len(a.waiting); {
		p := a.waiting[i]
		if a.failed != nil && slices.Compare(p.at, a.failed) > 0 || a.underWay+a.idleBefore(p) >= a.limit {
			return
		}
		switch {
		case p.idle: // it is held
			p.idle = false
		case a.fits(p):
			a.held = append(a.held, p)
		default:
			i++ // nor do those after it fit, but one of them may be idle
			continue
		}
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.underWay++
		p.underWay = true
		close(p.granted)
	}
}

// idleBefore is how many pages before a page are idle.
func (a *admission) idleBefore(p *permit) int {
	n := 0
	for _, other := range a.held {
		if other.idle && slices.Compare(other.at, p.at) < 0 {
			n++
		}
	}
	return n
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
		if (p.underWay || p.idle) && slices.Compare(p.at, at) > 0 {
			p.cancel()
		}
	}
}

// endRequest says that the request has its response or never will. A second call does
// nothing.
func (p *permit) endRequest() {
	p.admission.mu.Lock()
	defer p.admission.mu.Unlock()
	switch {
	case p.underWay:
		p.underWay = false
		p.admission.underWay--
	case p.idle: // it was cancelled
		p.idle = false
		p.admission.waiting = slices.DeleteFunc(p.admission.waiting, func(other *permit) bool { return other == p })
	default:
		return
	}
	p.cancel()
	p.admission.grant()
}

// release returns the permit, granted or not: the page has been stored, or it
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
