package httpclient

import (
	"net/http"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// to redirects to a place.
func to(status int, location string) http.HandlerFunc {
	return say(status, "moved", "Location: "+location)
}

func TestRedirectLocations(t *testing.T) {
	tests := []struct{ name, location, wantHost, wantLine string }{
		{"relative to the path", "c", "a.test", "GET /v1/c"},
		{"from the root", "/c?q=1", "a.test", "GET /c?q=1"},
		{"only a query", "?q=1", "a.test", "GET /v1/b?q=1"},
		{"dot segments", "../c/./d", "a.test", "GET /c/d"},
		{"escaped dot segments", "/v1/%2E%2e/c", "a.test", "GET /c"},
		{"without a scheme", "//b.test/c", "b.test", "GET /c"},
		{"absolute", "http://b.test:8080/c?x=1&x=2", "b.test:8080", "GET /c?x=1&x=2"},
		{"host in capitals", "HTTP://B.TEST", "b.test", "GET /"},
		{"default port", "http://a.test:80/c", "a.test", "GET /c"},
		{"a fragment is not sent", "/c?q=1#f", "a.test", "GET /c?q=1"},
		{"characters that no address has", "/č d?q=a b\"", "a.test", "GET /%C4%8D%20d?q=a%20b%22"},
		{"escapes stay", "/a%2Fb?q=%20+", "a.test", "GET /a%2Fb?q=%20+"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, to(302, tt.location), ok(""))
			at := s.Listener.Addr().String()
			f := newFixture(t, "http://a.test/v1/", `{"http":{"headers":{"Host":"configured.test"}}}`, nil,
				dialer(map[string]string{"a.test:80": at, "b.test:80": at, "b.test:8080": at}))
			if _, err := f.get(t, "b"); err != nil {
				t.Fatal(err)
			}
			if s.seen[0].host != "configured.test" || s.seen[1].host != tt.wantHost || s.seen[1].line != tt.wantLine {
				t.Errorf("got host %s, then host %s and %s", s.seen[0].host, s.seen[1].host, s.seen[1].line)
			}
		})
	}
}

// TestRedirectsToNoURL: a redirect to a URL without a host, or of another scheme, is an
// error at once.
func TestRedirectsToNoURL(t *testing.T) {
	for _, location := range []string{"ftp://b.test/x", "javascript:alert(1)", "http://", "http:///x", "http://:80/x", "%zz:", "http://b.test:port/"} {
		t.Run(location, func(t *testing.T) {
			f := newFixture(t, serve(t, to(302, location)).URL, `{}`, nil)
			_, err := f.get(t, "a")
			wantUserError(t, err, "redirected", "expected an http or https URL")
			equal(t, "waits", f.sleeps, nil)
		})
	}
}

// TestRedirectedMethods: methods and statuses that no functional case redirects.
func TestRedirectedMethods(t *testing.T) {
	for _, tt := range []struct {
		status                 int
		method, wantLine, body string
	}{
		{300, "FORM", "GET /b", ""},
		{304, "FORM", "POST /b", "k=v"},
		{301, "PUT", "GET /b", ""},
		{307, "PUT", "PUT /b", `{"k":"v"}`},
		{308, "PATCH", "PATCH /b", `{"k":"v"}`},
	} {
		s := serve(t, to(tt.status, "/b"), ok("there"))
		f := newFixture(t, s.URL, `{}`, nil)
		body, err := f.do(t, config.RequestSpec{Endpoint: "a", Method: tt.method, Params: parse(t, `{"k":"v"}`)})
		if err != nil || body != "there" {
			t.Fatalf("%d %s: got %q, %v", tt.status, tt.method, body, err)
		}
		if got := s.seen[1]; got.line != tt.wantLine || got.body != tt.body {
			t.Errorf("%d %s: got %s with %q", tt.status, tt.method, got.line, got.body)
		}
	}
}

func TestConfiguredAuthorizationBeatsUserInfo(t *testing.T) {
	s := serve(t, ok(""))
	f := newFixture(t, strings.Replace(s.URL, "//", "//ann:s3cret@", 1), `{"http":{"headers":{"Authorization":"mine"}}}`, nil)
	if _, err := f.get(t, "a"); err != nil {
		t.Fatal(err)
	}
	equal(t, "credentials", s.seen[0].header.Values("Authorization"), []string{"mine"})
}

// TestLoginsAreNotSentOn: a login fails at a redirect to another origin, with any status,
// method and parameters.
func TestLoginsAreNotSentOn(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, method := range []string{"GET", "POST", "FORM", "PUT"} {
			r := config.RequestSpec{Endpoint: "login", Method: method, Params: parse(t, `{"who":"me","phrase":"open"}`), Headers: parse(t, `{"X-Phrase":"open"}`)}
			s := serve(t, to(status, "/there"), to(status, "http://b.test/login?who=me"))
			f := newFixture(t, "http://a.test/", `{}`, nil, elsewhere(s))
			_, err := f.Login(t.Context(), r)
			wantUserError(t, err, "http://a.test/there was redirected to http://b.test", "'api.http.trustedOrigins'", "'loginRequest.endpoint'")

			s = serve(t, to(status, "http://b.test/login"), ok("{}"))
			f = newFixture(t, "http://a.test/", `{"http":{"trustedOrigins":["http://b.test"]}}`, nil, elsewhere(s))
			spool, err := f.Login(t.Context(), r)
			if err != nil {
				t.Errorf("%d %s to a listed origin: %v", status, method, err)
				continue
			}
			readSpool(t, spool)
			if got := s.seen[1]; got.host != "b.test" || got.header.Get("X-Phrase") != "open" {
				t.Errorf("%d %s: %s at %s with %v", status, method, got.line, got.host, got.header)
			}
		}
	}
}
