package httpclient

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// proving adds a credential to every request.
func proving(r *auth.Attempt) error {
	r.Header.Set("X-Proof", "me")
	return nil
}

// elsewhere is an API at a.test, with another one at b.test.
func elsewhere(s *script) func(*Options) {
	at := s.Listener.Addr().String()
	return dialer(map[string]string{"a.test:80": at, "b.test:80": at})
}

func TestForeignOriginsGetNoSecrets(t *testing.T) {
	tests := []struct {
		name    string
		request config.RequestSpec
		line    string
		headers []string // of those below, which arrive
	}{
		{"headers", config.RequestSpec{Endpoint: "http://b.test/x", Headers: parse(t, `{"Authorization":"x","cookie":"y","X-Key":"key s3cret","X-Coded":"czNjcmV0","X-Short":"7","X-Open":"z"}`)},
			"GET /x", []string{"X-Open", "X-Short"}},
		{"parameters", config.RequestSpec{Endpoint: "http://b.test/x?key=s3cret&page=7&k=%733cret", Params: parse(t, `{"other":"s3cret","open":"sesame"}`)},
			"GET /x?page=7&open=sesame", nil},
		{"none but secrets", config.RequestSpec{Endpoint: "http://b.test/x?key=s3cret"}, "GET /x", nil},
		{"user name", config.RequestSpec{Endpoint: "http://ann:s3cret@b.test/x"}, "GET /x", nil},
		{"a user name that a response gives", config.RequestSpec{Endpoint: "http://ann:pass@b.test/x"}, "GET /x", []string{"Authorization"}},
		{"a body without secrets", config.RequestSpec{Endpoint: "http://b.test/x", Method: "POST", Params: parse(t, `{"page":"7"}`)}, "POST /x", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, ok("there"))
			f := newFixture(t, "http://a.test/", `{}`, authenticated(proving), elsewhere(s))
			f.secrets.Add("s3cret")
			f.secrets.Add("7")
			if _, err := f.do(t, tt.request); err != nil {
				t.Fatal(err)
			}
			if got := s.seen[0]; got.host != "b.test" || got.line != tt.line {
				t.Errorf("got %s at %s, want %s", got.line, got.host, tt.line)
			}
			for _, name := range []string{"Authorization", "Cookie", "X-Key", "X-Coded", "X-Short", "X-Open", "X-Proof"} {
				if got, want := s.seen[0].header.Get(name) != "", slices.Contains(tt.headers, name); got != want {
					t.Errorf("%s: sent is %v, want %v", name, got, want)
				}
			}
		})
	}
}

