package httpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// decide returns the decision of the first rule that matches a response, or nil if no
// rule matches. It returns an error and closes the response if the rule fails the request
// or cannot be applied.
//
// A response that is not used as data is removed from the cache, so that it is requested
// again.
func (t *retry) decide(x *call, res *Response) (*rule.Decision, error) {
	if res == nil {
		return nil, nil
	}
	d, err := t.firstRule(x, res)
	if e, ok := errors.AsType[*failure.Error](err); ok {
		err = failure.Wrap(fmt.Sprintf("a rule about the response to %s cannot be applied", res.Address()), "", e)
	}
	if err == nil && d != nil {
		err = t.discardRejected(x, res, d)
	}
	if err == nil && d.Is(rule.Fail) {
		err = t.ruleError(res, d, "is an error")
	}
	if err == nil && d.Is(rule.LogIn) {
		err = t.ruleError(res, d, "says that the credentials have ended, after a new login too: check that they are valid for this request, and that the rule only matches responses about ended credentials")
	}
	if err != nil {
		return nil, cmp.Or(err, res.close())
	}
	return d, nil
}

// ruling is the result of the rules for one response.
type ruling struct {
	decision *rule.Decision
	err      error
}

// firstRule returns the decision of the first rule that matches a response, or nil. It
// reads the body once, although the steps authenticate and retry both need the decision.
func (o *Options) firstRule(x *call, res *Response) (*rule.Decision, error) {
	if res.ruling == nil {
		lists := []rule.List{x.Sender.Rules, o.Settings.Rules}
		if x.forLogin {
			lists = []rule.List{o.Settings.LoginRules}
		}
		d, err := rule.Decide(rule.Response{Status: res.Status, Header: res.Header, Body: res.Body, Anonymous: x.withoutCredentials()}, o.Now(), lists...)
		res.ruling = &ruling{d, err}
	}
	return res.ruling.decision, res.ruling.err
}

// discardRejected removes a response that is not used as data from the cache. For a login
// it registers the secrets in the body, as registerLoginSecrets does for an error status.
func (t *retry) discardRejected(x *call, res *Response, d *rule.Decision) error {
	switch {
	case x.forLogin && d.Is(rule.Accept):
		x.logins.markSecretsKnown() // the authentication registers them
		return nil
	case d.Is(rule.Accept):
		return nil
	case !x.forLogin:
		return res.EvictFromCache()
	}
	body, err := res.errorBody()
	if err == nil {
		auth.RegisterRefusedSecrets(t.Secrets, body, t.Settings.LoginRules.PathTexts())
		x.logins.markSecretsKnown()
	}
	return err
}

// polling counts the requests for a response that is not ready.
type polling struct {
	began time.Time
	polls int
}

// poll waits until a response that is not ready may be requested again. Other requests
// continue meanwhile. It closes the response.
func (t *retry) poll(ctx context.Context, x *call, res *Response, d *rule.Decision, p *polling) error {
	p.polls++
	wait, err := t.pollWait(res, d, p)
	says := t.ruleMessage(d)
	reason := "status " + res.status()
	if err = cmp.Or(err, res.close(), ctx.Err()); err != nil {
		return err
	}
	if err := t.runLimits.check(); err != nil {
		return err // waiting would be useless
	}
	t.Log.Emit(event.JobWaiting{
		Method:      x.Method,
		Path:        t.Secrets.RedactAddress(x.URL, x.Sensitive).Path,
		Asked:       p.polls,
		Reason:      reason,
		Text:        says,
		WaitSeconds: wait.Seconds(),
		Login:       x.forLogin,
		Pointer:     d.Pointer,
		Job:         x.Sender.Job,
		JobPointer:  x.Sender.Pointer,
		Iteration:   x.Sender.Iteration,
	})
	defer x.Sender.Live.Pause(reason+", not ready", wait)()
	wait, cut := t.runLimits.within(wait)
	resume := func() error { return nil }
	if yieldSlot := x.Sender.YieldSlot; yieldSlot != nil && !x.forLogin { // a login keeps its slot, because requests in flight wait for it
		resume = yieldSlot()
	}
	if err := cmp.Or(t.sleep(ctx, wait), cut); err != nil {
		return err
	}
	return resume()
}

// minStatedWait is the shortest wait between polls if the response states the wait.
const minStatedWait = time.Second

