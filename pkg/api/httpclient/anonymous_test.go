package httpclient

import (
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/config"
)

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
	x := &Call{Sender: JobInfo{Anonymous: true}, Purpose: Login}
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
