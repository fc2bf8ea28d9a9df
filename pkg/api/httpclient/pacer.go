package httpclient

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// pacer decides when a request may be sent. All clients of a run share one pacer. It
// enforces `api.http.rateLimit` and the rate limits of jobs. It sends no request during a
// pause that the API demands.
type pacer struct {
	stats *stats
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	all *rateLimiter // limit of all requests; may be nil

	mu      sync.Mutex
	jobs    map[string]*rateLimiter // limits by the JSON pointers of the jobs
	pausing int                     // number of requests in a wait that the API demands
	resume  chan struct{}           // closed when pausing becomes 0; nil while pausing is 0
	// until is the end of a pause after the waiting request was cancelled.
	until time.Time
}

// rateLimiter enforces one rate limit.
type rateLimiter struct {
	config.RateLimit
	setting string // name of the setting in the live progress
	// turn is held by the request that is counted next. starts are the times of the
	// requests sent within Per, oldest first.
	turn   chan struct{}
	starts []time.Time
}

func newLimiter(l config.RateLimit, setting string) *rateLimiter {
	return &rateLimiter{RateLimit: l, setting: setting, turn: make(chan struct{}, 1)}
}

func newPacer(l config.RateLimit, stats *stats, now func() time.Time, sleep func(context.Context, time.Duration) error) *pacer {
	p := &pacer{stats: stats, now: now, sleep: sleep, jobs: map[string]*rateLimiter{}}
	if l.Requests > 0 {
		p.all = newLimiter(l, "api.http.rateLimit")
	}
	return p
}

// pauseAll waits and pauses all other requests. If ctx ends first, the next request waits
// for the remaining time.
func (p *pacer) pauseAll(ctx context.Context, wait time.Duration) error {
	p.mu.Lock()
	p.beginPause()
	p.mu.Unlock()
	return p.waitAndResume(ctx, p.now().Add(wait), wait)
}

func (p *pacer) beginPause() {
	if p.pausing == 0 {
		p.resume = make(chan struct{})
	}
	p.pausing++
}

// waitAndResume waits until a time and then ends the pause of the other requests.
func (p *pacer) waitAndResume(ctx context.Context, until time.Time, wait time.Duration) error {
	p.stats.Waited.Add(int64(wait))
	err := p.sleep(ctx, wait)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && until.After(p.until) {
		p.until = until
	}
	if p.pausing--; p.pausing == 0 {
		close(p.resume)
		p.resume = nil
	}
	return err
}

func (p *pacer) paused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resume != nil || p.until.After(p.now())
}

// awaitResume waits until the end of a pause.
func (p *pacer) awaitResume(ctx context.Context, sender JobInfo) error {
	for {
		held, until := p.joinPause()
		switch {
		case held != nil:
			done := sender.Live.Await("with another request")
			select {
			case <-held:
				done()
			case <-ctx.Done():
				done()
				return ctx.Err()
			}
		case until.IsZero():
			return nil
		default:
			wait := until.Sub(p.now())
			done := sender.Live.Pause("because of the response to another request", wait)
			err := p.waitAndResume(ctx, until, wait)
			done()
			if err != nil {
				return err
			}
		}
	}
}

// joinPause returns the channel of the request that waits for the end of a pause. If that
// request was cancelled, joinPause begins the pause again and returns its end, and the
// caller must call waitAndResume. Without a pause both results are zero.
func (p *pacer) joinPause() (held chan struct{}, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resume != nil || !p.until.After(p.now()) {
		return p.resume, time.Time{}
	}
	until, p.until = p.until, time.Time{}
	p.beginPause()
	return nil, until
}

// admit waits until the next request may be sent, and counts it. With a rate limit
// requests pass one at a time. A request of a job with its own limit waits for that limit
// first, so that it does not delay requests of other jobs.
func (p *pacer) admit(ctx context.Context, x *call) error {
	limiters := p.limiters(x)
	due := make([]time.Time, len(limiters))
	for i, l := range limiters {
		select {
		case l.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-l.turn }()
		due[i] = l.due(p.now())
		if wait := due[i].Sub(p.now()); wait > 0 {
			p.stats.Waited.Add(int64(wait))
			x.held += wait
			done := x.Sender.Live.Pause(l.setting, wait)
			err := p.sleep(ctx, wait)
			done()
			if err != nil {
				return err
			}
		}
	}
	if err := p.awaitResume(ctx, x.Sender); err != nil {
		return err
	}
	for i, l := range limiters {
		start := p.now()
		if start.Before(due[i]) {
			start = due[i] // a sleep may end slightly before due
		}
		l.starts = append(l.starts, start)
	}
	return nil
}

// limiters returns the limiters that a request waits for. A login counts only for the
// limit of all requests.
func (p *pacer) limiters(x *call) []*rateLimiter {
	var all []*rateLimiter
	if limit := x.Sender.RateLimit; limit.Requests > 0 && !x.forLogin {
		p.mu.Lock()
		l := p.jobs[x.Sender.Pointer]
		if l == nil {
			l = newLimiter(limit, "rateLimit of the job")
			p.jobs[x.Sender.Pointer] = l
		}
		p.mu.Unlock()
		all = append(all, l)
	}
	if p.all != nil {
		all = append(all, p.all)
	}
	return all
}

// due returns the time when the limit allows the next request, or the zero time if it
// allows one now. It removes starts that no longer count.
func (l *rateLimiter) due(now time.Time) time.Time {
	old := now.Add(-l.Per)
	l.starts = slices.DeleteFunc(l.starts, func(start time.Time) bool { return !start.After(old) })
	if len(l.starts) < l.Requests {
		return time.Time{}
	}
	return l.starts[len(l.starts)-l.Requests].Add(l.Per)
}

// pace waits for the pacer. It is below the cache, because cached responses do not count,
// and above the steps that depend on the time of sending.
type pace struct {
	next  step
	pacer *pacer
}

func (t *pace) do(ctx context.Context, x *call) (*Response, error) {
	if err := t.pacer.admit(ctx, x); err != nil {
		return nil, err
	}
	return t.next.do(ctx, x)
}
