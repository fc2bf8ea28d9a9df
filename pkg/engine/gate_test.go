package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

// entrant is somebody at a gate.
type entrant struct {
	at   position
	slot *slot // nil until it was let in
	err  error
}

// entrants asks for these positions, one after another.
func entrants(ctx context.Context, g *gate, positions ...position) []*entrant {
	var all []*entrant
	for _, at := range positions {
		e := &entrant{at: at}
		all = append(all, e)
		s := g.want(ctx, at)
		go func() {
			if e.err = s.enter(); e.err == nil {
				e.slot = s
			}
		}()
		synctest.Wait()
	}
	return all
}

// in tells who was let in.
func in(all []*entrant) string {
	synctest.Wait()
	var at []position
	for _, e := range all {
		if e.slot != nil {
			at = append(at, e.at)
		}
	}
	slices.SortFunc(at, slices.Compare[position])
	return fmt.Sprint(at)
}

// gated runs a test of a gate; whoever still waits in the end is told to go.
func gated(t *testing.T, limit int, test func(ctx context.Context, g *gate)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		test(ctx, &gate{limit: limit})
	})
}

func wantIn(t *testing.T, all []*entrant, want string) {
	t.Helper()
	if got := in(all); got != want {
		t.Errorf("let in: %s, want %s", got, want)
	}
}

func TestGateBoundsRequestsAndPages(t *testing.T) {
	gated(t, 2, func(ctx context.Context, g *gate) {
		all := entrants(ctx, g, position{1, 1, 1}, position{1, 4, 1}, position{1, 3, 1}, position{1, 2, 1})
		wantIn(t, all, "[[1 1 1] [1 4 1]]")
		all[0].slot.landed()
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 4 1]]") // its page waits to be stored
		all[0].slot.leave()
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 4 1]]")
		all[3].slot.landed()
		all[3].slot.landed() // does nothing
		all[3].slot.leave()
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 3 1] [1 4 1]]")
	})
}

// Pages that came early do not keep out those before them, up to a bound.
func TestGateLetsPagesBeforeOthersIn(t *testing.T) {
	gated(t, 2, func(ctx context.Context, g *gate) {
		arrive := func(all []*entrant) {
			t.Helper()
			for _, e := range all {
				if e.slot == nil {
					t.Fatalf("%v was not let in", e.at)
				}
				e.slot.landed()
			}
		}
		arrive(entrants(ctx, g, position{1, 7, 1}, position{1, 8, 1}))
		arrive(entrants(ctx, g, position{1, 4, 1}, position{1, 5, 1}))
		wantIn(t, entrants(ctx, g, position{1, 6, 1}), "[]") // two stand before it
		arrive(entrants(ctx, g, position{1, 1, 1}, position{1, 2, 1}))
		wantIn(t, entrants(ctx, g, position{1, 1, 2}), "[]") // six are here
	})
}

// The page that is to be stored next may come though as many as allowed wait
// already, but not while as many requests as allowed are under way.
func TestGateLetsTheFirstPageIn(t *testing.T) {
	gated(t, 2, func(ctx context.Context, g *gate) {
		all := entrants(ctx, g, position{1, 2, 1}, position{1, 3, 1}, position{1, 4, 1}, position{1, 1, 2})
		wantIn(t, all, "[[1 2 1] [1 3 1]]")
		all[0].slot.landed()
		wantIn(t, all, "[[1 1 2] [1 2 1] [1 3 1]]")
		all = append(all, entrants(ctx, g, position{1, 1, 1, 1, 1})...)
		wantIn(t, all, "[[1 1 2] [1 2 1] [1 3 1]]")
		all[1].slot.landed()
		wantIn(t, all, "[[1 1 1 1 1] [1 1 2] [1 2 1] [1 3 1]]")
	})
}

func TestGateAfterAFailure(t *testing.T) {
	gated(t, 4, func(ctx context.Context, g *gate) {
		all := entrants(ctx, g, position{1, 1, 1}, position{1, 3, 1}, position{1, 5, 1})
		g.fail(position{1, 3, 1})
		g.fail(position{1, 4, 1}) // changes nothing
		for i, broken := range []bool{false, false, true} {
			if got := all[i].slot.ctx.Err() != nil; got != broken {
				t.Errorf("request at %v broken off: %t", all[i].at, got)
			}
		}
		all[2].slot.landed()
		all = append(all, entrants(ctx, g, position{1, 4, 1}, position{1, 2, 1})...)
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 3 1] [1 5 1]]")
	})
}

func TestGateEndsWithTheContext(t *testing.T) {
	gated(t, 1, func(ctx context.Context, g *gate) {
		ctx, cancel := context.WithCancel(ctx)
		all := entrants(ctx, g, position{1}, position{2})
		cancel()
		synctest.Wait()
		if all[1].err != context.Canceled || all[0].err != nil || all[0].slot.ctx.Err() == nil {
			t.Errorf("errors %v and %v, first request %v", all[0].err, all[1].err, all[0].slot.ctx.Err())
		}
	})
}

// Whoever is told to go while it waits, or is not wanted any more, leaves no gap.
func TestGateForgetsWhoIsCancelled(t *testing.T) {
	gated(t, 1, func(ctx context.Context, g *gate) {
		first, second := g.want(ctx, position{1}), g.want(ctx, position{2})
		second.cancel()
		if err := second.enter(); err != context.Canceled {
			t.Errorf("got %v", err)
		}
		third := g.want(ctx, position{3})
		third.leave()
		if n := len(g.wanted); n != 0 || third.ctx.Err() == nil {
			t.Errorf("%d still want to come, error %v", n, third.ctx.Err())
		}
		all := entrants(ctx, g, position{4})
		wantIn(t, all, "[]")
		first.landed()
		first.leave()
		wantIn(t, all, "[[4]]")
		// One that was let in and is told to go before it notices.
		late := g.want(ctx, position{5})
		all[0].slot.landed()
		all[0].slot.leave()
		late.cancel()
		if late.enter() == nil { // it notices only while sending
			late.landed()
			late.leave()
		}
		wantIn(t, entrants(ctx, g, position{6}), "[[6]]")
	})
}

func TestPositionsDoNotShareMemory(t *testing.T) {
	base := position{1, 2}.below(3)
	a, b := base.below(4), base.below(5)
	if fmt.Sprint(base, a, b) != "[1 2 3] [1 2 3 4] [1 2 3 5]" {
		t.Error(base, a, b)
	}
}
