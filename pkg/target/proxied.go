package target

import (
	"context"
	"net/http"
	"net/url"
)

// proxied prepares the requests that go through a proxy. net/http tells a proxy
// to go where the Host header says; a configured one must not lead it elsewhere
// than to the address that was checked.
type proxied struct {
	next http.RoundTripper
	via  func(*http.Request) (*url.URL, error)
}

var _ http.RoundTripper = (*proxied)(nil)

// RoundTrip implements http.RoundTripper.
func (t *proxied) RoundTrip(req *http.Request) (*http.Response, error) {
	if through, err := t.via(req); through == nil || err != nil {
		return t.next.RoundTrip(req) // which reports the error
	}
	r := req.WithContext(context.WithValue(req.Context(), proxiedKey{}, true))
	if r.URL.Scheme == "http" && r.Host != r.URL.Host {
		u := *r.URL
		u.Opaque = "//" + u.Host + u.EscapedPath()
		r.URL = &u
	}
	return t.next.RoundTrip(r)
}

// proxiedKey marks the context of a request that goes through a proxy: the
// connection made for it is one to the proxy.
type proxiedKey struct{}

// toProxy tells whether a connection is made to a proxy.
func toProxy(ctx context.Context) bool {
	is, _ := ctx.Value(proxiedKey{}).(bool)
	return is
}
