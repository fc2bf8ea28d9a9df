package platform

import "net/http"

// tokenGuard removes the token from a request after a redirect to another origin. net/http
// does this only for well-known headers.
type tokenGuard struct{ next http.RoundTripper }

var _ http.RoundTripper = tokenGuard{}

func (g tokenGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	if leftOrigin(req) {
		req = req.Clone(req.Context())
		req.Header.Del(tokenHeader)
	}
	return g.next.RoundTrip(req)
}

// leftOrigin reports whether any redirect that led to this request changed the origin.
func leftOrigin(req *http.Request) bool {
	for at := req; at.Response != nil; at = at.Response.Request {
		from := at.Response.Request
		if from == nil || from.URL.Scheme != at.URL.Scheme || from.URL.Host != at.URL.Host {
			return true
		}
	}
	return false
}
