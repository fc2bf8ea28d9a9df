package target

import (
	"context"
	"errors"
	"net/http"

	"github.com/keboola/configurable-extractor/pkg/auth"
)

// authenticate adds credentials to every attempt that stays on the request's
// own origin. When the API answers 401 and the credentials can be renewed, that
// is done once and the request is repeated. A 401 to credentials that were given
// up meanwhile, because of another request, says nothing and does not count.
type authenticate struct {
	next http.RoundTripper
	auth auth.Authenticator
	// logins begins to keep the logins of a request, and write ends it; nil when
	// nothing is recorded.
	logins func(context.Context) (ctx context.Context, write func(failed error) error)
}

var _ http.RoundTripper = (*authenticate)(nil)

// RoundTrip implements http.RoundTripper.
func (t *authenticate) RoundTrip(req *http.Request) (*http.Response, error) {
	if foreign(req.Context()) {
		return t.next.RoundTrip(req)
	}
	renewer, ok := t.auth.(auth.Renewer)
	for renewed := false; ; {
		res, sent, err := t.once(req)
		if err != nil || !ok || res.StatusCode != http.StatusUnauthorized {
			return res, err
		}
		if renewed && renewer.InUse(sent) {
			return res, nil
		}
		renewed = renewed || renewer.Renew(sent)
		if err := res.Body.Close(); err != nil {
			return nil, err
		}
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
