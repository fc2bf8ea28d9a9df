package exchange

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
)

// retry repeats an exchange whose status or network error is one of those the
// configuration lists. Each hop of a redirect and each login has its own count.
// How long it waits is in retrywait.go.
type retry struct {
	next Step
	*Options
}

func (t *retry) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	start, first := t.Now(), firstContact{t.contacts, t.API, t.BaseURL}
	for attempt := 1; ; attempt++ {
		// Here, too, not only below: what is signed now should leave now.
		if err := t.pacer.ready(ctx, x.Sender); err != nil {
			return nil, err
		}
		try := *x
		try.Attempt = attempt
		res, err := t.next.Do(ctx, &try)
		reason := t.reason(res, err)
		final := reason == "" || attempt > t.API.Retry.MaxRetries || ctx.Err() != nil
		var d delay
		if !final {
			var refused error
			if d, refused = t.delay(res, attempt); refused != nil {
				return nil, cmp.Or(res.close(), refused)
			}
		}
		if first.failed(x, err) {
			passed := t.Now().Sub(start)
			if final || first.over(attempt, passed+d.wait+d.spread) {
				return nil, first.explain(x, err, attempt, passed)
			}
		}
		if final {
			return res, err
		}
		if err := t.again(ctx, &try, res, reason, d); err != nil {
			return nil, err
		}
	}
}

func (t *retry) again(ctx context.Context, x *Exchange, res *Answer, reason string, d delay) error {
	if err := res.close(); err != nil {
		return err
	}
	if err := t.budget.check(); err != nil {
		return err // there is nothing to wait for
	}
	wait := d.wait + d.spread
	t.Log.Emit(event.RequestRetried{
		Method:      x.Method,
		Path:        t.Secrets.RedactAddress(x.URL, x.Sensitive).Path,
		Retry:       x.Attempt,
		Reason:      reason,
		WaitSeconds: wait.Seconds(),
		Job:         x.Sender.Job,
		JobPointer:  x.Sender.Pointer,
		Iteration:   x.Sender.Iteration,
	})
	defer x.Sender.Live.Pause(reason, wait)()
	return t.rest(ctx, x, d)
}

// rest waits. What the API asked for is meant for all requests.
func (t *retry) rest(ctx context.Context, x *Exchange, d delay) error {
	if !d.everybody {
		return t.pause(ctx, d.wait+d.spread)
	}
	if err := t.pacer.rest(ctx, d.wait); err != nil || d.spread == 0 {
		return err
	}
	// Those who are held back go on at one moment, the last one of them. What is
	// on top for each follows then.
	for {
		if err := t.pacer.ready(ctx, x.Sender); err != nil {
			return err
		}
		if err := t.pause(ctx, d.spread); err != nil || !t.pacer.holds() {
			return err
		}
	}
}

// pause waits, and no one else does.
func (t *retry) pause(ctx context.Context, wait time.Duration) error {
	t.Stats.Waited.Add(int64(wait))
	return t.Sleep(ctx, wait)
}

// reason says why an exchange is to be repeated, "" when it is not. An error that
// only wraps a network error is that of a login, which had retries of its own.
func (t *retry) reason(res *Answer, err error) string {
	if err != nil {
		if n, ok := err.(*networkError); ok && slices.Contains(t.API.Retry.NetworkCodes, n.code) {
			return n.Error()
		}
		return ""
	}
	if slices.Contains(t.API.Retry.Codes, res.Status) {
		return "status " + strings.TrimSpace(res.StatusLine)
	}
	return ""
}
