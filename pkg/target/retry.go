package target

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// retry repeats an exchange whose status or network error is one of those the
// configuration lists. Each hop of a redirect and each login has its own count.
type retry struct {
	next   http.RoundTripper
	policy config.Retry
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
		if reason == "" || attempt > t.policy.MaxRetries || req.Context().Err() != nil {
			return res, err
		}
		wait, asked := t.wait(res, attempt)
		if res != nil {
			if err := res.Body.Close(); err != nil {
				return nil, err
			}
		}
		if err := t.budget.check(); err != nil {
			return nil, err // there is nothing to wait for
		}
		t.tell(req, attempt, reason, wait)
		if err := t.rest(req.Context(), wait, asked, reason); err != nil {
			return nil, err
		}
	}
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
func (t *retry) rest(ctx context.Context, wait time.Duration, asked bool, reason string) error {
	defer event.Pause(ctx, reason, wait)()
	if asked {
		return t.pacer.rest(ctx, wait)
	}
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

// maxDoublings keeps the exponential delay within a time.Duration.
const maxDoublings = 32

// wait is the delay before the next attempt: what the answer asks for, else
// 1 s, 2 s, 4 s and so on. asked tells that the API wants fewer requests, not
// just this one again.
func (t *retry) wait(res *http.Response, attempt int) (wait time.Duration, asked bool) {
	if res != nil {
		if wait, ok := retryAfter(strings.Join(res.Header.Values(t.policy.Header), ", "), t.now()); ok {
			return wait, true
		}
		asked = res.StatusCode == http.StatusTooManyRequests
	}
	return time.Second << min(attempt-1, maxDoublings), asked
}

// retryAfter reads the header that tells a delay: seconds, the Unix time of the
// next allowed request (a number from yesterday on), or an RFC 1123 date. What
// is over already asks for none; exactly 0 is no answer.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	const day = 24 * 60 * 60
	seconds, ok := value.OfString(text).Int()
	if ok && seconds >= now.Unix()-day {
		seconds -= now.Unix()
	}
	for _, layout := range []string{http.TimeFormat, time.RFC1123Z} {
		if at, err := time.Parse(layout, text); err == nil {
			seconds, ok = at.Unix()-now.Unix(), true
		}
	}
	seconds = min(max(seconds, -1), math.MaxInt32) // as a Duration it must not overflow
	return max(0, time.Duration(seconds)*time.Second), ok && seconds != 0
}

// attempt is the number of the attempt a request belongs to.
func attempt(ctx context.Context) int {
	n, _ := ctx.Value(attemptKey{}).(int)
	return n
}
