package httpclient

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/keboola/configurable-extractor/pkg/env"
)

// LimitReached is the error of a request that a limit of the run does not allow.
type LimitReached struct {
	// Budget is the name of the flag: max-requests, max-time or max-bytes.
	Budget string
	// Limit is the allowed number of requests, seconds or bytes. Reached is the used
	// number.
	Limit, Reached float64
}

func (l *LimitReached) Error() string { return "--" + l.Budget + " was reached" }

// runLimits enforces the limits of a run. A nil *runLimits has no limits. All clients of
// a run share one runLimits. It does not count requests in flight, so it is exact only
// for requests that are sent one after another.
type runLimits struct {
	limits env.Limits
	stats  *stats
	now    func() time.Time
	after  func(time.Duration, func()) (stop func() bool)
	start  time.Time
	bytes  atomic.Int64
}

// newRunLimits returns the limits of a run that starts now. after is env.Run.After. If it
// is nil, the time is checked only before each request.
func newRunLimits(l env.Limits, stats *stats, now func() time.Time, after func(time.Duration, func()) (stop func() bool)) *runLimits {
	return &runLimits{limits: l, stats: stats, now: now, after: after, start: now()}
}

// check returns a *LimitReached if a limit is reached.
func (b *runLimits) check() error {
	if b == nil {
		return nil
	}
	l := b.limits
	switch sent := b.stats.Requests.Load(); {
	case l.Requests > 0 && sent >= int64(l.Requests):
		return &LimitReached{"max-requests", float64(l.Requests), float64(sent)}
	case l.Bytes > 0 && b.bytes.Load() >= l.Bytes:
		return &LimitReached{"max-bytes", float64(l.Bytes), float64(b.bytes.Load())}
	case l.Time > 0 && b.elapsed() >= l.Time:
		return b.timeIsUp()
	}
	return nil
}

// within shortens a wait to the time that is left. The error is the result of the
// shortened wait. It is nil if the wait fits.
func (b *runLimits) within(wait time.Duration) (time.Duration, error) {
	if b == nil || b.limits.Time == 0 {
		return wait, nil
	}
	if left := max(0, b.limits.Time-b.elapsed()); left <= wait {
		return left, &LimitReached{"max-time", b.limits.Time.Seconds(), b.limits.Time.Seconds()}
	}
	return wait, nil
}

func (b *runLimits) elapsed() time.Duration { return b.now().Sub(b.start) }

func (b *runLimits) timeIsUp() error {
	return &LimitReached{"max-time", b.limits.Time.Seconds(), max(b.elapsed(), b.limits.Time).Round(time.Millisecond).Seconds()}
}

// until returns a context that ends when the time is up. Its cause is a *LimitReached.
func (b *runLimits) until(ctx context.Context) (context.Context, context.CancelFunc) {
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

// reader counts the bytes read from a body. A read that exceeds the limit of bytes fails.
func (b *runLimits) reader(body io.Reader) io.Reader {
	if b == nil || b.limits.Bytes == 0 {
		return body
	}
	return &countedReader{body, b}
}

type countedReader struct {
	body      io.Reader
	runLimits *runLimits
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	if got := r.runLimits.bytes.Add(int64(n)); got > r.runLimits.limits.Bytes {
		return n, &LimitReached{"max-bytes", float64(r.runLimits.limits.Bytes), float64(got)}
	}
	return n, err
}

// enforceLimits refuses requests when a limit is reached. It is below the cache, because
// cached responses do not count, and above the pacer, so that a request that cannot be
// sent does not wait.
type enforceLimits struct {
	next      step
	runLimits *runLimits
}

func (t *enforceLimits) do(ctx context.Context, x *call) (*Response, error) {
	if err := t.runLimits.check(); err != nil {
		return nil, err
	}
	return t.next.do(ctx, x)
}
