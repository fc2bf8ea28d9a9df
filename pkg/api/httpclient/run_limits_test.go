package httpclient

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/env"
)

// noon is the start of the budgets.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestBudgetCheck(t *testing.T) {
	used := env.Limits{Requests: 3, Bytes: 100, Time: time.Minute}
	for _, tt := range []struct {
		name   string
		limits env.Limits
		want   LimitReached // the zero value for none
	}{
		{"no limit", env.Limits{}, LimitReached{}},
		{"one more request", env.Limits{Requests: 4}, LimitReached{}},
		{"no more request", env.Limits{Requests: 3}, LimitReached{"max-requests", 3, 3}},
		{"fewer requests", env.Limits{Requests: 2}, LimitReached{"max-requests", 2, 3}},
		{"one more byte", env.Limits{Bytes: 101}, LimitReached{}},
		{"no more byte", env.Limits{Bytes: 100}, LimitReached{"max-bytes", 100, 100}},
		{"a little more time", env.Limits{Time: time.Minute + 1}, LimitReached{}},
		{"no more time", env.Limits{Time: time.Minute}, LimitReached{"max-time", 60, 60}},
		{"long ago", env.Limits{Time: time.Second}, LimitReached{"max-time", 1, 60}},
		{"all of them", env.Limits{Requests: 3, Bytes: 100, Time: time.Minute}, LimitReached{"max-requests", 3, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, stats := noon, &stats{}
			b := newRunLimits(tt.limits, stats, func() time.Time { return now }, nil)
			now = now.Add(used.Time)
			stats.Requests.Add(int64(used.Requests))
			b.bytes.Add(used.Bytes)
			err := b.check()
			if tt.want == (LimitReached{}) {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if got, ok := errors.AsType[*LimitReached](err); !ok || *got != tt.want {
				t.Errorf("got %+v (%v), want %+v", got, err, tt.want)
			}
		})
	}
	var none *runLimits
	if err := none.check(); err != nil {
		t.Errorf("no limits: %v", err)
	}
}

// TestBudgetReader: a body within the limit is read to its end, an endless one is cut
// off, and earlier bodies count.
func TestBudgetReader(t *testing.T) {
	b := newRunLimits(env.Limits{Bytes: 10}, &stats{}, func() time.Time { return noon }, nil)
	for _, text := range []string{"12345", "67890"} {
		if got, err := io.ReadAll(b.reader(strings.NewReader(text))); string(got) != text || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	if _, err := io.ReadAll(b.reader(strings.NewReader(""))); err != nil {
		t.Errorf("an empty body: %v", err)
	}
	n, err := io.Copy(io.Discard, b.reader(endless{}))
	if reached, ok := errors.AsType[*LimitReached](err); !ok || reached.Budget != "max-bytes" || n > 1<<20 {
		t.Errorf("an endless body: %d bytes, %v", n, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestBudgetUntil: the context of a request ends when the remaining time is over, with
// the reason as its cause. The alarm is stopped at the end of the request.
func TestBudgetUntil(t *testing.T) {
	now := noon
	var rest time.Duration
	var ring func()
	stopped := 0
	b := newRunLimits(env.Limits{Time: time.Minute}, &stats{}, func() time.Time { return now }, func(d time.Duration, call func()) func() bool {
		rest, ring = d, call
		return func() bool { stopped++; return true }
	})
	now = noon.Add(20 * time.Second)
	ctx, cancel := b.until(t.Context())
	if rest != 40*time.Second || ctx.Err() != nil {
		t.Errorf("%s are left, %v", rest, ctx.Err())
	}
	now = noon.Add(61 * time.Second)
	ring()
	if reached, ok := errors.AsType[*LimitReached](context.Cause(ctx)); !ok || *reached != (LimitReached{"max-time", 60, 61}) {
		t.Errorf("the cause is %v", context.Cause(ctx))
	}
	cancel()
	if stopped != 1 {
		t.Errorf("the alarm was taken back %d times", stopped)
	}
}
