package exchange

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/keboola/configurable-extractor/pkg/env"
)

// Cut is the error of a request for more than a limit allows.
type Cut struct {
	// Budget is the limit as the flag of the program is named, without dashes:
	// max-requests, max-time or max-bytes.
	Budget string
	// Limit is what was allowed, Reached what was used: requests, seconds or
	// bytes.
	Limit, Reached float64
}

func (c *Cut) Error() string { return "--" + c.Budget + " was reached" }

// Budget watches over the limits of a run. One budget serves all clients of a
// run; nil is no limit. It counts what has been used, not what is under way, so
// it is exact for requests that are sent one after another.
type Budget struct {
	limits env.Limits
	stats  *Stats
	now    func() time.Time
	after  func(time.Duration, func()) (stop func() bool)
	start  time.Time
	bytes  atomic.Int64
}

// newBudget makes the budget of a run that starts now. after is that of
// time.AfterFunc; nil lets the clock be looked at before each request only, as
// in a replay, where no time passes during a request.
func newBudget(l env.Limits, stats *Stats, now func() time.Time, after func(time.Duration, func()) (stop func() bool)) *Budget {
	return &Budget{limits: l, stats: stats, now: now, after: after, start: now()}
}

// check is the error of who wants to send a request when nothing is left.
func (b *Budget) check() error {
	if b == nil {
		return nil
	}
	l := b.limits
	switch sent := b.stats.Requests.Load(); {
	case l.Requests > 0 && sent >= int64(l.Requests):
		return &Cut{"max-requests", float64(l.Requests), float64(sent)}
	case l.Bytes > 0 && b.bytes.Load() >= l.Bytes:
		return &Cut{"max-bytes", float64(l.Bytes), float64(b.bytes.Load())}
	case l.Time > 0 && b.elapsed() >= l.Time:
		return b.timeIsUp()
	}
	return nil
}

func (b *Budget) elapsed() time.Duration { return b.now().Sub(b.start) }

func (b *Budget) timeIsUp() error {
	return &Cut{"max-time", b.limits.Time.Seconds(), max(b.elapsed(), b.limits.Time).Round(time.Millisecond).Seconds()}
}

// until is a context that ends when the time is up, with that as its cause.
func (b *Budget) until(ctx context.Context) (context.Context, context.CancelFunc) {
	if b == nil || b.limits.Time == 0 || b.after == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := b.after(b.limits.Time-b.elapsed(), func() { cancel(b.timeIsUp()) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// reader counts what is read of a body, and fails at the first byte too many.
func (b *Budget) reader(body io.Reader) io.Reader {
	if b == nil || b.limits.Bytes == 0 {
		return body
	}
	return &countedReader{body, b}
}

type countedReader struct {
	body   io.Reader
	budget *Budget
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if got := r.budget.bytes.Add(int64(n)); got > r.budget.limits.Bytes {
		return n, &Cut{"max-bytes", float64(r.budget.limits.Bytes), float64(got)}
	}
	return n, err
}

// spend lets no request pass for which nothing is left. It stands below the
// cache, whose answers cost nothing, and above the pacer, for which no one need
// wait then.
type spend struct {
	next   Step
	budget *Budget
}

func (t *spend) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	if err := t.budget.check(); err != nil {
		return nil, err
	}
	return t.next.Do(ctx, x)
}
