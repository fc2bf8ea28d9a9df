package exchange

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
)

// authenticate adds credentials to every attempt that stays on the request's
// own origin. When the API answers 401 and the credentials can be renewed, that
// is done once and the request is repeated; a second 401 is final. A 401 to
// credentials that were given up meanwhile, because of another request, says
// nothing and does not count.
//
// One request renews at a time. When the API refuses new credentials too, it
// refuses them to all requests that were under way then, and none of these logs
// in again: so many logins as requests are under way, and one more, are enough to
// know that it does not want us.
type authenticate struct {
	next http.RoundTripper
	auth auth.Authenticator
	// logins begins to keep the logins of a request, and write ends it; nil when
	// nothing is recorded.
	logins func(context.Context) (ctx context.Context, write func(failed error) error)

	// turn is held by the request that renews, until its new credentials were
	// answered; refusals counts those that were refused.
	turn     chan struct{}
	refusals atomic.Int64
}

var _ http.RoundTripper = (*authenticate)(nil)

// RoundTrip implements http.RoundTripper.
func (t *authenticate) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if foreign(ctx) {
		return t.next.RoundTrip(req)
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
		res, sent, err := t.once(req)
		if err != nil || !ok || res.StatusCode != http.StatusUnauthorized {
			return res, err
		}
		if renewing {
			t.refusals.Add(1)
			return res, nil
		}
		if !renewer.GivenUp(sent) {
			if renewing = t.enter(ctx); !renewing {
				return nil, errors.Join(ctx.Err(), res.Body.Close())
			}
			// Others may have renewed while this request waited.
			switch {
			case t.refusals.Load() != refusals:
				return res, nil
			case renewer.GivenUp(sent):
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

// enter waits for the turn to renew. It is false when the request was broken off.
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

func (t *authenticate) once(req *http.Request) (res *http.Response, sent *http.Request, err error) {
	if sent, err = fresh(req.Context(), req); err != nil {
		return nil, nil, err
	}
	if err := t.prove(req.Context(), sent); err != nil {
		return nil, nil, err
	}
	res, err = t.next.RoundTrip(sent)
	return res, sent, err
}

// prove adds the credentials, after a login where one is due.
func (t *authenticate) prove(ctx context.Context, sent *http.Request) error {
	if t.logins == nil {
		return t.auth.Authenticate(ctx, sent)
	}
	ctx, write := t.logins(ctx)
	err := t.auth.Authenticate(ctx, sent)
	if unwritten := write(err); unwritten != nil {
		return errors.Join(err, unwritten)
	}
	return err
}
