package target

import (
	"context"
	"net/http"
	"net/url"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 5

// redirect follows redirects. What proves who we are (credentials of the
// authentication, configured Authorization and Cookie headers) is sent only
// while scheme, host and port stay those of the first request.
type redirect struct {
	next http.RoundTripper
}

var _ http.RoundTripper = (*redirect)(nil)

// RoundTrip implements http.RoundTripper.
func (t *redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	origin := req.URL
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
			return nil, failure.Userf("too many redirects: %s %s was redirected more than %d times", req.Method, origin.Redacted(), maxRedirects)
		}
		if req, err = follow(req, origin, res.StatusCode, location); err != nil {
			return nil, err
		}
	}
}

// follow is the request a redirect asks for.
func follow(req *http.Request, origin *url.URL, status int, location string) (*http.Request, error) {
	to, err := req.URL.Parse(location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" {
		return nil, failure.Userf("%s %s was redirected to what is not a valid http or https address", req.Method, req.URL.Redacted())
	}
	to = finish(to, to.EscapedPath(), escape(to.RawQuery, queryCharacters))
	to.Fragment, to.RawFragment = "", ""
	ctx := req.Context()
	same := to.Scheme == origin.Scheme && to.Host == origin.Host
	if !same {
		ctx = context.WithValue(ctx, foreignKey{}, true)
	}
	next := req.Clone(ctx)
	next.URL, next.Host = to, to.Host
	if !same {
		next.Header.Del("Authorization")
		next.Header.Del("Cookie")
	}
	safe := req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == http.MethodOptions
	if status == http.StatusSeeOther || !safe && status <= http.StatusFound {
		next.Method = http.MethodGet
		next.Body, next.GetBody, next.ContentLength = nil, nil, 0
	}
	return next, nil
}

// foreignKey marks the context of a request that a redirect led to another
// origin.
type foreignKey struct{}

func foreign(ctx context.Context) bool {
	is, _ := ctx.Value(foreignKey{}).(bool)
	return is
}