func TestSecretsThatCannotBeLeftOutAreNotSent(t *testing.T) {
	away := func(status int) []http.HandlerFunc { return []http.HandlerFunc{to(status, "http://b.test/x")} }
	body := parse(t, `{"password":"s3cret"}`)
	tests := []struct {
		name    string
		request config.RequestSpec
		steps   []http.HandlerFunc
		what    string
	}{
		{"in a body", config.RequestSpec{Endpoint: "http://b.test/x", Method: "FORM", Params: body}, nil, "the body"},
		{"in a body with escapes", config.RequestSpec{Endpoint: "http://b.test/x", Method: "POST", Params: parse(t, `{"password":"a\"b/c"}`)}, nil, "the body"},
		{"in a path", config.RequestSpec{Endpoint: "http://b.test/bot%733cret/x"}, nil, "the path"},
		{"in a body that a redirect repeats", config.RequestSpec{Endpoint: "x", Method: "POST", Params: body}, away(307), "the body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.steps...)
			f := newFixture(t, "http://a.test/", `{}`, nil, elsewhere(s))
			f.secrets.Add("s3cret")
			f.secrets.Add(`a"b/c`)
			_, err := f.do(t, tt.request)
			wantUserError(t, err, "http://b.test was not requested", tt.what+" holds a secret", "'api.http.trustedOrigins'")
			if strings.Contains(err.Error(), "3cret") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

// TestWhatIsMadeOfSecretsStays: it is known by its place, not by its text.
func TestWhatIsMadeOfSecretsStays(t *testing.T) {
	made := func(v value.Value, names ...string) value.Value {
		for _, name := range names {
			v = v.With(name, v.Field(name).AsSecret())
		}
		return v
	}
	s := serve(t, ok(""), to(302, "http://b.test/y?pin=8&page=1"), ok(""))
	f := newFixture(t, "http://a.test/", `{}`, nil, elsewhere(s))
	headers := made(parse(t, `{"X-Pin":"1","X-Open":"1","Host":"h.test"}`), "X-Pin", "Host")
	params := made(parse(t, `{"pin":"1","page":"1","deep":{"a":["1"]},"more":{"b":"1"}}`), "pin", "deep")
	if _, err := f.do(t, config.RequestSpec{Endpoint: "http://b.test/x?pin=0&y=1", Headers: headers, Params: params}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.do(t, config.RequestSpec{Endpoint: "z", Headers: headers, Params: params}); err != nil {
		t.Fatal(err)
	}
	equal(t, "requests", s.lines(), []string{"GET /x?y=1&page=1&more%5Bb%5D=1", "GET /z?pin=1&page=1&deep%5Ba%5D%5B0%5D=1&more%5Bb%5D=1", "GET /y?pin=8&page=1"})
	for i, host := range []string{"b.test", "h.test", "b.test"} { // h.test is what the header Host of the configuration says
		if got := s.seen[i]; got.header.Get("X-Open") != "1" || (got.header.Get("X-Pin") != "") != (host == "h.test") || got.host != host {
			t.Errorf("request %d at %s has %v", i+1, got.host, got.header)
		}
	}
	equal(t, "events", f.messages("credentials.withheld"), []string{": a response led to http://b.test, which gets no credentials; you can list it in 'api.http.trustedOrigins'"})
	for _, method := range []string{"POST", "FORM"} {
		_, err := f.do(t, config.RequestSpec{Endpoint: "http://b.test/x", Method: method, Params: params})
		wantUserError(t, err, "the body holds a secret")
	}
}

// TestARedirectThatDropsCredentialsIsReported: from a header or from the address.
func TestARedirectThatDropsCredentialsIsReported(t *testing.T) {
	for name, tt := range map[string]struct {
		base, headers string
		reported      int
	}{
		"Authorization":     {"http://a.test/", `{"Authorization":"Bearer x"}`, 1},
		"a cookie":          {"http://a.test/", `{"cookie":"a=b"}`, 1},
		"a user":            {"http://ann:pass@a.test/", `{}`, 1},
		"a user of the job": {"http://c.test/", `{}`, 1},
		"nothing":           {"http://a.test/", `{"X-Open":"1"}`, 0},
	} {
		s := serve(t, to(302, "/x"), to(302, "http://b.test/"), ok(""))
		f := newFixture(t, tt.base, `{}`, nil, elsewhere(s), func(o *Options) { o.Endpoints = []string{"http://ann:pass@a.test/t"} })
		endpoint := "t"
		if strings.Contains(tt.base, "c.test") {
			endpoint = "http://ann:pass@a.test/t"
		}
		if _, err := f.do(t, config.RequestSpec{Endpoint: endpoint, Headers: parse(t, tt.headers)}); err != nil {
			t.Fatal(err)
		}
		if reported := f.messages("credentials.withheld"); len(reported) != tt.reported {
			t.Errorf("%s: reported %q", name, reported)
		}
	}
}

// TestUserOfAnAddressIsHidden: so is the header made of it.
func TestUserOfAnAddressIsHidden(t *testing.T) {
	for user, want := range map[string]string{
		"ann:s3cret":                 "ann [hidden] [hidden]",
		"0123456789abcdef:x":         "[hidden] x [hidden]",
		"0123456789abcdef:":          "[hidden]  [hidden]",
		"0123456789abcdef":           "[hidden]  [hidden]",
		"0123456789abcdef:api_token": "[hidden] [hidden] [hidden]",
		"a%2Fb:s3%23cret":            "a/b [hidden] [hidden]",
		"ann:x":                      "ann x [hidden]",
	} {
		for _, place := range []string{"base", "job", "login"} {
			base, endpoint := "http://a.test/", "http://"+user+"@a.test/t"
			if place == "base" {
				base, endpoint = "http://"+user+"@a.test/", "t"
			}
			s := serve(t, times(map[string]int{"login": 1}[place], ok("{}"))...)
			f := newFixture(t, base, `{}`, nil, elsewhere(s), func(o *Options) {
				if place == "job" {
					o.Endpoints = []string{endpoint}
				}
			})
			if place == "login" {
				spool, err := f.Login(t.Context(), config.RequestSpec{Endpoint: endpoint})
				if err != nil {
					t.Fatal(err)
				}
				readSpool(t, spool)
			}
			u, err := url.Parse("http://" + user + "@a.test/")
			if err != nil {
				t.Fatal(err)
			}
			password, _ := u.User.Password()
			token := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
			if got := f.secrets.Mask(u.User.Username() + " " + password + " " + token); got != want {
				t.Errorf("%s, %s: shown is %s, want %s", user, place, got, want)
			}
		}
	}
}

// TestNamedOriginsGetCredentials: an endpoint of the configuration may be on any origin.
func TestNamedOriginsGetCredentials(t *testing.T) {
	tests := []struct {
		name, api, endpoint string
		endpoints           []string
		want                bool
	}{
		{"the base address", `{}`, "http://A.test:80/x", nil, true},
		{"a relative one", `{}`, "x", nil, true},
		{"another host", `{}`, "http://b.test/x", nil, false},
		{"one of a job", `{}`, "http://b.test/y", []string{"x", "http://b.test/x"}, true},
		{"one of a job, without a scheme", `{}`, "//b.test/y", []string{"//b.test/{id}"}, true},
		{"one whose host is a row's", `{}`, "http://b.test/y", []string{"http://{host}/x", "{url}", "http://b.test{path}", "http://b.{domain}/x"}, false},
		{"one that is not an address", `{}`, "http://b.test/y", []string{"http://b.test:port/"}, false},
		{"listed", `{"http":{"trustedOrigins":["http://B.test"]}}`, "http://b.test/y", nil, true},
		{"listed with another scheme", `{"http":{"trustedOrigins":["https://b.test"]}}`, "http://b.test/y", nil, false},
		{"listed with a port", `{"http":{"trustedOrigins":["http://b.test:8080"]}}`, "http://b.test/y", nil, false},
		{"all below", `{"http":{"trustedOrigins":["http://*.test/"]}}`, "http://b.test/y", nil, true},
		{"not the host itself", `{"http":{"trustedOrigins":["http://*.b.test"]}}`, "http://b.test/y", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, ok(""))
			f := newFixture(t, "http://a.test/", tt.api, authenticated(proving), elsewhere(s), func(o *Options) { o.Endpoints = tt.endpoints })
			if _, err := f.get(t, tt.endpoint); err != nil {
				t.Fatal(err)
			}
			if got := s.seen[0].header.Get("X-Proof") != ""; got != tt.want {
				t.Errorf("credentials are sent: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWithheldCredentialsAreReportedOnce(t *testing.T) {
	say401 := say(401, "who are you?")
	s := serve(t, say401, say401, ok(""))
	f := newFixture(t, "http://a.test/", `{}`, authenticated(proving), elsewhere(s))
	users := JobInfo{Job: "users", Pointer: "/jobs/0"}
	for range 2 {
		_, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "http://b.test/x"}, users)
		wantUserError(t, err, "401 Unauthorized: who are you?; it was sent without credentials", "'api.http.trustedOrigins'")
	}
	if _, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "http://b.test/x"}, JobInfo{Job: "shops", Pointer: "/jobs/1"}); err != nil {
		t.Fatal(err)
	}
	equal(t, "events", f.messages("credentials.withheld"), []string{
		"users: a response led to http://b.test, which gets no credentials; you can list it in 'api.http.trustedOrigins'",
		"shops: a response led to http://b.test, which gets no credentials; you can list it in 'api.http.trustedOrigins'",
	})
}

func TestNothingWithheldIsNotReported(t *testing.T) {
	s := serve(t, say(401, ""))
	f := newFixture(t, "http://a.test/", `{}`, nil, elsewhere(s))
	_, err := f.get(t, "http://b.test/x")
	wantUserError(t, err, "401 Unauthorized")
	equal(t, "events", f.messages("credentials.withheld"), nil)
}

func TestForeignOriginsSeeNoClientCertificate(t *testing.T) {
	authority := issue(t, "authority.test", nil, true)
	client := issue(t, "client.test", authority, false)
	settings, problems := settingsOf(t, nil, []value.Member{
		{Name: "caCertificate", Value: value.OfString(authority.pem())},
		{Name: "#clientCertificate", Value: value.OfString(client.pem() + client.keyPEM(t))},
	})
	if problems != "" {
		t.Fatal(problems)
	}
	at := strings.TrimPrefix(secure(t, authority), "https://")
	ways := dialer(map[string]string{"server.test:443": at, "server.test:8443": at})
	f := newFixture(t, "https://server.test/", `{}`, nil, ways, func(o *Options) { o.Settings = settings })
	for _, row := range [][2]string{{"x", "client.test"}, {"https://server.test:8443/x", "no one"}, {"x", "client.test"}} {
		if body, err := f.get(t, row[0]); err != nil || body != row[1] {
			t.Errorf("%s: the server saw %q (%v), want %s", row[0], body, err, row[1])
		}
	}
}
