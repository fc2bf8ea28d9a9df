package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// tokens is an Authenticator whose token can be renewed.
type tokens struct {
	n       int
	renewed []string // the replaced tokens
}

func (a *tokens) Authenticate(_ context.Context, r *auth.Attempt) error {
	r.Header.Set("X-Token", fmt.Sprint("t", a.n))
	return nil
}

func (a *tokens) Renew(sent *auth.Attempt) {
	a.renewed = append(a.renewed, sent.Header.Get("X-Token"))
	a.n++
}

func (a *tokens) Revoked(_ context.Context, sent *auth.Attempt) bool {
	return sent.Header.Get("X-Token") != fmt.Sprint("t", a.n)
}

func TestUnauthorizedRequestIsRepeatedWithNewCredentials(t *testing.T) {
	tests := []struct {
		name      string
		api       string
		responses []http.HandlerFunc
		sent      []string // tokens
		renewed   []string
		failed    string
	}{
		{"once", `{}`, []http.HandlerFunc{say(401, ""), ok("")}, []string{"t0", "t1"}, []string{"t0"}, ""},
		{"not when the second is refused too", `{}`, times(2, say(401, "")), []string{"t0", "t1"}, []string{"t0"}, "[401] Client error"},
		{"not for a 403", `{}`, times(1, say(403, "")), []string{"t0"}, nil, "[403]"},
		{"also when 401 is to be ignored", `{"http":{"ignoreErrors":[401]}}`, []http.HandlerFunc{say(401, ""), ok("")}, []string{"t0", "t1"}, []string{"t0"}, ""},
		{"for each attempt, when 401 is retried", `{"retryConfig":{"maxRetries":1,"http":{"codes":[401]}}}`, times(4, say(401, "")),
			[]string{"t0", "t1", "t1", "t2"}, []string{"t0", "t1"}, "[401]"},
		{"for each hop", `{}`, []http.HandlerFunc{say(401, ""), to(307, "/b"), say(401, ""), ok("")}, []string{"t0", "t1", "t1", "t2"}, []string{"t0", "t1"}, ""},
		{"not on a foreign host", `{}`, []http.HandlerFunc{to(307, "http://b.test/"), say(401, "")}, []string{"t0", ""}, nil, "[401]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.responses...)
			at := s.Listener.Addr().String()
			held := &tokens{}
			f := newFixture(t, "http://a.test", tt.api, held, dialer(map[string]string{"a.test:80": at, "b.test:80": at}))
			_, err := f.do(t, config.RequestSpec{Endpoint: "x", Method: "POST", Params: parse(t, `{"a":1}`)})
			if tt.failed != "" {
				wantUserError(t, err, tt.failed)
			} else if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range s.seen {
				got = append(got, r.header.Get("X-Token"))
				if r.body != `{"a":1}` {
					t.Errorf("%s was sent with %q", r.line, r.body)
				}
			}
			equal(t, "tokens", got, tt.sent)
			equal(t, "renewed", held.renewed, tt.renewed)
		})
	}
}

// TestRulesRepeatLogins: a rule with the action login renews once for each request, with
// its attempts and hops, and not for requests without credentials.
func TestRulesRepeatLogins(t *testing.T) {
	list := rules(t, `[{"when":"code==601|header(X-Session)==ended","do":"login"},{"when":"code==606","do":"retry","wait":1}]`)
	ended, gone := say(200, `{"code":"601"}`), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("x-session", "ended")
		fmt.Fprint(w, "<html>")
	}
	tests := []struct {
		name      string
		responses []http.HandlerFunc
		sent      []string // tokens
		failed    string
	}{
		{"once", []http.HandlerFunc{ended, ok("{}")}, []string{"t0", "t1"}, ""},
		{"by a header", []http.HandlerFunc{gone, ok("{}")}, []string{"t0", "t1"}, ""},
		{"not twice", []http.HandlerFunc{ended, gone}, []string{"t0", "t1"}, "according to a rule it says that the credentials have ended, after a new login too"},
		{"not after a 401", []http.HandlerFunc{say(401, ""), ended}, []string{"t0", "t1"}, "according to a rule"},
		{"not after a 401 of an earlier attempt", []http.HandlerFunc{say(401, ""), say(200, `{"code":606}`), ended}, []string{"t0", "t1", "t1"}, "according to a rule"},
		{"nor a 401 after it", []http.HandlerFunc{ended, say(401, "")}, []string{"t0", "t1"}, "[401]"},
		{"nor a 401 in a later attempt", []http.HandlerFunc{ended, say(200, `{"code":606}`), say(401, "")}, []string{"t0", "t1", "t1"}, "[401]"},
		{"nor in a later hop", []http.HandlerFunc{ended, to(307, "/b"), ended}, []string{"t0", "t1", "t1"}, "according to a rule"},
		{"not on a foreign host", []http.HandlerFunc{to(307, "http://b.test/"), ended}, []string{"t0", ""}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.responses...)
			at := s.Listener.Addr().String()
			f := newFixture(t, "http://a.test", `{}`, &tokens{}, dialer(map[string]string{"a.test:80": at, "b.test:80": at}), func(o *Options) { o.Settings.Rules = list })
			_, err := f.do(t, config.RequestSpec{Endpoint: "x", Method: "POST", Params: parse(t, `{"a":1}`)})
			if tt.failed != "" {
				wantUserError(t, err, tt.failed)
			} else if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range s.seen {
				got = append(got, r.header.Get("X-Token"))
			}
			equal(t, "tokens", got, tt.sent)
		})
	}
}

