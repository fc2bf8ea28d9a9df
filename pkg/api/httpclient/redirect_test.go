package httpclient

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// to redirects to a place.
func to(status int, location string) http.HandlerFunc {
	return say(status, "moved", "Location: "+location)
}

func TestRedirectChangesMethodAndBody(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	tests := []struct {
		status                          int
		method, wantLine, wantBody, typ string
	}{
		{300, "FORM", "GET /b", "", form},
		{301, "FORM", "GET /b", "", form},
		{302, "FORM", "GET /b", "", form},
		{303, "FORM", "GET /b", "", form},
		{304, "FORM", "POST /b", "k=v", form},
		{307, "FORM", "POST /b", "k=v", form},
		{308, "FORM", "POST /b", "k=v", form},
		{301, "PUT", "GET /b", "", "application/json"},
		{308, "PATCH", "PATCH /b", `{"k":"v"}`, "application/json"},
		{301, "GET", "GET /b", "", ""},
		{303, "GET", "GET /b", "", ""},
		{307, "GET", "GET /b", "", ""},
	}
	for _, tt := range tests {
		t.Run(strconv.Itoa(tt.status)+" "+tt.method, func(t *testing.T) {
			s := serve(t, to(tt.status, "/b"), ok("there"))
			f := newFixture(t, s.URL, `{}`, nil)
			body, err := f.do(t, config.RequestSpec{Endpoint: "a", Method: tt.method, Params: parse(t, `{"k":"v"}`)})
			if err != nil || body != "there" {
				t.Fatalf("got %q, %v", body, err)
			}
			if got := s.seen[1]; got.line != tt.wantLine || got.body != tt.wantBody || got.header.Get("Content-Type") != tt.typ {
				t.Errorf("got %s with %q of %s", got.line, got.body, got.header.Get("Content-Type"))
			}
		})
	}
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

func TestRedirectWithoutLocation(t *testing.T) {
	for _, tt := range []struct {
		status int
		says   []string
	}{
		{300, []string{"[300] Redirect without a URL: GET http://127.0.0.1", "/a returned 300 Multiple Choices and no header Location: chosen"}},
		{302, []string{"[302] Redirect without a URL", "no header Location"}},
		{304, []string{"[304] Redirect without a URL", "remove such headers"}},
		{399, []string{"[399] Redirect without a URL"}},
	} {
		t.Run(strconv.Itoa(tt.status), func(t *testing.T) {
			f := newFixture(t, serve(t, say(tt.status, "chosen")).URL, `{}`, nil)
			_, err := f.get(t, "a")
			wantUserError(t, err, tt.says...)
			noSpools(t, f)

			f = newFixture(t, serve(t, say(tt.status, "", "Location: ")).URL, `{}`, nil)
			_, err = f.get(t, "a")
			wantUserError(t, err, tt.says[0])

			f = newFixture(t, serve(t, to(307, "/b"), say(tt.status, "")).URL, `{}`, nil)
			_, err = f.get(t, "a")
			wantUserError(t, err, "/b returned")

			f = newFixture(t, serve(t, say(tt.status, "")).URL, `{"http":{"ignoreErrors":["`+strconv.Itoa(tt.status)+`"]}}`, nil)
			_, err = f.Login(t.Context(), config.RequestSpec{Endpoint: "a"})
			wantUserError(t, err, tt.says[0])

			f = newFixture(t, serve(t, say(tt.status, "")).URL, `{"http":{"ignoreErrors":["`+strconv.Itoa(tt.status)+`"]}}`, nil)
			res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "a"})
			if err != nil || res.Status != tt.status || !res.AcceptedError {
				t.Fatalf("ignored: got %+v, %v", res, err)
			}
			readSpool(t, res.Body)

			f = newFixture(t, serve(t, say(tt.status, ""), ok("")).URL, `{"retryConfig":{"http":{"codes":[`+strconv.Itoa(tt.status)+`]}}}`, nil)
			if _, err := f.get(t, "a"); err != nil {
				t.Errorf("tried again: %v", err)
			}
		})
	}
}

func TestRedirectsEnd(t *testing.T) {
	t.Run("five are followed", func(t *testing.T) {
		f := newFixture(t, serve(t, append(times(5, to(302, "/loop")), ok("there"))...).URL, `{}`, nil)
		if body, err := f.get(t, "a"); err != nil || body != "there" {
			t.Errorf("got %q, %v", body, err)
		}
	})
	t.Run("the sixth is an error", func(t *testing.T) {
		s := serve(t, times(6, to(302, "/loop"))...)
		f := newFixture(t, s.URL, `{}`, nil)
		_, err := f.get(t, "a")
		wantUserError(t, err, "too many redirects", "GET "+s.URL+"/a", "5 times")
	})
	for _, location := range []string{"ftp://b.test/x", "javascript:alert(1)", "http://", "http:///x", "http://:80/x", "%zz:", "http://b.test:port/"} {
		t.Run("to "+location, func(t *testing.T) {
			f := newFixture(t, serve(t, to(302, location)).URL, `{}`, nil)
			_, err := f.get(t, "a")
			wantUserError(t, err, "redirected", "expected an http or https URL")
			equal(t, "waits", f.sleeps, nil)
		})
	}
}

