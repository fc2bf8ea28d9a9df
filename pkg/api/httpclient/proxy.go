package httpclient

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// findProxy returns the proxy for a request, or nil if the request needs no proxy.
type findProxy func(*http.Request) (*url.URL, error)

// proxy reads the usual environment variables, but not HTTP_PROXY in upper case, which a
// CGI server would set from a request header. It returns nil with a tunnel, and if the
// client sends no requests. An invalid variable is a user error, because requests would
// bypass the proxy. Credentials in the addresses are registered as secrets.
func proxy(o *Options) (findProxy, error) {
	if o.Settings.server != nil || o.offline() {
		return nil, nil
	}
	var failed error
	first := func(names ...string) string {
		for _, name := range names {
			text := o.Getenv(name)
			if text == "" {
				continue
			}
			u := readProxy(text)
			if u == nil {
				failed = failure.Userf("the environment variable %s is not the address of a proxy: expected http://host:port, with https, socks5 or socks5h for other kinds; its value is not shown, because it may hold a password", name)
				return ""
			}
			registerUser(u.User, o.Secrets)
			return u.String()
		}
		return ""
	}
	settings := httpproxy.Config{
		HTTPProxy:  first("http_proxy", "all_proxy", "ALL_PROXY"),
		HTTPSProxy: first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
		NoProxy:    cmp.Or(o.Getenv("no_proxy"), o.Getenv("NO_PROXY")),
	}
	if failed != nil {
		return nil, failed
	}
	find := settings.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return find(r.URL) }, nil
}

// readProxy reads the address of a proxy, with or without a scheme. It returns nil if the
// address is invalid.
func readProxy(text string) *url.URL {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil
	}
	return u
}

// prepare marks a request that goes through a proxy. net/http would send the host of the
// header Host to the proxy. A configured header must not lead to another host than the
// checked one, so prepare puts the host of the URL into the request line.
func (via findProxy) prepare(req *http.Request) *http.Request {
	if through, err := via(req); through == nil || err != nil {
		return req // net/http reports the error
	}
	r := req.WithContext(context.WithValue(req.Context(), proxiedKey{}, true))
	if r.URL.Scheme == "http" && r.Host != r.URL.Host {
		u := *r.URL
		u.Opaque = "//" + u.Host + u.EscapedPath()
		r.URL = &u
	}
	return r
}

// proxiedKey marks the context of a request through a proxy, because net/http passes only
// the context to dial.
type proxiedKey struct{}
