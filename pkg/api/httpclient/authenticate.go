package httpclient

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
)

// authenticate adds credentials to every attempt on the origin of the request. After a
// 401, or a response with a rule that has the action login, it renews the credentials, if
// they can be renewed, and repeats the request. A second refusal is final. A refusal does
// not count if another request has replaced the credentials meanwhile.
//
// A rule renews once for each request, with its attempts and redirects, and only if no 401
// has done so before. A 401 renews once for each attempt, unless a rule has renewed.
//
// One request renews at a time. If the API also refuses the new credentials, their
// refusal is final for all requests that were in flight then. So the number of refused
// logins exceeds the number of requests in flight by at most one.
type authenticate struct {
	next  step
	auth  auth.Authenticator
	login func(context.Context, *call, config.RequestSpec) (auth.LoginResponse, error)
	o     *Options

	// turn is held by the request that renews, until the response to its new credentials.
	// refusals counts new credentials that were refused.
	turn     chan struct{}
	refusals atomic.Int64
}

func (t *authenticate) do(ctx context.Context, x *call) (*Response, error) {
	if x.withoutCredentials() || x.forLogin {
		return t.next.do(ctx, x)
	}
	renewer, ok := t.auth.(auth.Renewer)
	refusals, renewing := t.refusals.Load(), false
	release := func() {
		if renewing {
			<-t.turn
			renewing = false
		}
	}
	defer release()
	for {
		res, sent, err := t.once(ctx, x)
		if err != nil || !ok {
			return res, err
		}
		by, refused := t.refusal(x, res)
		if !refused {
			return res, nil
		}
		if res.fromCache { // an earlier run sent the request, with other credentials
			if err := cmp.Or(res.EvictFromCache(), res.Body.Close()); err != nil {
				return nil, err
			}
			continue
		}
		if renewing {
			t.refusals.Add(1)
			return res, nil
		}
		if !renewer.Revoked(ctx, sent) {
			if !x.renewal.allows(by) {
				return res, nil
			}
			if renewing = t.enter(ctx); !renewing {
				return nil, errors.Join(ctx.Err(), res.Body.Close())
			}
			// Another request may have renewed while this one waited.
			switch {
			case t.refusals.Load() != refusals:
				return res, nil
			case renewer.Revoked(ctx, sent):
				release()
			default:
				renewer.Renew(sent)
				x.renewal.note(by)
				t.report(x, res, by)
			}
		}
		if err := cmp.Or(res.EvictFromCache(), res.Body.Close()); err != nil {
			return nil, err
		}
	}
}

// refusal reports whether a response refuses the credentials of its request: by its status,
// or by a rule, which is then the decision.
func (t *authenticate) refusal(x *call, res *Response) (by *rule.Decision, refused bool) {
	if res.Status == http.StatusUnauthorized {
		return nil, true
	}
	if t.o.DryRun != nil || !x.Sender.Rules.Has(rule.LogIn) && !t.o.Settings.Rules.Has(rule.LogIn) {
		return nil, false
	}
	d, err := t.o.firstRule(x, res)
	return d, err == nil && d.Is(rule.LogIn) // the step retry returns the error
}

// report emits an event before the new login that a rule demands.
func (t *authenticate) report(x *call, res *Response, by *rule.Decision) {
	if by == nil {
		return
	}
	t.o.Log.Emit(event.LoginRepeated{
		Method:     x.Method,
		Path:       t.o.Secrets.RedactAddress(x.URL, x.Sensitive).Path,
		Status:     res.Status,
		Text:       t.o.ruleMessage(by),
		Pointer:    by.Pointer,
		Job:        x.Sender.Job,
		JobPointer: x.Sender.Pointer,
		Iteration:  x.Sender.Iteration,
	})
}

// renewal notes that one request has renewed the credentials: at all, and by a rule. A nil
// renewal allows everything.
type renewal struct{ any, byRule bool }

func (r *renewal) allows(by *rule.Decision) bool {
	return r == nil || !r.byRule && (by == nil || !r.any)
}

func (r *renewal) note(by *rule.Decision) {
	if r != nil {
		r.any, r.byRule = true, r.byRule || by != nil
	}
}

func (r *renewal) reset() {
	if r != nil {
		*r = renewal{}
	}
}

// enter waits for turn. It returns false if the context has ended.
func (t *authenticate) enter(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case t.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// once sends the request with credentials. It logs in first if necessary.
func (t *authenticate) once(ctx context.Context, x *call) (*Response, *auth.Attempt, error) {
	sent := x.clone()
	if t.o.Recorder != nil {
		sent.logins = &loginRecord{recorder: t.o.Recorder, spooler: t.o.spooler}
	}
	attempt := &auth.Attempt{Request: sent.Request, Needed: x.Sender.Needed, Login: func(ctx context.Context, r config.RequestSpec) (auth.LoginResponse, error) {
		return t.login(ctx, sent, r)
	}}
	err := t.auth.Authenticate(ctx, attempt)
	if unwritten := sent.logins.write(err); unwritten != nil {
		err = errors.Join(err, unwritten)
	}
	if err != nil {
		return nil, nil, err
	}
	sent.logins = nil
	res, err := t.next.do(ctx, sent)
	return res, attempt, err
}
