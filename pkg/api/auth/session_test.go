package auth

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

const tokenLogin = `"apiRequest":{"headers":{"X-Token":{"response":"t"}},"query":{"sid":{"response":"s"}}}`

// tokensOf returns the responses to n logins, each with different tokens.
func tokensOf(n int) []string {
	var responses []string
	for i := range n {
		responses = append(responses, fmt.Sprintf(`{"t":"t%d","s":"s%d"}`, i+1, i+1))
	}
	return responses
}

func TestNothingIsSentBeforeTheFirstRequest(t *testing.T) {
	w := newWorld(t, tokensOf(1)...)
	a := w.start(mustCompile(t, loginWith(tokenLogin), `{}`))
	if len(w.logins) != 0 {
		t.Errorf("%d logins before a request", len(w.logins))
	}
	authenticated(t, a, requestTo(t, "http://a.test/"))
	if len(w.logins) != 1 {
		t.Errorf("%d logins for a request", len(w.logins))
	}
}

func TestRenewedCredentials(t *testing.T) {
	w := newWorld(t, tokensOf(3)...)
	a := w.start(mustCompile(t, loginWith(tokenLogin), `{}`))
	renewer := a.(Renewer)
	first, alsoFirst := authenticated(t, a, requestTo(t, "http://a.test/")), authenticated(t, a, requestTo(t, "http://a.test/"))
	if renewer.Revoked(t.Context(), first) {
		t.Error("given up before anybody requested it")
	}
	renewer.Renew(first)
	if len(w.logins) != 1 {
		t.Errorf("giving credentials up sent a login")
	}
	second := authenticated(t, a, requestTo(t, "http://a.test/"))
	if !renewer.Revoked(t.Context(), alsoFirst) {
		t.Error("was sent with what has been given up")
	}
	renewer.Renew(alsoFirst)
	if other := requestTo(t, "http://a.test/other"); renewer.Revoked(t.Context(), other) {
		t.Error("was never authenticated")
	} else {
		renewer.Renew(other)
	}
	third := authenticated(t, a, requestTo(t, "http://a.test/"))
	renewer.Renew(third)
	fourth := authenticated(t, a, requestTo(t, "http://a.test/"))
	for i, r := range []string{headersOf(first), headersOf(alsoFirst), headersOf(second), headersOf(third), headersOf(fourth)} {
		if want := "X-Token: " + []string{"t1", "t1", "t2", "t2", "t3"}[i]; r != want {
			t.Errorf("request %d: got %s, want %s", i+1, r, want)
		}
	}
}

// TestRenewedInAdvance: of a request that may not be needed the credentials are
// given up when it is, and not when it is broken off.
func TestRenewedInAdvance(t *testing.T) {
	w := newWorld(t, tokensOf(3)...)
	a := w.start(mustCompile(t, loginWith(tokenLogin), `{}`))
	renewer := a.(Renewer)
	sent := func() (*Attempt, chan struct{}) {
		needed := make(chan struct{})
		r := requestTo(t, "http://a.test/")
		r.Needed = needed
		return authenticated(t, a, r), needed
	}

	dropped, _ := sent()
	ctx, breakOff := context.WithCancel(t.Context())
	breakOff()
	if renewer.Revoked(ctx, dropped) {
		t.Error("given up because of a request that was broken off")
	}
	first, needed := sent()
	second, _ := sent()
	responses := make(chan bool)
	go func() { responses <- renewer.Revoked(t.Context(), first) }()
	close(needed)
	if <-responses {
		t.Error("given up because of a request that no one needed yet")
	}
	go func() { responses <- renewer.Revoked(t.Context(), second) }()
	renewer.Renew(first)
	if !<-responses {
		t.Error("a request in advance waits though another one has given up its credentials")
	}
	if got := headersOf(authenticated(t, a, requestTo(t, "http://a.test/"))); got != "X-Token: t2" || len(w.logins) != 2 {
		t.Errorf("got %s after %d logins", got, len(w.logins))
	}
}

// TestReplacedCredentials: what was only replaced, because it had expired, was not
// given up, and giving it up leaves the newer credentials alone.
func TestReplacedCredentials(t *testing.T) {
	w := newWorld(t, tokensOf(2)...)
	a := w.start(mustCompile(t, loginWith(tokenLogin, `"expires":10`), `{}`))
	old := authenticated(t, a, requestTo(t, "http://a.test/"))
	w.clock.Advance(11 * time.Second)
	authenticated(t, a, requestTo(t, "http://a.test/"))
	if a.(Renewer).Revoked(t.Context(), old) {
		t.Error("given up by no one")
	}
	a.(Renewer).Renew(old)
	if !a.(Renewer).Revoked(t.Context(), old) {
		t.Error("not given up")
	}
	if got := headersOf(authenticated(t, a, requestTo(t, "http://a.test/"))); got != "X-Token: t2" || len(w.logins) != 2 {
		t.Errorf("got %s after %d logins", got, len(w.logins))
	}
}

func TestResponseIsGivenBack(t *testing.T) {
	for _, res := range []string{`{"t":"a","s":"b"}`, `not JSON`, `[]`} {
		w := newWorld(t, res)
		var spools []*response.Spool
		a := w.startWith(mustCompile(t, loginWith(tokenLogin), `{}`), func(ctx context.Context, r config.RequestSpec) (LoginResponse, error) {
			responded, err := w.login(ctx, r)
			spools = append(spools, responded.Body)
			return responded, err
		})
		if err := a.Authenticate(t.Context(), requestTo(t, "http://a.test/")); err != nil && failure.KindOf(err) != failure.User {
			t.Error(err)
		}
		if head, err := spools[0].Head(1); err != nil || len(head) != 0 {
			t.Errorf("%s: the spool is still open: %q, %v", res, head, err)
		}
	}
}
