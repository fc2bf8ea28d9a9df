// Package clock provides a clock for tests. Only Advance and Sleep change its time, so
// no test waits.
package clock

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Clock is a clock that only its methods advance. It is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	slept  []time.Duration
	alarms []*alarm
}

// alarm is a call that is due at a time.
type alarm struct {
	at   time.Time
	call func()
}

// At returns a clock with the time now.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep advances the clock, records the duration and returns at once, with the error of
// the context.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.slept = append(c.slept, d)
	c.mu.Unlock()
	c.Advance(d)
	return ctx.Err()
}

// Slept returns the durations of all sleeps in their order.
func (c *Clock) Slept() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.slept)
}

// Advance moves the clock forward or back, and makes the calls that are due.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*alarm
	c.alarms = slices.DeleteFunc(c.alarms, func(a *alarm) bool {
		if a.at.After(c.now) {
			return false
		}
		due = append(due, a)
		return true
	})
	c.mu.Unlock()
	for _, a := range due {
		a.call()
	}
}

// After makes a call when the clock has advanced by d. The returned function cancels
// the call and reports whether it was still pending.
func (c *Clock) After(d time.Duration, call func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{c.now.Add(d), call}
	c.alarms = append(c.alarms, a)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		before := len(c.alarms)
		c.alarms = slices.DeleteFunc(c.alarms, func(other *alarm) bool { return other == a })
		return len(c.alarms) < before
	}
}
