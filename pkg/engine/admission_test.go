package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
)

// entrant is somebody who requests a permit.
type entrant struct {
	at     position
	permit *permit // nil until it is granted
	err    error
}

// entrants request these positions, one after another.
func entrants(ctx context.Context, a *admission, positions ...position) []*entrant {
	var all []*entrant
	for _, at := range positions {
		e := &entrant{at: at}
		all = append(all, e)
		p := a.request(ctx, at)
		go func() {
			if e.err = p.wait(); e.err == nil {
				e.permit = p
			}
		}()
		synctest.Wait()
	}
	return all
}

// in are the positions with a permit.
func in(all []*entrant) string {
	synctest.Wait()
	var at []position
	for _, e := range all {
		if e.permit != nil {
			at = append(at, e.at)
		}
	}
	slices.SortFunc(at, slices.Compare[position])
	return fmt.Sprint(at)
}

// admitting runs a test of an admission. Permits that are not granted at the end are
// cancelled.
func admitting(t *testing.T, limit int, test func(ctx context.Context, a *admission)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		test(ctx, &admission{limit: limit})
	})
}

func wantIn(t *testing.T, all []*entrant, want string) {
	t.Helper()
	if got := in(all); got != want {
		t.Errorf("admitted: %s, want %s", got, want)
	}
}

func TestAdmissionBoundsRequestsAndPages(t *testing.T) {
	admitting(t, 2, func(ctx context.Context, a *admission) {
		all := entrants(ctx, a, position{1, 1, 1}, position{1, 4, 1}, position{1, 3, 1}, position{1, 2, 1})
		wantIn(t, all, "[[1 1 1] [1 4 1]]")
		all[0].permit.endRequest()
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 4 1]]") // its page waits to be stored
		all[0].permit.release()
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 4 1]]")
		all[3].permit.endRequest()
		all[3].permit.endRequest() // does nothing
		all[3].permit.release()
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 3 1] [1 4 1]]")
	})
}

// Pages that came early do not keep out those before them, up to a bound.
func TestAdmissionLetsPagesBeforeOthersIn(t *testing.T) {
	admitting(t, 2, func(ctx context.Context, a *admission) {
		arrive := func(all []*entrant) {
			t.Helper()
			for _, e := range all {
				if e.permit == nil {
					t.Fatalf("%v was not admitted", e.at)
				}
				e.permit.endRequest()
			}
		}
		arrive(entrants(ctx, a, position{1, 7, 1}, position{1, 8, 1}))
		arrive(entrants(ctx, a, position{1, 4, 1}, position{1, 5, 1}))
		wantIn(t, entrants(ctx, a, position{1, 6, 1}), "[]") // two are before it
		arrive(entrants(ctx, a, position{1, 1, 1}, position{1, 2, 1}))
		wantIn(t, entrants(ctx, a, position{1, 1, 2}), "[]") // six are here
	})
}

// The page that is to be stored next may come though as many as allowed wait
// already, but not while as many requests as allowed are under way.
func TestAdmissionLetsTheFirstPageIn(t *testing.T) {
	admitting(t, 2, func(ctx context.Context, a *admission) {
		all := entrants(ctx, a, position{1, 2, 1}, position{1, 3, 1}, position{1, 4, 1}, position{1, 1, 2})
		wantIn(t, all, "[[1 2 1] [1 3 1]]")
		all[0].permit.endRequest()
		wantIn(t, all, "[[1 1 2] [1 2 1] [1 3 1]]")
		all = append(all, entrants(ctx, a, position{1, 1, 1, 1, 1})...)
		wantIn(t, all, "[[1 1 2] [1 2 1] [1 3 1]]")
		all[1].permit.endRequest()
		wantIn(t, all, "[[1 1 1 1 1] [1 1 2] [1 2 1] [1 3 1]]")
	})
}

func TestAdmissionAfterAFailure(t *testing.T) {
	admitting(t, 4, func(ctx context.Context, a *admission) {
		all := entrants(ctx, a, position{1, 1, 1}, position{1, 3, 1}, position{1, 5, 1})
		a.fail(position{1, 3, 1})
		a.fail(position{1, 4, 1}) // changes nothing
		for i, broken := range []bool{false, false, true} {
			if got := all[i].permit.ctx.Err() != nil; got != broken {
				t.Errorf("request at %v broken off: %t", all[i].at, got)
			}
		}
		all[2].permit.endRequest()
		all = append(all, entrants(ctx, a, position{1, 4, 1}, position{1, 2, 1})...)
		wantIn(t, all, "[[1 1 1] [1 2 1] [1 3 1] [1 5 1]]")
	})
}

func TestAdmissionEndsWithTheContext(t *testing.T) {
	admitting(t, 1, func(ctx context.Context, a *admission) {
		ctx, cancel := context.WithCancel(ctx)
		all := entrants(ctx, a, position{1}, position{2})
		cancel()
		synctest.Wait()
		if all[1].err != context.Canceled || all[0].err != nil || all[0].permit.ctx.Err() == nil {
			t.Errorf("errors %v and %v, first request %v", all[0].err, all[1].err, all[0].permit.ctx.Err())
		}
	})
}

