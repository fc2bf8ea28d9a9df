package exchange

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// Pacer decides when a request may be sent. One pacer serves all requests to
// the API, those of all clients of a run: it keeps below `api.http.rateLimit`,
// and while one request waits because the API asked for patience no other is
// sent.
type Pacer struct {
	limit config.RateLimit
	stats *Stats
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	// turn is held by the request that is the next to be counted; starts are
	// those of the last span, the oldest first.
	turn   chan struct{}
	starts []time.Time

	mu      sync.Mutex
	patient int           // requests that wait as the API asked
	resume  chan struct{} // closed when none does any more; nil while none does
	// until is when the API may be asked again, though no one waits for it: who did
	// was broken off.
	until time.Time
}

// newPacer makes the pacer of a run, which adds its waits to the statistics.
func newPacer(l config.RateLimit, stats *Stats, now func() time.Time, sleep func(context.Context, time.Duration) error) *Pacer {
	return &Pacer{limit: l, stats: stats, now: now, sleep: sleep, turn: make(chan struct{}, 1)}
}

// rest waits for some time, in which all other requests are held back. When it is
// broken off, the next request waits for what is left of it.
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

// sit waits until some time and then lets the requests go that are held back.
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

// patience is what a request has to wait for: others that wait, or a time that
// no one waits for any more. It then holds all others back and has to sit.
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

// pass waits until the next request may be sent, and counts it. Requests pass
// one by one, so that only one of them waits for the clock.
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
		start = due // the clock may be a little behind the sleep
	}
	p.starts = append(p.starts, start)
	return nil
}

// due is when the limit allows one more request. Starts that count no more are
// forgotten.
func (p *Pacer) due() time.Time {
	old := p.now().Add(-p.limit.Per)
	p.starts = slices.DeleteFunc(p.starts, func(start time.Time) bool { return !start.After(old) })
	if len(p.starts) < p.limit.Requests {
		return time.Time{}
	}
	return p.starts[len(p.starts)-p.limit.Requests].Add(p.limit.Per)
}

// pace lets the pacer decide when a request is sent. It stands below the cache,
// whose answers cost nothing, and above what depends on the time of sending.
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