func TestEachHopHasItsOwnRetries(t *testing.T) {
	s := serve(t, say(503, ""), say(503, ""), to(302, "/b"), say(503, ""), say(503, ""), ok("there"))
	f := newFixture(t, s.URL, `{"retryConfig":{"maxRetries":2}}`, nil)
	if body, err := f.get(t, "a"); err != nil || body != "there" {
		t.Errorf("got %q, %v", body, err)
	}
	equal(t, "waits", f.sleeps, []time.Duration{second, 2 * second, second, 2 * second})
	equal(t, "requests", s.lines(), []string{"GET /a", "GET /a", "GET /a", "GET /b", "GET /b", "GET /b"})
}

// credentials are the names of the credentials in a request.
func credentials(r seen) string {
	var names []string
	for _, name := range []string{"Authorization", "Cookie", "X-Auth", "X-Job", "X-Client"} {
		if r.header.Get(name) != "" {
			names = append(names, name)
		}
	}
	if strings.Contains(r.line, "key=") {
		names = append(names, "key")
	}
	return strings.Join(names, " ")
}

func TestCredentialsStayOnTheirOrigin(t *testing.T) {
	const all, rest = "Authorization Cookie X-Auth X-Job X-Client key", "X-Job X-Client"
	tests := []struct {
		name      string
		locations []string
		want      []string // credentials of each request after the first
	}{
		{"another path", []string{"/b"}, []string{all}},
		{"the same origin in full", []string{"http://A.test:80/b"}, []string{all}},
		{"another host", []string{"http://b.test/b"}, []string{rest}},
		{"a subdomain", []string{"http://sub.a.test/b"}, []string{rest}},
		{"another port", []string{"http://a.test:8080/b"}, []string{rest}},
		{"on from another host", []string{"http://b.test/b", "/c"}, []string{rest, rest}},
		{"back from another host", []string{"http://b.test/b", "http://a.test/c"}, []string{rest, rest}},
		{"away on the second hop", []string{"/b", "http://b.test/c"}, []string{all, rest}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var steps []http.HandlerFunc
			for _, l := range tt.locations {
				steps = append(steps, to(307, l))
			}
			s := serve(t, append(steps, ok(""))...)
			at := s.Listener.Addr().String()
			headers := `{"http":{"headers":{"X-Client":"c"},"defaultOptions":{"headers":{"authorization":"configured"}}}}`
			hosts := dialer(map[string]string{"a.test:80": at, "a.test:8080": at, "b.test:80": at, "sub.a.test:80": at})
			f := newFixture(t, "http://a.test/", headers, authenticated(func(r *auth.Attempt) error {
				r.Header.Set("X-Auth", "secret")
				r.URL.RawQuery = "key=secret"
				return nil
			}), hosts)
			if _, err := f.do(t, config.RequestSpec{Endpoint: "a", Headers: parse(t, `{"X-Job":"j","cookie":"session=1"}`)}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range s.seen {
				got = append(got, credentials(r))
			}
			equal(t, "credentials", got, append([]string{all}, tt.want...))
		})
	}
}

func TestAnotherSchemeIsAnotherOrigin(t *testing.T) {
	for _, change := range [][2]string{{"http://a.test:8443/", "https://a.test:8443/"}, {"https://a.test/", "http://a.test/"}, {"https://a.test/", "http://a.test:443/"}} {
		r := config.RequestSpec{Endpoint: "a", Headers: parse(t, `{"Authorization":"x"}`)}
		req, err := Build(baseURL(t, change[0]), r, "agent/1", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		next, err := (&redirect{stripper: newStripper(&Options{BaseURL: req.URL, Shared: &Shared{Run: &env.Run{Secrets: &secret.Registry{}, Log: event.NewLog(&recorder{}, &secret.Registry{}, today)}}})}).follow(&Call{Request: req}, req.URL, 302, change[1])
		if err != nil || !next.Untrusted || next.Header.Get("Authorization") != "" {
			t.Errorf("from %s to %s: got %v, %v", change[0], change[1], next, err)
		}
	}
}

func TestUserInfoIsSentToItsOwnOriginOnly(t *testing.T) {
	s := serve(t, to(302, "b"), to(302, "//b.test/c"), ok(""))
	at := s.Listener.Addr().String()
	f := newFixture(t, "http://ann:s3cret@a.test/", `{}`, nil, dialer(map[string]string{"a.test:80": at, "b.test:80": at}))
	if _, err := f.get(t, "a"); err != nil {
		t.Fatal(err)
	}
	const basic = "Basic YW5uOnMzY3JldA=="
	var got []string
	for _, r := range s.seen {
		got = append(got, r.header.Get("Authorization"))
	}
	equal(t, "credentials", got, []string{basic, basic, ""})
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
