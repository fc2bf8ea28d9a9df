package clock

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := At(start)
	var rung []time.Duration
	ring := func() { rung = append(rung, c.Now().Sub(start)) }
	c.After(2*time.Second, ring)
	stop := c.After(3*time.Second, ring)
	late := c.After(time.Second, ring)
	ctx, cancel := context.WithCancel(context.Background())
	if err := c.Sleep(ctx, time.Second); err != nil {
		t.Error(err)
	}
	cancel()
	if err := c.Sleep(ctx, time.Second); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if !stop() || stop() || late() {
		t.Error("a call is stopped once, and before it is made")
	}
	c.Advance(time.Hour)
	if want := []time.Duration{time.Second, 2 * time.Second}; !slices.Equal(rung, want) {
		t.Errorf("called after %v, want %v", rung, want)
	}
	if want := []time.Duration{time.Second, time.Second}; !slices.Equal(c.Slept(), want) {
		t.Errorf("slept %v, want %v", c.Slept(), want)
	}
	c.Advance(-2 * time.Hour)
	if now := c.Now(); !now.Equal(start.Add(2*time.Second - time.Hour)) {
		t.Errorf("it is %s", now)
	}
}
