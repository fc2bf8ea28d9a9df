package httpclient

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// retry repeats a request with a status or network error that `retryConfig` lists, or
// that a rule repeats. Rules decide first, see rules.go. Each hop of a redirect and each
// login has its own count of attempts.
type retry struct {
	next step
	*Options
}

func (t *retry) do(ctx context.Context, x *call) (*Response, error) {
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
		res, err := t.next.do(ctx, &try)
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
			attempt = 0 // each poll has retries and a new login of its own
			x.renewal.reset()
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
			if final || attempt >= maxUnreachedAttempts || passed+d.wait+d.jitter > maxUnreachedTime {
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

func (t *retry) prepareRetry(ctx context.Context, x *call, res *Response, reason string, d delay) error {
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
func (t *retry) waitBeforeRetry(ctx context.Context, x *call, d delay) error {
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
		reason := "status " + res.status() + ", retried by a rule"
		if says := t.ruleMessage(decision); says != "" {
			reason += ": " + says
		}
		return reason
	}
	if slices.Contains(t.API.Retry.Codes, res.Status) {
		return "status " + strings.TrimSpace(res.StatusLine)
	}
	return ""
}

type delay struct {
	wait time.Duration
	// jitter is an additional random wait of this request alone.
	jitter time.Duration
	// pauseAll is true if all requests wait, not only this one.
	pauseAll bool
}

// maxDoublings prevents an overflow of the exponential backoff.
const maxDoublings = 32

// delay returns the wait before a retry: the wait of the rule or the wait that the
// response requests, otherwise 1 s, 2 s, 4 s and so on, plus jitter if requests are sent
// in parallel. A wait of a rule or of a header that exceeds `retryConfig.maxWait` is a
// user error.
func (t *retry) delay(res *Response, decision *rule.Decision, attempt int) (d delay, err error) {
	if d, ok, err := t.ruleDelay(res, decision); ok {
		return d, err
	}
	if res != nil {
		header := strings.Join(res.Header.Values(t.API.Retry.Header), ", ")
		if seconds, ok := retryAfter(header, t.Now()); ok {
			if seconds > int64(t.API.Retry.MaxWait/time.Second) {
				return d, t.tooLong(res, header, seconds)
			}
			return delay{wait: time.Duration(max(0, seconds)) * time.Second, pauseAll: true}, nil
		}
		d.pauseAll = res.Status == http.StatusTooManyRequests
	}
	d.wait = min(time.Second<<min(attempt-1, maxDoublings), t.API.Retry.MaxWait)
	// Requests must be sent in parallel, which a run with limits does not do. A recording
	// has no jitter, because a replay must be able to repeat its waits.
	if t.API.Concurrency > 1 && t.runLimits == nil && t.Recorder == nil && t.Player == nil {
		random, err := t.Random(8, "the wait before a retry")
		if err != nil {
			return d, err
		}
		d.jitter = min(jitter(random, d.wait), t.API.Retry.MaxWait-d.wait)
	}
	return d, nil
}

func (t *retry) tooLong(res *Response, header string, seconds int64) error {
	const day, mostShown = 24 * 60 * 60, 60
	if len(header) > mostShown {
		header = "…" // the rest may end with half of a secret, which is not masked
	}
	in := textfmt.Count(int(seconds), "second")
	if seconds >= 2*day {
		in += fmt.Sprintf(" (%d days)", seconds/day)
	}
	return failure.Userf("[%d] %s returned %s and the header '%s: %s', which requires a wait of %s; 'api.retryConfig.maxWait' allows %s: raise it to wait that long, or run again later",
		res.Status, res.Address(), strings.TrimSpace(res.StatusLine), t.API.Retry.Header, header, in,
		textfmt.Seconds(t.API.Retry.MaxWait.Seconds()))
}

// retryAfter reads the value of the header that requests a wait. The value is a number of
// seconds, the Unix time of the next allowed request (a number from yesterday on), or an
// RFC 1123 date. A time in the past returns a negative number. ok is false if the value
// is 0 or not readable.
func retryAfter(text string, now time.Time) (seconds int64, ok bool) {
	const day = 24 * 60 * 60
	if seconds, ok = value.OfString(text).Nearest(); ok && seconds >= now.Unix()-day {
		seconds -= now.Unix()
	}
	for _, layout := range []string{http.TimeFormat, time.RFC1123Z} {
		if at, err := time.Parse(layout, text); err == nil {
			seconds, ok = at.Unix()-now.Unix(), true
		}
	}
	return seconds, ok && seconds != 0
}

// jitter returns a random part of a wait, between 10 % and 100 %. Requests that failed
// together are then not repeated together.
func jitter(random []byte, wait time.Duration) time.Duration {
	part := 0.1 + 0.9*float64(binary.BigEndian.Uint64(random))/math.MaxUint64
	return time.Duration(part * float64(wait)).Round(time.Millisecond)
}
