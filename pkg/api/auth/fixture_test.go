package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// compile reads `api.authentication` beside a `config`, as a run would.
func compile(t testing.TB, authentication, conf string) (Method, failure.Problems) {
	t.Helper()
	settings := testvalue.Parse(t, conf).With("jobs", testvalue.Parse(t, `[{"endpoint":"x"}]`))
	text := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":"http://a.test","authentication":%s},"config":%s}}`, authentication, settings.JSON())
	doc, problems := config.Compile(testvalue.Parse(t, text), testOptions())
	m := Compile(doc, doc.Iterations[0], AllSchemes())
	return m, *problems
}

func mustCompile(t testing.TB, authentication, conf string) Method {
	t.Helper()
	m, problems := compile(t, authentication, conf)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// today is when every clock starts: 2025-03-01 09:00:00, 1740819600.
func today() time.Time { return time.Unix(1740819600, 0).UTC() }

// world is what an authentication works with, recorded.
type world struct {
	secrets   secret.Registry
	clock     *clock.Clock
	mu        sync.Mutex
	responses []string // of the logins, the last one again and again
	logins    []config.RequestSpec
	events    []event.Event
	fail      error // of the next login
	spools    *response.Spooler
}

// newWorld returns an environment that responds to logins.
func newWorld(t testing.TB, responses ...string) *world {
	return &world{clock: clock.At(today()), responses: responses, spools: response.NewSpooler(t.TempDir(), 1<<20)}
}

func (w *world) start(m Method) Authenticator {
	return w.startWith(m, w.login)
}

// startWith starts a method whose attempts log in by a function.
func (w *world) startWith(m Method, login loginFunc) Authenticator {
	return loggingIn(m.Start(w.env(), nil), login)
}

// env is the environment of the world.
func (w *world) env() *env.Run { return &env.Run{Now: w.clock.Now, Log: w.log(), Secrets: &w.secrets} }

type loginFunc func(context.Context, config.RequestSpec) (LoginResponse, error)

// loggingIn is an authentication whose attempts log in by a function.
func loggingIn(a Authenticator, login loginFunc) Authenticator {
	with := withLogin{a, login}
	if r, ok := a.(Renewer); ok {
		return renewing{with, r}
	}
	return with
}

type withLogin struct {
	Authenticator
	login loginFunc
}

func (l withLogin) Authenticate(ctx context.Context, r *Attempt) error {
	r.Login = l.login
	return l.Authenticator.Authenticate(ctx, r)
}

type renewing struct {
	withLogin
	Renewer
}

func (w *world) log() *event.Log { return event.NewLog(w, &w.secrets, today) }

func (w *world) login(ctx context.Context, r config.RequestSpec) (LoginResponse, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logins = append(w.logins, r)
	if w.fail != nil {
		return LoginResponse{}, w.fail
	}
	spool := w.spools.New()
	_, err := spool.Write([]byte(w.responses[min(len(w.logins), len(w.responses))-1]))
	return LoginResponse{Body: spool}, errors.Join(err, ctx.Err())
}

// Write implements event.Sink.
func (w *world) Write(e event.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
	return nil
}

// Close implements event.Sink.
func (*world) Close() error { return nil }

// requestTo is a job's request, with headers given as "Name: value".
func requestTo(t testing.TB, address string, headers ...string) *Attempt {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r := &Attempt{Request: &request.Request{Method: "GET", URL: u, Host: u.Host, Header: http.Header{}}}
	for _, h := range headers {
		name, v, _ := strings.Cut(h, ": ")
		r.Header[name] = append(r.Header[name], v)
	}
	return r
}

// authenticated is a request with its credentials.
func authenticated(t testing.TB, a Authenticator, r *Attempt) *Attempt {
	t.Helper()
	if err := a.Authenticate(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// headersOf are the lines of the headers of a request, sorted by name.
func headersOf(r *Attempt) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, v := range r.Header[name] {
			lines = append(lines, name+": "+v)
		}
	}
	return strings.Join(lines, "; ")
}

// wantUserError checks kind, place and words of an error.
func wantUserError(t testing.TB, err error, pointer string, words ...string) {
	t.Helper()
	if err == nil || failure.KindOf(err) != failure.User {
		t.Fatalf("got %v, want a user error", err)
	}
	if got := failure.PointerOf(err); got != pointer {
		t.Errorf("the error points at %s, want %s", got, pointer)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got the error %q, want %q in it", err, w)
		}
	}
}

// testOptions read documents as a run does, but for what other packages declare.
func testOptions() config.Options {
	all := AllSchemes()
	return config.Options{Now: today, Tree: config.NewTree(config.Types{
		Authentication: all.Type(), Credentials: all.Attributes(), Document: []field.Declaration{Authorization},
	})}
}

// TestMain wants all goroutines ended when the tests are.
func TestMain(m *testing.M) { goleak.VerifyTestMain(ramdisk.Tests(m.Run)) }
