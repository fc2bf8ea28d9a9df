package exchange

import (
	"net/http"
	"net/url"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 5

// redirect follows redirects. What proves who we are stays behind when one leaves
// scheme, host or port of the first request, and is not taken up again when
// another one leads back; see stripper. A login is nothing but credentials: it does
// not follow there.
type redirect struct {
	next http.RoundTripper
	// trusted are the origins that credentials may follow to.
	trusted  []config.Origin
	stripper *stripper // nil for logins
}

var _ http.RoundTripper = (*redirect)(nil)

// RoundTrip implements http.RoundTripper.
func (t *redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	first := req
	for hop := 0; ; hop++ {
		res, err := t.next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		location := res.Header.Get("Location")
		if res.StatusCode < 300 || res.StatusCode > 399 || location == "" {
			return res, nil
		}
		if err := res.Body.Close(); err != nil {
			return nil, err
		}
		if hop == maxRedirects {
			return nil, failure.Userf("too many redirects: %s %s was redirected more than %d times", req.Method, shown(first), maxRedirects)
		}
		if req, err = t.follow(req, first.URL, res.StatusCode, location); err != nil {
			return nil, err
		}
	}
}

// follow is the request a redirect asks for.
func (t *redirect) follow(req *http.Request, origin *url.URL, status int, location string) (*http.Request, error) {
	to, err := req.URL.Parse(location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" {
		return nil, failure.Userf("%s %s was redirected to what is not a valid http or https address", req.Method, shown(req))
	}
	to = finish(to, to.EscapedPath(), escape(to.RawQuery, queryCharacters))
	to.Fragment, to.RawFragment = "", ""
	next := req.Clone(req.Context())
	next.URL, next.Host = to, to.Host
	safe := req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == http.MethodOptions
	if status == http.StatusSeeOther || !safe && status <= http.StatusFound {
		next.Method = http.MethodGet
		next.Body, next.GetBody, next.ContentLength = nil, nil, 0
		next = next.WithContext(secret.WithSensitive(next.Context(), secret.SensitiveOf(next.Context()).WithBody(nil)))
	}
	if config.OriginOf(to) == config.OriginOf(origin) || trusts(t.trusted, to) {
		return next, nil
	}
	if t.stripper == nil {
		return nil, failure.Userf("%s %s was redirected to %s, and a login is not sent on to another origin: if that one may have the credentials, write its address into 'loginRequest.endpoint', or list it in 'api.http.trustedOrigins'",
			req.Method, shown(req), config.OriginOf(to))
	}
	return t.stripper.strip(next, origin.User != nil)
}
