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

// below is a position one step further down.
func (p position) below(n int) position { return append(slices.Clip(p), n) }

// gate lets requests start. At most limit are under way at once, and at most
// limit pages are under way or wait to be stored; of several requests that want
// to start the first one by its position does.
//
// Pages that wait may stand far behind: those of one level of jobs were fetched
// while nobody knew the jobs below the first of them. So that these are not kept
// out, a page that has fewer than limit before it may come until three times as
// many are here.
//
// Beyond that only a page may come that stands before all pages that are here
// already: whoever stores the pages has to wait for it, and nothing gives
// way until it is there. There is at most one of them for each level of jobs.
type gate struct {
	limit int

	mu       sync.Mutex
	underWay int
	here     []*slot  // under way or waiting to be stored
	wanted   []*slot  // by position
	failed   position // the first page that failed; nil for none
}

// slot is the right to hold one page.
type slot struct {
	gate     *gate
	at       position
	ctx      context.Context // of the request
	cancel   context.CancelFunc
	granted  chan struct{}
	underWay bool
}

// want lines up for the page at a position.
func (g *gate) want(ctx context.Context, at position) *slot {
	s := &slot{gate: g, at: at, granted: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	i, _ := slices.BinarySearchFunc(g.wanted, s, func(a, b *slot) int { return slices.Compare(a.at, b.at) })
	g.wanted = slices.Insert(g.wanted, i, s)
	g.grant()
	return s
}

// enter waits until the page may be asked for. It fails only with the context
// that the slot was wanted with, and then gives it back.
func (s *slot) enter() error {
	select {
	case <-s.granted:
		return nil
	case <-s.ctx.Done():
		err := s.ctx.Err()
		s.landed()
		s.leave()
		return err
	}
}

// grant lets in whoever may come; the lock is held.
func (g *gate) grant() {
	for len(g.wanted) > 0 && g.underWay < g.limit {
		s := g.wanted[0]
		if g.failed != nil && slices.Compare(s.at, g.failed) > 0 {
			return
		}
		if !g.fits(s) {
			return
		}
		g.wanted = g.wanted[1:]
		g.here = append(g.here, s)
		g.underWay++
		s.underWay = true
		close(s.granted)
	}
}

// crowd is how many times limit pages there may be, see gate.
const crowd = 3

// fits tells whether there is room for a page.
func (g *gate) fits(s *slot) bool {
	before := 0
	for _, other := range g.here {
		if slices.Compare(other.at, s.at) < 0 {
			before++
		}
	}
	return before == 0 || len(g.here) < g.limit || before < g.limit && len(g.here) < crowd*g.limit
}

// fail tells that the run will end at a position: what comes after it is no
// longer asked for, and requests after it that are under way are broken off.
func (g *gate) fail(at position) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed != nil && slices.Compare(at, g.failed) >= 0 {
		return
	}
	g.failed = at
	for _, s := range g.here {
		if s.underWay && slices.Compare(s.at, at) > 0 {
			s.cancel()
		}
	}
}

// landed tells that the request has its answer or never will. A second call does
// nothing.
func (s *slot) landed() {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	if !s.underWay {
		return
	}
	s.underWay = false
	s.gate.underWay--
	s.cancel()
	s.gate.grant()
}

// leave gives the slot back, or stands no longer in line for it: the page has been
// stored, or nobody wants it any more.
func (s *slot) leave() {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	same := func(other *slot) bool { return other == s }
	s.gate.here = slices.DeleteFunc(s.gate.here, same)
	s.gate.wanted = slices.DeleteFunc(s.gate.wanted, same)
	s.cancel()
	s.gate.grant()
}
