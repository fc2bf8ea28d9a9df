package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
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

func TestUnauthorizedIsFinalWithoutRenewal(t *testing.T) {
	f := newFixture(t, serve(t, say(401, "no")).URL, `{}`, authenticated(func(*auth.Attempt) error { return nil }))
	_, err := f.get(t, "x")
	wantUserError(t, err, "[401] Client error")
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
