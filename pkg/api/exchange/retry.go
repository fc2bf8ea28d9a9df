package exchange

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// retry repeats an exchange whose status or network error is one of those the
// configuration lists. Each hop of a redirect and each login has its own count.
// How long it waits is in retrywait.go.
type retry struct {
	next   http.RoundTripper
	policy config.Retry
	first  firstContact
	// spread asks for random times on top of computed waits, read from random.
	spread bool
	random io.Reader
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	log    *event.Log
	pacer  *Pacer
	stats  *Stats
	budget *Budget
}

var _ http.RoundTripper = (*retry)(nil)

// attemptKey carries the number of the attempt, from 1, to the log.
type attemptKey struct{}

// RoundTrip implements http.RoundTripper.
func (t *retry) RoundTrip(req *http.Request) (*http.Response, error) {
	start := t.now()
	for attempt := 1; ; attempt++ {
		// Here, too, not only below: what is signed now should leave now.
		if err := t.pacer.ready(req.Context()); err != nil {
			return nil, err
		}
		try, err := fresh(context.WithValue(req.Context(), attemptKey{}, attempt), req)
		if err != nil {
			return nil, err
		}
		res, err := t.next.RoundTrip(try)
		reason := t.reason(res, err)
		final := reason == "" || attempt > t.policy.MaxRetries || req.Context().Err() != nil
		var d delay
		if !final {
			var refused error
			if d, refused = t.delay(res, attempt); refused != nil {
				if err := closeBody(res); err != nil {
					return nil, err
				}
				return nil, refused
			}
		}
		if t.first.failed(req, err) {
			passed := t.now().Sub(start)
			if final || t.first.over(attempt, passed+d.wait+d.spread) {
				return nil, t.first.explain(req, err, attempt, passed)
			}
		}
		if final {
			return res, err
		}
		if err := t.again(req, res, attempt, reason, d); err != nil {
			return nil, err
		}
	}
}

// again closes an answer and waits for the next attempt.
func (t *retry) again(req *http.Request, res *http.Response, attempt int, reason string, d delay) error {
	if err := closeBody(res); err != nil {
		return err
	}
	if err := t.budget.check(); err != nil {
		return err // there is nothing to wait for
	}
	t.tell(req, attempt, reason, d.wait+d.spread)
	return t.rest(req.Context(), d, reason)
}

// closeBody closes an answer, where there is one.
func closeBody(res *http.Response) error {
	if res == nil {
		return nil
	}
	return res.Body.Close()
}

func (t *retry) tell(req *http.Request, attempt int, reason string, wait time.Duration) {
	sender := senderOf(req.Context())
	t.log.Emit(event.RequestRetried{
		Method:      req.Method,
		Path:        masked(req, t.log).Path,
		Retry:       attempt,
		Reason:      reason,
		WaitSeconds: wait.Seconds(),
		Job:         sender.Job,
		JobPointer:  sender.Pointer,
		Iteration:   sender.Iteration,
	})
}

// rest waits. What the API asked for is meant for all requests.
func (t *retry) rest(ctx context.Context, d delay, reason string) error {
	defer event.Pause(ctx, reason, d.wait+d.spread)()
	if !d.everybody {
		return t.pause(ctx, d.wait+d.spread)
	}
	if err := t.pacer.rest(ctx, d.wait); err != nil || d.spread == 0 {
		return err
	}
	// Those who are held back go on at one moment, the last one of them. What is
	// on top for each follows then.
	for {
		if err := t.pacer.ready(ctx); err != nil {
			return err
		}
		if err := t.pause(ctx, d.spread); err != nil || !t.pacer.holds() {
			return err
		}
	}
}

// pause waits, and nobody else does.
func (t *retry) pause(ctx context.Context, wait time.Duration) error {
	t.stats.Waited.Add(int64(wait))
	return t.sleep(ctx, wait)
}

// reason says why an exchange is to be repeated, "" when it is not. An error that
// only wraps a network error is that of a login, which had retries of its own.
func (t *retry) reason(res *http.Response, err error) string {
	if err != nil {
		if n, ok := err.(*networkError); ok && slices.Contains(t.policy.NetworkCodes, n.code) {
			return n.Error()
		}
		return ""
	}
	if slices.Contains(t.policy.Codes, res.StatusCode) {
		return "status " + strings.TrimSpace(res.Status)
	}
	return ""
}

// attempt is the number of the attempt a request belongs to.
func attempt(ctx context.Context) int {
	n, _ := ctx.Value(attemptKey{}).(int)
	return n
}
