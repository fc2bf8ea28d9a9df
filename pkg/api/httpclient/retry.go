package httpclient

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// retry repeats a request with a status or network error that `retryConfig` lists, or
// that a rule repeats. Rules decide first, see rules.go. Each hop of a redirect and each
// login has its own count of attempts. The waits are in retrywait.go.
type retry struct {
	next Step
	*Options
}

func (t *retry) Do(ctx context.Context, x *Call) (*Response, error) {
	start, first := t.Now(), unreachedLimits{t.contacts, t.API, t.BaseURL}
	poll := polling{began: start}
	for attempt := 1; ; attempt++ {
		// The step pace waits for a pause, too. Waiting here keeps signatures and tokens
		// fresh.
		if err := t.pacer.awaitResume(ctx, x.Sender); err != nil {
			return nil, err
		}
		try := *x
		try.Attempt = attempt
		res, err := t.next.Do(ctx, &try)
		decision, ended := t.decide(&try, res)
		if ended != nil {
			return nil, ended
		}
		if decision.Is(rule.Accept, rule.Skip, rule.Restart) {
			res.Decision = decision
			return res, nil
		}
		if decision.Is(rule.Poll) {
			if err := t.poll(ctx, &try, res, decision, &poll); err != nil {
				return nil, err
			}
			attempt = 0 // each poll has retries of its own
			continue
		}
		reason := t.reason(res, err, decision)
		final := reason == "" || attempt > t.API.Retry.MaxRetries || ctx.Err() != nil
		var d delay
		if !final {
			var refused error
			if d, refused = t.delay(res, decision, attempt); refused != nil {
				return nil, cmp.Or(res.close(), refused)
			}
		}
		if first.failed(x, err) {
			passed := t.Now().Sub(start)
			if final || first.over(attempt, passed+d.wait+d.jitter) {
				return nil, first.explain(x, err, attempt, passed)
			}
		}
		if final {
			return t.finalResponse(ctx, res, err, decision, reason != "", attempt, t.Now().Sub(start))
		}
		if err := t.prepareRetry(ctx, &try, res, reason, d); err != nil {
			return nil, err
		}
	}
}

func (t *retry) prepareRetry(ctx context.Context, x *Call, res *Response, reason string, d delay) error {
	if err := res.close(); err != nil {
		return err
	}
	if err := t.runLimits.check(); err != nil {
		return err // waiting would be useless
	}
	wait := d.wait + d.jitter
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
	return t.waitBeforeRetry(ctx, x, d)
}

// waitBeforeRetry waits before a retry. If the API requested the wait, all requests wait.
func (t *retry) waitBeforeRetry(ctx context.Context, x *Call, d delay) error {
	if !d.pauseAll {
		return t.sleep(ctx, d.wait+d.jitter)
	}
	if err := t.pacer.pauseAll(ctx, d.wait); err != nil || d.jitter == 0 {
		return err
	}
	// All paused requests continue at the same time. The jitter of each wait then spreads
	// them.
	for {
		if err := t.pacer.awaitResume(ctx, x.Sender); err != nil {
			return err
		}
		if err := t.sleep(ctx, d.jitter); err != nil || !t.pacer.paused() {
			return err
		}
	}
}

// sleep waits without pausing other requests.
func (t *retry) sleep(ctx context.Context, wait time.Duration) error {
	t.Stats.Waited.Add(int64(wait))
	return t.Sleep(ctx, wait)
}

// reason returns the reason to repeat a request, or "" to return the response or the
// error. An error that wraps a network error comes from a login, which had its own
// retries.
func (t *retry) reason(res *Response, err error, decision *rule.Decision) string {
	if err != nil {
		if n, ok := err.(*networkError); ok && slices.Contains(t.API.Retry.NetworkCodes, n.code) {
			return n.Error()
		}
		return ""
	}
	if decision != nil {
		return t.ruleReason(res, decision)
	}
	if slices.Contains(t.API.Retry.Codes, res.Status) {
		return "status " + strings.TrimSpace(res.StatusLine)
	}
	return ""
}
