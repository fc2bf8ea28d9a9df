package httpclient

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// authenticate adds credentials to every attempt on the origin of the request. After a
// 401 it renews the credentials, if they can be renewed, and repeats the request. A
// second 401 is final. A 401 does not count if another request has replaced the
// credentials meanwhile.
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
		if err != nil || !ok || res.Status != http.StatusUnauthorized {
			return res, err
		}
		if renewing {
			t.refusals.Add(1)
			return res, nil
		}
		if !renewer.Revoked(ctx, sent) {
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
			}
		}
		if err := res.Body.Close(); err != nil {
			return nil, err
		}
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