func TestFailedAuthenticationSendsNothing(t *testing.T) {
	refused := errors.New("no credentials")
	f := newFixture(t, "http://a.test", `{}`, authenticated(func(*auth.Attempt) error { return refused }), dialer(nil))
	if _, err := f.get(t, "x"); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	equal(t, "waits", f.sleeps, nil)
}

func TestCredentialsTouchNoOtherRequest(t *testing.T) {
	s := serve(t, ok(""), ok(""))
	f := newFixture(t, s.URL, `{}`, authenticated(func(r *auth.Attempt) error {
		r.Header.Add("X-Auth", "a")
		r.URL.RawQuery += "k=v"
		return nil
	}))
	for range 2 {
		if _, err := f.get(t, "x"); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "requests", s.lines(), []string{"GET /x?k=v", "GET /x?k=v"})
	equal(t, "headers", s.seen[1].header.Values("X-Auth"), []string{"a"})
}

// fetch gets an endpoint for a job with or without credentials.
func (f *fixture) fetch(t testing.TB, endpoint string, anonymous bool) string {
	t.Helper()
	res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: endpoint}, JobInfo{Anonymous: anonymous})
	if err != nil {
		t.Fatal(err)
	}
	return readSpool(t, res.Body)
}

// TestAnonymousRequests: authentication, signature and user are left out, also after a
// redirect and a repetition, and no event reports it: the job wants it.
func TestAnonymousRequests(t *testing.T) {
	s := serve(t, ok("open"), ok("signed"), to(307, "/again"), say(http.StatusServiceUnavailable, ""), ok("open"), to(302, "http://b.test/x"), ok("there"), ok("elsewhere"))
	f := newFixture(t, "http://ann:s3cret@a.test/", `{}`, authenticated(proving), elsewhere(s), signing)
	for _, request := range []struct {
		endpoint  string
		anonymous bool
	}{{"x", true}, {"x", false}, {"y", true}, {"z", true}, {"http://b.test/w", true}} {
		f.fetch(t, request.endpoint, request.anonymous)
	}
	for i, r := range s.seen {
		bare := r.header.Get("Authorization") == "" && r.header.Get("X-Proof") == "" && r.header.Get("X-Amz-Date") == ""
		if bare != (i != 1) {
			t.Errorf("request %d, %s at %s: %v", i, r.line, r.host, r.header)
		}
	}
	if reported := f.messages("credentials.withheld"); len(reported) > 0 {
		t.Errorf("events: %v", reported)
	}
}

// TestAnonymousLogin: a login for a job that wants no credentials does not exist, and one
// that wants them is not anonymous.
func TestAnonymousLogin(t *testing.T) {
	x := &call{Sender: JobInfo{Anonymous: true}, forLogin: true}
	if x.anonymous() {
		t.Error("a login without credentials")
	}
}

// TestAnonymousCertificate: the certificate of the client is not shown.
func TestAnonymousCertificate(t *testing.T) {
	authority := issue(t, "authority.test", nil, true)
	client := issue(t, "client.test", authority, false)
	settings, problems := settingsOf(t, nil, certificates(authority.pem(), client.pem()+client.keyPEM(t)))
	if problems != "" {
		t.Fatal(problems)
	}
	f := newFixture(t, secure(t, authority), `{}`, nil, func(o *Options) { o.Settings = settings })
	for _, want := range []struct {
		anonymous bool
		name      string
	}{{false, "client.test"}, {true, "no one"}, {false, "client.test"}} {
		if got := f.fetch(t, "x", want.anonymous); got != want.name {
			t.Errorf("anonymous %v: the server saw %s, want %s", want.anonymous, got, want.name)
		}
	}
	f.Close()
}

// TestCacheOfAnonymousRequests: requests without credentials do not get cached responses
// to requests with credentials.
func TestCacheOfAnonymousRequests(t *testing.T) {
	server := serve(t, ok("mine"), ok("everyone's"))
	f := newFixture(t, server.URL, `{}`, authenticated(proving), caching(t.TempDir(), today), func(o *Options) { o.Identity = "me" })
	for _, request := range []struct {
		anonymous bool
		want      string
	}{{false, "mine"}, {true, "everyone's"}, {false, "mine"}, {true, "everyone's"}} {
		if got := f.fetch(t, "x", request.anonymous); got != request.want {
			t.Errorf("anonymous %v: got %s, want %s", request.anonymous, got, request.want)
		}
	}
}

// TestReplayOfAnonymousRequests: regardless of their order, requests with and without
// credentials get their own responses.
func TestReplayOfAnonymousRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.har")
	server := serve(t, ok("mine"), ok("everyone's"), ok("mine, too"))
	change, end := recording(t, path)
	f := newFixture(t, server.URL, `{}`, authenticated(proving), change)
	for _, anonymous := range []bool{false, true, false} {
		f.fetch(t, "x", anonymous)
	}
	end()
	var player *har.Player
	g := newFixture(t, server.URL, `{}`, authenticated(proving), replaying(t, path, &player))
	var got []string
	for _, anonymous := range []bool{true, false, false} {
		got = append(got, g.fetch(t, "x", anonymous))
	}
	if want := []string{"everyone's", "mine", "mine, too"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := player.Finish(); err != nil {
		t.Error(err)
	}
	_, err := g.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{Anonymous: true})
	wantUserError(t, err, "/x (without credentials) is sent more often than it was recorded (1 time)")
}
