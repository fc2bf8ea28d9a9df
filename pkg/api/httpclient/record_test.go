package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// recording lets a fixture record into a file; end completes it.
func recording(t testing.TB, path string) (change func(*Options), end func()) {
	t.Helper()
	var r *har.Recorder
	change = func(o *Options) {
		var err error
		r, err = har.NewRecorder(har.Options{Path: path, Creator: "c", Version: "1", Secrets: o.Secrets, Now: o.Now, Sleep: o.Sleep})
		if err != nil {
			t.Fatal(err)
		}
		o.Recorder, o.Now, o.Sleep = r, r.Now, r.Sleep
	}
	return change, func() {
		t.Helper()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// replaying lets a fixture replay a file.
func replaying(t testing.TB, path string, player **har.Player) func(*Options) {
	t.Helper()
	return func(o *Options) {
		p, err := har.NewPlayer(path, o.Secrets)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		o.Player, o.Now, o.Sleep = p, p.Now, p.Sleep
		*player = p
	}
}

// tokenLogin logs in once, and adds what it
// got to the query.
type tokenLogin struct {
	secrets *secret.Registry
	once    sync.Once
	token   string
}

func (l *tokenLogin) Authenticate(ctx context.Context, r *auth.Attempt) (err error) {
	l.once.Do(func() {
		var responded auth.LoginResponse
		if responded, err = r.Login(ctx, config.RequestSpec{Endpoint: "login"}); err != nil {
			return
		}
		defer responded.Body.Close()
		var text []byte
		if text, _, err = responded.Body.Text(response.Format{}); err != nil {
			return
		}
		var response value.Value
		if response, err = value.Parse(text); err == nil {
			l.token = response.Field("token").Text()
			l.secrets.AddTemporary(l.token)
		}
	})
	r.URL.RawQuery += "&token=" + l.token
	return err
}

func withLogin(f *secret.Registry) auth.Authenticator {
	return &tokenLogin{secrets: f}
}

// TestReplayInAnotherOrder: parallel requests may be recorded and replayed in any order.
func TestReplayInAnotherOrder(t *testing.T) {
	const requests = 30
	path := filepath.Join(t.TempDir(), "run.har")
	server := serve(t, append([]http.HandlerFunc{ok(`{"token":"tok-123456"}`)}, times(requests, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "page %s", r.FormValue("n"))
	})...)...)
	var secrets secret.Registry
	change, end := recording(t, path)
	f := newFixture(t, server.URL+"/", `{}`, withLogin(&secrets), func(o *Options) { o.Secrets = &secrets }, change)
	fetch := func(f *fixture, n int) {
		body, err := f.get(t, fmt.Sprintf("x?n=%d", n))
		if want := fmt.Sprintf("page %d", n); err != nil || body != want {
			t.Errorf("got %q, %v, want %q", body, err, want)
		}
	}
	var all sync.WaitGroup
	for n := range requests {
		all.Go(func() { fetch(f, n) })
	}
	all.Wait()
	end()
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "tok-123456") || strings.Count(string(text), `"startedDateTime"`) != requests+2 {
		t.Fatalf("the recording holds the token or lacks an exchange (%v): %s", err, text)
	}
	var player *har.Player
	var fresh secret.Registry
	g := newFixture(t, server.URL+"/", `{}`, withLogin(&fresh), func(o *Options) { o.Secrets = &fresh }, replaying(t, path, &player))
	for n := range requests {
		all.Go(func() { fetch(g, requests-1-n) })
	}
	all.Wait()
	if err := player.Finish(); err != nil {
		t.Error(err)
	}
	if got := g.stats.Requests.Load(); got != requests+1 {
		t.Errorf("%d requests are counted", got)
	}
	if got, want := g.stats.Bytes.Load(), f.stats.Bytes.Load(); got != want {
		t.Errorf("%d bytes are counted, %d were recorded", got, want)
	}
}

// TestRecordedFailures: a failure is replayed as the same failure; a request that was
// never sent is not counted then either.
func TestRecordedFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.har")
	address, _ := misbehave(t, responding("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut"))
	hosts := dialer(map[string]string{"cut.test:80": address})
	change, end := recording(t, path)
	f := newFixture(t, "http://cut.test/", `{"retryConfig":{"maxRetries":1}}`, nil, hosts, change)
	_, cut := f.get(t, "a")
	_, unknown := f.get(t, "http://none.test/b")
	end()
	wantUserError(t, cut, "network error 18")
	wantUserError(t, unknown, "network error 6")
	var player *har.Player
	g := newFixture(t, "http://cut.test/", `{"retryConfig":{"maxRetries":1}}`, nil, replaying(t, path, &player))
	for i, want := range []error{cut, unknown} {
		endpoint := []string{"a", "http://none.test/b"}[i]
		if _, err := g.get(t, endpoint); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: got %v, want %v", endpoint, err, want)
		}
	}
	equal(t, "waits", g.sleeps, nil)
	if got := g.stats.Requests.Load(); got != 2 || got != f.stats.Requests.Load() {
		t.Errorf("%d requests are counted, want those that were sent", got)
	}
	if err := player.Finish(); err != nil {
		t.Error(err)
	}
}

// TestNothingIsRecordedOfAnEndedRun: a cancelled request is no response of the API.
func TestNothingIsRecordedOfAnEndedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.har")
	ctx, cancel := context.WithCancel(t.Context())
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	change, end := recording(t, path)
	f := newFixture(t, server.URL, `{}`, nil, change)
	if _, err := f.Do(ctx, config.RequestSpec{Endpoint: "a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	end()
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `"entries":[`) || strings.Contains(string(text), "_error") {
		t.Errorf("%v: %s", err, text)
	}
}