// A page that is cancelled while it waits, or is not wanted any more, leaves no gap.
func TestAdmissionForgetsWhoIsCancelled(t *testing.T) {
	admitting(t, 1, func(ctx context.Context, a *admission) {
		first, second := a.request(ctx, position{1}), a.request(ctx, position{2})
		second.cancel()
		if err := second.wait(); err != context.Canceled {
			t.Errorf("got %v", err)
		}
		third := a.request(ctx, position{3})
		third.release()
		if n := len(a.waiting); n != 0 || third.ctx.Err() == nil {
			t.Errorf("%d still want to come, error %v", n, third.ctx.Err())
		}
		all := entrants(ctx, a, position{4})
		wantIn(t, all, "[]")
		first.endRequest()
		first.release()
		wantIn(t, all, "[[4]]")
		// One that was admitted, and is cancelled before it notices.
		late := a.request(ctx, position{5})
		all[0].permit.endRequest()
		all[0].permit.release()
		late.cancel()
		if late.wait() == nil { // it notices only while sending
			late.endRequest()
			late.release()
		}
		wantIn(t, entrants(ctx, a, position{6}), "[[6]]")
	})
}

// A page that waits for its response yields its slot to pages before it, not to pages
// after it, and continues when it has a slot again.
func TestAdmissionOfIdlePages(t *testing.T) {
	admitting(t, 2, func(ctx context.Context, a *admission) {
		all := entrants(ctx, a, position{1, 2, 1}, position{1, 3, 1})
		second, third := all[0].permit, all[1].permit
		resumeSecond, resumeThird := second.yieldSlot(), third.yieldSlot()
		all = append(all, entrants(ctx, a, position{1, 4, 1})...)
		wantIn(t, all, "[[1 2 1] [1 3 1]]") // it is after both
		all = append(all, entrants(ctx, a, position{1, 1, 1, 1, 1}, position{1, 1, 1, 2, 1})...)
		wantIn(t, all, "[[1 1 1 1 1] [1 1 1 2 1] [1 2 1] [1 3 1]]")

		resumed := make(chan *permit, 2)
		for p, resume := range map[*permit]func() error{second: resumeSecond, third: resumeThird} {
			go func() {
				if err := resume(); err != nil {
					t.Error(err)
				}
				resumed <- p
			}()
		}
		synctest.Wait()
		if len(resumed) > 0 || a.underWay != 2 {
			t.Fatalf("%d continued, %d are under way", len(resumed), a.underWay)
		}
		finish := func(p *permit) {
			p.endRequest()
			p.release()
			synctest.Wait()
		}
		finish(all[3].permit)
		if got := <-resumed; got != second || a.underWay != 2 || len(resumed) > 0 {
			t.Errorf("%v continued, %d are under way", got.at, a.underWay)
		}
		finish(all[4].permit)
		if got := <-resumed; got != third || a.underWay != 2 {
			t.Errorf("%v continued, %d are under way", got.at, a.underWay)
		}
		finish(second)
		finish(third)
		wantIn(t, all[2:3], "[[1 4 1]]")
		finish(all[2].permit)
		if a.underWay != 0 || len(a.held) != 0 || len(a.waiting) != 0 {
			t.Errorf("%d are under way, %d held, %d wait", a.underWay, len(a.held), len(a.waiting))
		}
	})
}

// An idle page that is cancelled, while it waits or while it wants to continue, leaves
// nothing behind.
func TestAdmissionForgetsIdlePages(t *testing.T) {
	admitting(t, 1, func(ctx context.Context, a *admission) {
		for _, wants := range []bool{false, true} {
			p := a.request(ctx, position{2})
			resume := p.yieldSlot()
			first := a.request(ctx, position{1})
			if first.wait() != nil {
				t.Fatal("the place was not lent")
			}
			ended := make(chan error, 1)
			if wants {
				go func() { ended <- resume() }()
				synctest.Wait()
			} else {
				ended <- context.Canceled
			}
			a.fail(position{1})
			if err := <-ended; err != context.Canceled {
				t.Errorf("got %v", err)
			}
			a.failed = nil
			for _, p := range []*permit{p, first} {
				p.endRequest()
				p.endRequest()
				p.release()
			}
			if p.ctx.Err() == nil || a.underWay != 0 || len(a.held) != 0 || len(a.waiting) != 0 {
				t.Errorf("%v, %d are under way, %d held, %d wait", p.ctx.Err(), a.underWay, len(a.held), len(a.waiting))
			}
		}
	})
}

func TestPositionsDoNotShareMemory(t *testing.T) {
	base := position{1, 2}.child(3)
	a, b := base.child(4), base.child(5)
	if fmt.Sprint(base, a, b) != "[1 2 3] [1 2 3 4] [1 2 3 5]" {
		t.Error(base, a, b)
	}
}
