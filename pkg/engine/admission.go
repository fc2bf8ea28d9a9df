package engine

import (
	"context"
	"slices"
	"sync"
)

// position is the storage order of a page: the number of a page of the root job, the
// number of a child run of that page, the number of a page of that run, and so on.
// Positions are compared element by element.
type position []int

// child returns the position of child n, one level down.
func (p position) child(n int) position { return append(slices.Clip(p), n) }

// admission decides which requests may start: the waiting request with the first position
// starts first. At most limit requests are under way at the same time. A page is held from
// its request until it is stored. At most limit pages are held, with two exceptions:
//
// A level of jobs requests its pages before the child jobs of its first page are known.
// These pages have late positions and must not block the child jobs. A page with fewer
// than limit held pages before it may therefore start until 3 × limit pages are held.
//
// A page before all held pages may always start. The goroutine that stores the pages waits
// for this page, and releases no permit until the page arrives. Each level of jobs has at
// most one such page.
//
// A page is idle between two requests while the API prepares its response. It yields its
// slot to pages before it. Pages after it do not get the slot: they may wait for the idle
// page, and it could then never continue.
type admission struct {
	limit int

	mu       sync.Mutex
	underWay int
	held     []*permit // pages under way or waiting to be stored
	waiting  []*permit // permits in the order of their positions
	failed   position  // position of the first page that failed, or nil
}

// permit is the permission to request a page and to hold it.
type permit struct {
	admission *admission
	at        position
	ctx       context.Context // context of the request
	cancel    context.CancelFunc
	granted   chan struct{}
	underWay  bool
	idle      bool
}

// request queues a permit for the page at a position.
func (a *admission) request(ctx context.Context, at position) *permit {
	p := &permit{admission: a, at: at, granted: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.enter(p)
	return p
}

// enter adds a permit to the waiting permits. The caller holds the lock.
func (a *admission) enter(p *permit) {
	i, _ := slices.BinarySearchFunc(a.waiting, p, func(a, b *permit) int { return slices.Compare(a.at, b.at) })
	a.waiting = slices.Insert(a.waiting, i, p)
	a.grant()
}

// yieldSlot gives the slot of the page to another request. The returned function waits
// until the page gets a slot again. It fails only if the context of the permit is done.
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
			return p.ctx.Err() // release removes the permit
		}
	}
}

// wait waits until the page may be requested. It fails only if the context of the permit
// is done, and then it releases the permit.
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

// maxHeld is the maximum number of held pages as a multiple of limit, see admission.
const maxHeld = 3

// grant grants the waiting permits that fit. The caller holds the lock.
func (a *admission) grant() {
	for i := 0; i < len(a.waiting); {
		p := a.waiting[i]
		before, idle := 0, 0 // held pages before p, and how many of them are idle
		for _, other := range a.held {
			if slices.Compare(other.at, p.at) < 0 {
				before++
				if other.idle {
					idle++
				}
			}
		}
		if a.failed != nil && slices.Compare(p.at, a.failed) > 0 || a.underWay+idle >= a.limit {
			return
		}
		switch {
		case p.idle: // the page is already held
			p.idle = false
		case before == 0, len(a.held) < a.limit, before < a.limit && len(a.held) < maxHeld*a.limit:
			a.held = append(a.held, p)
		default:
			i++ // later pages do not fit either, but an idle page among them may continue
			continue
		}
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.underWay++
		p.underWay = true
		close(p.granted)
	}
}

// fail records that the run ends at a position. Requests for later pages are cancelled or
// not sent.
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

// endRequest ends the request, with or without a response. A second call has no effect.
func (p *permit) endRequest() {
	a := p.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case p.underWay:
		p.underWay = false
		a.underWay--
	case p.idle: // the page was cancelled
		p.idle = false
		a.waiting = slices.DeleteFunc(a.waiting, func(other *permit) bool { return other == p })
	default:
		return
	}
	p.cancel()
	a.grant()
}

// release returns the permit, granted or not, because the page was stored or is no longer
// needed.
func (p *permit) release() {
	a := p.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	same := func(other *permit) bool { return other == p }
	a.held, a.waiting = slices.DeleteFunc(a.held, same), slices.DeleteFunc(a.waiting, same)
	p.cancel()
	a.grant()
}
