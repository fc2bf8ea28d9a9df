package target

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// retry repeats an exchange whose status or network error is one of those the
// configuration lists. Each hop of a redirect and each login has its own count.
type retry struct {
	next   http.RoundTripper
	policy config.Retry
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	log    *event.Log
}

var _ http.RoundTripper = (*retry)(nil)

// attemptKey carries the number of the attempt, from 1, to the log.
type attemptKey struct{}

// RoundTrip implements http.RoundTripper.
func (t *retry) RoundTrip(req *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		try := req.Clone(context.WithValue(req.Context(), attemptKey{}, attempt))
		if req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			try.Body = body
		}
		res, err := t.next.RoundTrip(try)
		reason := t.reason(res, err)
		if reason == "" || attempt > t.policy.MaxRetries || req.Context().Err() != nil {
			return res, err
		}
		wait := t.wait(res, attempt)
		if res != nil {
			if err := res.Body.Close(); err != nil {
				return nil, err
			}
		}
		t.log.Emit(event.RequestRetried{Method: req.Method, Path: req.URL.EscapedPath(), Retry: attempt, Reason: reason, WaitSeconds: wait.Seconds()})
		if err := t.sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// reason says why an exchange is to be repeated, "" when it is not.
func (t *retry) reason(res *http.Response, err error) string {
	if err != nil {
		if n, ok := asNetworkError(err); ok && slices.Contains(t.policy.NetworkCodes, n.code) {
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
// 1 s, 2 s, 4 s and so on.
func (t *retry) wait(res *http.Response, attempt int) time.Duration {
	exponential := time.Second << min(attempt-1, maxDoublings)
	if res == nil {
		return exponential
	}
	wait, ok := retryAfter(strings.Join(res.Header.Values(t.policy.Header), ", "), t.now())
	if !ok || wait == 0 {
		return exponential
	}
	return max(wait, 0)
}

// retryAfter reads the header that tells a delay: seconds, the Unix time of the
// next allowed request, or an RFC 1123 date.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(f) && math.Abs(f) < math.MaxInt32*1000 {
		seconds := int64(f)
		if seconds >= now.Unix()-86400 {
			seconds -= now.Unix()
		}
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second, true
	}
	for _, layout := range []string{time.RFC1123, time.RFC1123Z} {
		if at, err := time.Parse(layout, text); err == nil {
			return time.Duration(at.Unix()-now.Unix()) * time.Second, true
		}
	}
	return 0, false
}

// attempt is the number of the attempt a request belongs to.
func attempt(ctx context.Context) int {
	n, _ := ctx.Value(attemptKey{}).(int)
	return n
}
