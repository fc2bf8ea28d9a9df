package httpclient

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// fixture is a client with everything around it recorded.
type fixture struct {
	*Client
	iteration config.Iteration
	spools    string // directory of the temporary files
	stats     *stats
	secrets   secret.Registry

	sink   recorder
	sleeps []time.Duration
}

// recorder is the sink of the events.
type recorder struct {
	mu     sync.Mutex
	events []event.Event
}

// Write implements event.Sink.
func (r *recorder) Write(e event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	return nil
}

// Close implements event.Sink.
func (*recorder) Close() error { return nil }

// today is the clock of all tests.
func today() time.Time { return time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC) }

// newFixture makes a client for the settings of `api`, with its base URL set.
// The options may be changed before the client is made.
func newFixture(t testing.TB, base, api string, method auth.Authenticator, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{spools: t.TempDir()}
	doc := docOf(t, base, api)
	f.iteration = doc.Iterations[0]
	o := Options{
		API: doc.API, BaseURL: doc.Iterations[0].BaseURL,
		Auth: method,
		Shared: &Shared{
			Run: &env.Run{
				UserAgent: "agent/1",
				Secrets:   &f.secrets,
				Now:       today,
				Sleep:     f.sleep,
				Getenv:    func(string) string { return "" },
			},
			spooler: response.NewSpooler(f.spools, 16),
		},
	}
	f.stats = &o.Stats
	o.Log = event.NewLog(&f.sink, o.Secrets, today)
	for _, c := range change {
		c(&o)
	}
	o.fill(o.API)
	client, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	f.Client = client
	t.Cleanup(client.Close)
	return f
}

// docOf compiles a configuration with these settings of `api`.
func docOf(t testing.TB, base, api string) *config.Document {
	t.Helper()
	settings := parse(t, api).With("baseUrl", value.OfString(base))
	text := `{"parameters":{"api":` + settings.JSON() + `,"config":{"jobs":[{"endpoint":"x"}]}}}`
	doc, problems := config.Compile(parse(t, text), config.Options{Now: today, Tree: config.NewTree(config.Types{Settings: []field.Declaration{Cache, SSHProxy, AWS}})})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return doc
}

func (f *fixture) sleep(ctx context.Context, d time.Duration) error {
	f.sleeps = append(f.sleeps, d)
	return ctx.Err()
}

// messages are those of the events of a kind.
func (f *fixture) messages(kind string) []string {
	f.sink.mu.Lock()
	defer f.sink.mu.Unlock()
	var all []string
	for _, e := range f.sink.events {
		if e.Kind == kind {
			all = append(all, e.Message)
		}
	}
	return all
}

// get sends a GET request and returns the body of the response.
func (f *fixture) get(t testing.TB, endpoint string) (string, error) {
	t.Helper()
	return f.do(t, config.RequestSpec{Endpoint: endpoint})
}

func (f *fixture) do(t testing.TB, r config.RequestSpec) (string, error) {
	t.Helper()
	res, err := f.Do(t.Context(), r)
	if err != nil {
		return "", err
	}
	return readSpool(t, res.Body), nil
}

// Do sends a request, for no job unless one is given.
func (f *fixture) Do(ctx context.Context, r config.RequestSpec, from ...JobInfo) (*Response, error) {
	sender := append(from, JobInfo{})[0]
	sender.Headers = f.iteration.Headers
	defaults, err := f.iteration.Defaults.Request(nil)
	if err != nil {
		return nil, err
	}
	return f.Client.Do(ctx, r.Over(defaults), sender)
}

// Login sends a login request for no request.
func (f *fixture) Login(ctx context.Context, r config.RequestSpec) (*response.Spool, error) {
	responded, err := f.login(ctx, &call{}, r)
	return responded.Body, err
}

func readSpool(t testing.TB, spool *response.Spool) string {
	t.Helper()
	body, err := io.ReadAll(spool.Raw())
	if err != nil {
		t.Fatal(err)
	}
	if err := spool.Close(); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// seen is one request as the server got it.
type seen struct {
	line, host, body string
	header           http.Header
}

// script is a server that responds to each request with the next step.
type script struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

// serve starts a script. More or fewer requests than steps fail the test.
func serve(t testing.TB, steps ...http.HandlerFunc) *script {
	t.Helper()
	s := &script{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		n := len(s.seen)
		s.seen = append(s.seen, seen{line: r.Method + " " + r.RequestURI, host: r.Host, body: string(body), header: r.Header})
		s.mu.Unlock()
		if n >= len(steps) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		steps[n](w, r)
	}))
	t.Cleanup(func() {
		s.Close()
		if len(s.seen) != len(steps) {
			t.Errorf("the server got %d requests, want %d: %s", len(s.seen), len(steps), s.lines())
		}
	})
	return s
}

// lines are the first lines of all requests.
func (s *script) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, r := range s.seen {
		lines = append(lines, r.line)
	}
	return lines
}

// say responds with a status, headers ("Name: value") and a body.
func say(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, v, _ := strings.Cut(h, ": ")
			w.Header().Add(name, v)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// ok responds with a body.
func ok(body string) http.HandlerFunc { return say(http.StatusOK, body) }

// times repeats a step.
func times(n int, step http.HandlerFunc) []http.HandlerFunc {
	return slices.Repeat([]http.HandlerFunc{step}, n)
}

// misbehave serves each connection with a function, and closes it afterwards. It returns
// the address and a count of the connections so far.
func misbehave(t testing.TB, behave func(*net.TCPConn)) (string, func() int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			n++
			mu.Unlock()
			behave(conn.(*net.TCPConn))
			conn.Close()
		}
	})
	t.Cleanup(func() {
		listener.Close()
		wg.Wait()
	})
	return listener.Addr().String(), func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// responding reads a request and responds with exactly these bytes.
func responding(text string) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			io.WriteString(conn, text)
		}
	}
}

// dialer connects invented host names ("a.test:80") to servers.
func dialer(to map[string]string) func(*Options) {
	return func(o *Options) {
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if at, ok := to[address]; ok {
				address = at
			} else if !strings.HasPrefix(address, "127.0.0.1:") {
				host, _, _ := net.SplitHostPort(address)
				return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
}

// authFunc is an Authenticator.
type authFunc func(context.Context, *auth.Attempt) error

func (f authFunc) Authenticate(ctx context.Context, r *auth.Attempt) error { return f(ctx, r) }

// authenticated is an Authenticator that sends nothing.
func authenticated(f func(*auth.Attempt) error) auth.Authenticator {
	return authFunc(func(_ context.Context, r *auth.Attempt) error { return f(r) })
}

// stepFunc is a step of the chain.
type stepFunc func(context.Context, *call) (*Response, error)

func (f stepFunc) do(ctx context.Context, x *call) (*Response, error) { return f(ctx, x) }

// wantUserError checks that an error is the user's and has these words.
func wantUserError(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil || failure.KindOf(err) != failure.User {
		t.Fatalf("got %v, want a user error", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got the error %q, want %q in it", err, w)
		}
	}
}

func equal[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestMain wants all goroutines ended when the tests are.
func TestMain(m *testing.M) { goleak.VerifyTestMain(ramdisk.Tests(m.Run)) }
