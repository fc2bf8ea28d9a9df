package httpclient

import (
	"context"
	"net/http"
	"net/url"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// maxRedirects is the maximum number of redirects of one request.
const maxRedirects = 5

// redirect follows redirects unless a rule has decided about the response. If a redirect
// leads to another origin than the first request, credentials are removed (see stripper).
// They are not added again if a later redirect leads back. A redirected login fails,
// because all of its request may be credentials. Trusted origins get credentials and
// logins.
type redirect struct {
	next step
	// trusted are additional origins that may get credentials.
	trusted  []config.Origin
	stripper *stripper
}

func (t *redirect) do(ctx context.Context, x *call) (*Response, error) {
	first := x
	for hop := 0; ; hop++ {
		res, err := t.next.do(ctx, x)
		if err != nil {
			return nil, err
		}
		location := res.Header.Get("Location")
		if res.Status < 300 || res.Status > 399 || location == "" || res.Decision != nil {
			return res, nil
		}
		if err := res.Body.Close(); err != nil {
			return nil, err
		}
		if hop == maxRedirects {
			return nil, failure.Userf("too many redirects: %s %s was redirected more than %d times", x.Method, first.Address(), maxRedirects)
		}
		if x, err = t.follow(x, first.URL, res.Status, location); err != nil {
			return nil, err
		}
	}
}

func (t *redirect) follow(x *call, origin *url.URL, status int, location string) (*call, error) {
	to, err := x.URL.Parse(location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" {
		return nil, failure.Userf("%s %s was redirected to an invalid URL, expected an http or https URL", x.Method, x.Address())
	}
	to = finish(to, to.EscapedPath(), escape(to.RawQuery, queryCharacters))
	to.Fragment, to.RawFragment = "", ""
	next := x.clone()
	next.URL, next.Host = to, to.Host
	safe := x.Method == http.MethodGet || x.Method == http.MethodHead || x.Method == http.MethodOptions
	if status == http.StatusSeeOther || !safe && status <= http.StatusFound {
		next.Method, next.Body, next.Sensitive = http.MethodGet, nil, x.Sensitive.WithBody(nil)
	}
	if config.OriginOf(to) == config.OriginOf(origin) || trusts(t.trusted, to) {
		return next, nil
	}
	if x.forLogin {
		return nil, failure.Userf("%s %s was redirected to %s, but a login is not sent to another origin: if that origin may receive the credentials, write its URL into 'loginRequest.endpoint', or list it in 'api.http.trustedOrigins'",
			x.Method, x.Address(), config.OriginOf(to))
	}
	return next, t.stripper.strip(next, origin.User != nil)
}
