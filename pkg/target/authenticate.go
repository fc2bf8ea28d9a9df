package target

import "net/http"

// authenticate adds credentials to every attempt that stays on the request's
// own origin. When the API answers 401 and the credentials can be renewed, that
// is done once and the request is repeated.
type authenticate struct {
	next http.RoundTripper
	auth Authenticator
}

var _ http.RoundTripper = (*authenticate)(nil)

// RoundTrip implements http.RoundTripper.
func (t *authenticate) RoundTrip(req *http.Request) (*http.Response, error) {
	if foreign(req.Context()) {
		return t.next.RoundTrip(req)
	}
	res, err := t.once(req)
	renewer, ok := t.auth.(Renewer)
	if err != nil || !ok || res.StatusCode != http.StatusUnauthorized {
		return res, err
	}
	if err := res.Body.Close(); err != nil {
		return nil, err
	}
	if err := renewer.Renew(req.Context()); err != nil {
		return nil, err
	}
	if req.GetBody != nil {
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return t.once(req)
}

func (t *authenticate) once(req *http.Request) (*http.Response, error) {
	signed := req.Clone(req.Context())
	if err := t.auth.Authenticate(req.Context(), signed); err != nil {
		return nil, err
	}
	return t.next.RoundTrip(signed)
}