// pollWait returns the wait before the next poll. A wait beyond the limits is a user
// error.
func (t *retry) pollWait(res *Response, d *rule.Decision, p *polling) (time.Duration, error) {
	wait := min(rule.DefaultPoll, d.Timeout) // allows at least one more request
	if d.Wait.Known {
		wait = field.Duration(d.Wait.Seconds)
		if d.Wait.From != "" {
			wait = max(wait, minStatedWait)
		}
	}
	passed := t.Now().Sub(p.began)
	switch {
	case d.Wait.From != "" && wait > d.Timeout:
		return 0, t.waitsTooLong(res, d, "'timeout' of the rule", d.Timeout)
	case wait > d.Timeout-passed:
		return 0, t.ruleError(res, d, fmt.Sprintf("is not ready after %s; it was requested %s, and 'timeout' of the rule allows %s: raise it to wait longer, or run again later",
			textfmt.Seconds(passed.Round(time.Second).Seconds()), textfmt.Count(p.polls, "time"), textfmt.Seconds(d.Timeout.Seconds())))
	case wait > t.API.Retry.MaxWait:
		return 0, t.waitsTooLong(res, d, "'api.retryConfig.maxWait'", t.API.Retry.MaxWait)
	}
	return wait, nil
}

// ruleDelay returns the wait of a rule before a retry. ok is false if the rule has no
// wait, or its wait is not in the response.
func (t *retry) ruleDelay(res *Response, d *rule.Decision) (_ delay, ok bool, err error) {
	if d == nil || !d.Wait.Known {
		return delay{}, false, nil
	}
	wait := field.Duration(d.Wait.Seconds)
	if wait > t.API.Retry.MaxWait {
		return delay{}, true, t.waitsTooLong(res, d, "'api.retryConfig.maxWait'", t.API.Retry.MaxWait)
	}
	return delay{wait: wait, pauseAll: d.Wait.From != "" || res.Status == http.StatusTooManyRequests}, true, nil
}

// finalResponse returns the result of an exchange that is not repeated. listed is true if
// there was a reason to retry. If a rule wants a retry, the result is an error.
func (t *retry) finalResponse(ctx context.Context, res *Response, err error, d *rule.Decision, listed bool, attempt int, passed time.Duration) (*Response, error) {
	if err == nil && listed {
		res.tried, res.passed = attempt, passed
	}
	if d == nil || err != nil {
		return res, err
	}
	if ctx.Err() != nil {
		return nil, cmp.Or(ctx.Err(), res.close())
	}
	ended := t.ruleError(res, d, fmt.Sprintf("should be retried; it was tried %s, and 'api.retryConfig.maxRetries' allows no more", attempts(attempt)))
	return nil, cmp.Or(ended, res.close())
}

func attempts(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// ruleError returns the user error for a response that a rule rejects. what is the
// predicate of its sentence.
func (t *retry) ruleError(res *Response, d *rule.Decision, what string) error {
	e := failure.Userf("[%d] %s returned %s; according to a rule it %s", res.Status, res.Address(), res.status(), what)
	if says := cmp.Or(t.ruleMessage(d), messageOf(res, t.Secrets)); says != "" {
		e.Message += ": " + says
	}
	return e.At(d.Pointer)
}

func (t *retry) waitsTooLong(res *Response, d *rule.Decision, limit string, allowed time.Duration) error {
	return failure.Userf("[%d] %s returned %s and %s, which requires a wait of %s; %s allows %s: raise it to wait that long, or run again later",
		res.Status, res.Address(), res.status(), d.Wait.From, longWait(d.Wait.Seconds), limit, textfmt.Seconds(allowed.Seconds())).At(d.Pointer)
}

func longWait(seconds float64) string {
	const day, century = 24 * 60 * 60, 100 * 365 * 24 * 60 * 60
	switch {
	case seconds >= century:
		return "more than a hundred years"
	case seconds >= 2*day:
		return fmt.Sprintf("%.0f seconds (%.0f days)", seconds, math.Floor(seconds/day))
	default:
		return textfmt.Seconds(seconds)
	}
}

// ruleMessage returns the text that the `message` of a rule reads from the response,
// masked and cut to one short line.
func (s *Shared) ruleMessage(d *rule.Decision) string {
	text := s.Secrets.Mask(printable(d.Message))
	if len(d.Message) == rule.MostMessage {
		text = text[:len(text)/2] // the cut text may end with half of a secret, which is not masked
	}
	return shortMessage(text, s.Secrets)
}

// RuleMessage returns the message of the API in a response that a rule accepts or drops.
func (c *Client) RuleMessage(res *Response) string {
	if res.Decision == nil {
		return ""
	}
	return c.o.ruleMessage(res.Decision)
}
