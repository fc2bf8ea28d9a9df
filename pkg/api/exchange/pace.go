package exchange

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// Pacer decides when a request may be sent. All clients of a run share one. It keeps
// to `api.http.rateLimit`, and sends no request while one waits because the API requested a pause.
type Pacer struct {
	limit config.RateLimit
	stats *Stats
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	// turn is held by the next request to be counted; starts are the times of those
	// sent within limit.Per, the oldest first.
	turn   chan struct{}
	starts []time.Time

	mu      sync.Mutex
	patient int           // requests that wait as the API asked
	resume  chan struct{} // closed when patient becomes 0; nil while it is 0
	// until is the end of a pause whose waiting request was cancelled.
	until time.Time
}

// newPacer makes the pacer of a run. It adds its waits to stats.
func newPacer(l config.RateLimit, stats *Stats, now func() time.Time, sleep func(context.Context, time.Duration) error) *Pacer {
	return &Pacer{limit: l, stats: stats, now: now, sleep: sleep, turn: make(chan struct{}, 1)}
}

// rest waits and holds back all other requests. If ctx ends first, the next request
// waits for the remaining time.
func (p *Pacer) rest(ctx context.Context, wait time.Duration) error {
	p.mu.Lock()
	p.hold()
	p.mu.Unlock()
	return p.sit(ctx, p.now().Add(wait), wait)
}

func (p *Pacer) hold() {
	if p.patient == 0 {
		p.resume = make(chan struct{})
	}
	p.patient++
}

// sit waits until a time and then releases the requests that are held back.
func (p *Pacer) sit(ctx context.Context, until time.Time, wait time.Duration) error {
	p.stats.Waited.Add(int64(wait))
	err := p.sleep(ctx, wait)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && until.After(p.until) {
		p.until = until
	}
	if p.patient--; p.patient == 0 {
		close(p.resume)
		p.resume = nil
	}
	return err
}

func (p *Pacer) holds() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resume != nil || p.until.After(p.now())
}

// ready waits while requests are held back.
func (p *Pacer) ready(ctx context.Context, sender Sender) error {
	for {
		held, until := p.patience()
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
			done := sender.Live.Pause("as the API asked another request", wait)
			err := p.sit(ctx, until, wait)
			done()
			if err != nil {
				return err
			}
		}
	}
}

// patience returns what a request has to wait for: the channel of a request that
// waits already, or the end of a pause. In the second case others are held back, and
// the caller must call sit.
func (p *Pacer) patience() (held chan struct{}, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resume != nil || !p.until.After(p.now()) {
		return p.resume, time.Time{}
	}
	until, p.until = p.until, time.Time{}
	p.hold()
	return nil, until
}

// pass waits until the next request may be sent, and counts it. With a rate limit
// requests pass one at a time.
func (p *Pacer) pass(ctx context.Context, x *Exchange) error {
	if p.limit.Requests == 0 {
		return p.ready(ctx, x.Sender)
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turn }()
	due := p.due()
	if wait := due.Sub(p.now()); wait > 0 {
		p.stats.Waited.Add(int64(wait))
		x.held += wait
		done := x.Sender.Live.Pause("api.http.rateLimit", wait)
		err := p.sleep(ctx, wait)
		done()
		if err != nil {
			return err
		}
	}
	if err := p.ready(ctx, x.Sender); err != nil {
		return err
	}
	start := p.now()
	if start.Before(due) {
		start = due // a sleep may end slightly early by this clock
	}
	p.starts = append(p.starts, start)
	return nil
}

// due is when the limit allows the next request. It removes starts that no longer
// count.
func (p *Pacer) due() time.Time {
	old := p.now().Add(-p.limit.Per)
	p.starts = slices.DeleteFunc(p.starts, func(start time.Time) bool { return !start.After(old) })
	if len(p.starts) < p.limit.Requests {
		return time.Time{}
	}
	return p.starts[len(p.starts)-p.limit.Requests].Add(p.limit.Per)
}

// pace waits for the pacer. It is below the cache, whose answers do not count, and
// above the steps that depend on the time of sending.
type pace struct {
	next  Step
	pacer *Pacer
}

func (t *pace) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	if err := t.pacer.pass(ctx, x); err != nil {
		return nil, err
	}
	return t.next.Do(ctx, x)
}
