package httpclient

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// unreachable are the ways in which connecting fails.
var unreachable = []struct {
	name string
	err  error
	says string
}{
	{"no such host", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "a.test", IsNotFound: true}}, "network error 6: the host a.test is not known"},
	{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "network error 7: no connection: connection refused"},
	{"no way", &net.OpError{Op: "dial", Err: syscall.ENETUNREACH}, "network error 7: no connection: network is unreachable"},
	{"no one there", &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, "network error 7: no connection: no route to host"},
	{"no response to the wish for a connection", &net.OpError{Op: "dial", Err: syscall.ETIMEDOUT}, "network error 28: no connection: connection timed out"},
}

// failing fails to connect while its error is set.
type failing struct {
	err      error
	attempts int
	server   string
}

func (d *failing) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	d.attempts++
	if d.err != nil {
		return nil, d.err
	}
	return (&net.Dialer{}).DialContext(ctx, network, d.server)
}

// passing advances the clock of a fixture with its sleeps.
func passing(o *Options) {
	now, sleep := today(), o.Sleep
	o.Now = func() time.Time { return now }
	o.Sleep = func(ctx context.Context, d time.Duration) error {
		now = now.Add(d)
		return sleep(ctx, d)
	}
}

// senderOf is a job with that endpoint.
func senderOf(endpoint string) JobInfo {
	return JobInfo{Job: endpoint, Pointer: "/parameters/config/jobs/0"}
}

func TestFirstContactIsGivenUpSoon(t *testing.T) {
	for _, tt := range unreachable {
		t.Run(tt.name, func(t *testing.T) {
			d := &failing{err: tt.err}
			f := newFixture(t, "http://a.test/v1/", `{}`, nil, passing, func(o *Options) { o.Dial = d.dial })
			_, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, senderOf("x"))
			wantUserError(t, err, "GET http://a.test/v1/x failed: "+tt.says, "tried 5 times in 15 seconds",
				"http://a.test has not responded in this run", "check the scheme, host and port of 'api.baseUrl'")
			if at := failure.PointerOf(err); at != "/parameters/api/baseUrl" {
				t.Errorf("points to %s", at)
			}
			equal(t, "waits", f.sleeps, []time.Duration{second, 2 * second, 4 * second, 8 * second})
			if d.attempts != 5 {
				t.Errorf("%d attempts", d.attempts)
			}
		})
	}
}

func TestFirstContactMayComeAboutLate(t *testing.T) {
	d := &failing{err: syscall.ECONNREFUSED, server: serve(t, ok("1")).Listener.Addr().String()}
	f := newFixture(t, "http://a.test", `{}`, nil, passing, func(o *Options) {
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if d.attempts == 4 {
				d.err = nil
			}
			return d.dial(ctx, network, address)
		}
	})
	d.err = &net.OpError{Op: "dial", Err: d.err}
	if body, err := f.get(t, "x"); err != nil || body != "1" {
		t.Errorf("got %q, %v", body, err)
	}
}

// After any response of an origin the configured limits apply.
func TestAfterTheFirstResponseRetriesAreAsConfigured(t *testing.T) {
	for _, status := range []int{200, 404, 500} {
		d := &failing{server: serve(t, say(status, "")).Listener.Addr().String()}
		f := newFixture(t, "http://a.test", `{"http":{"ignoreErrors":[404,500]},"retryConfig":{"http":{"codes":[]}}}`, nil, passing, func(o *Options) { o.Dial = d.dial })
		if _, err := f.get(t, "x"); err != nil {
			t.Fatal(err)
		}
		f.network.close() // the connection is not kept
		d.err, d.attempts = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 0
		_, err := f.get(t, "y")
		wantUserError(t, err, "/y failed: network error 7")
		if strings.Contains(err.Error(), "tried") || d.attempts != 11 {
			t.Errorf("status %d: %d attempts, %v", status, d.attempts, err)
		}
	}
}

func TestFirstContactIsThatOfTheWholeRun(t *testing.T) {
	contacts := &reachedOrigins{}
	d := &failing{server: serve(t, ok("")).Listener.Addr().String()}
	change := func(o *Options) { o.Dial, o.contacts = d.dial, contacts }
	if _, err := newFixture(t, "http://a.test", `{}`, nil, change).get(t, "x"); err != nil {
		t.Fatal(err)
	}
	d.err, d.attempts = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 0
	if _, err := newFixture(t, "http://a.test", `{"retryConfig":{"maxRetries":6}}`, nil, passing, change).get(t, "x"); err == nil || d.attempts != 7 {
		t.Errorf("%d attempts, %v", d.attempts, err)
	}
	// Another port is another origin.
	d.attempts = 0
	if _, err := newFixture(t, "http://a.test:81", `{}`, nil, passing, change).get(t, "x"); err == nil || d.attempts != 5 {
		t.Errorf("%d attempts, %v", d.attempts, err)
	}
}

func TestFirstContactAndSettings(t *testing.T) {
	for _, tt := range []struct {
		name, api string
		attempts  int
		says      string
	}{
		{"fewer retries win", `{"retryConfig":{"maxRetries":2}}`, 3, "tried 3 times in 3 seconds"},
		{"more do not", `{"retryConfig":{"maxRetries":20}}`, 5, "tried 5 times in 15 seconds"},
		{"none", `{"retryConfig":{"maxRetries":0}}`, 1, "tried once"},
		{"an error that is not tried again", `{"retryConfig":{"curl":{"codes":[28]}}}`, 1, "tried once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &failing{err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
			f := newFixture(t, "http://a.test", tt.api, nil, passing, func(o *Options) { o.Dial = d.dial })
			_, err := f.get(t, "x")
			wantUserError(t, err, tt.says)
			if d.attempts != tt.attempts {
				t.Errorf("%d attempts, want %d", d.attempts, tt.attempts)
			}
		})
	}
}

// No attempt begins after half a minute.
func TestFirstContactTakesHalfAMinuteAtMost(t *testing.T) {
	for _, tt := range []struct {
		each     time.Duration
		attempts int
	}{{time.Second, 5}, {5 * time.Second, 4}, {10 * time.Second, 3}, {30 * time.Second, 1}} {
		attempts, passed := 0, time.Duration(0)
		f := newFixture(t, "http://a.test", `{}`, nil, func(o *Options) {
			o.Now = func() time.Time { return today().Add(passed) }
			o.Sleep = func(_ context.Context, d time.Duration) error {
				passed += d
				return nil
			}
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				attempts++
				passed += tt.each
				return nil, &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}
			}
		})
		_, err := f.get(t, "x")
		wantUserError(t, err, "http://a.test has not responded")
		if attempts != tt.attempts || passed > maxUnreachedTime+tt.each {
			t.Errorf("%s each: %d attempts in %s, want %d", tt.each, attempts, passed, tt.attempts)
		}
	}
}

// The message points to the setting that named the origin.
func TestWhatNamedAnOrigin(t *testing.T) {
	login := func(endpoint string) (string, auth.Authenticator) {
		return `{"authentication":{"type":"login","loginRequest":{"endpoint":"` + endpoint + `"}}}`, authFunc(func(ctx context.Context, r *auth.Attempt) error {
			_, err := r.Login(ctx, config.RequestSpec{Endpoint: endpoint})
			return err
		})
	}
	here, hereMethod := login("session")
	there, thereMethod := login("https://login.test/session")
	for _, tt := range []struct {
		name, api         string
		method            auth.Authenticator
		job, endpoint     string
		says, at, pointer string
	}{
		{"a path", `{}`, nil, "x", "x", "port of 'api.baseUrl',", "http://a.test", "/parameters/api/baseUrl"},
		{"an absolute endpoint", `{}`, nil, "https://b.test/x", "https://b.test/x", "port of the endpoint,", "https://b.test", "/parameters/config/jobs/0/endpoint"},
		{"an endpoint of another host", `{}`, nil, "//b.test/x", "//b.test/x", "port of the endpoint,", "http://b.test", "/parameters/config/jobs/0/endpoint"},
		{"a host of a row", `{}`, nil, "https://{host}/x", "https://c.test/x", "port of the endpoint,", "https://c.test", "/parameters/config/jobs/0/endpoint"},
		{"a next page", `{}`, nil, "x", "https://d.test/x?page=2", "port of the URL that a response led to,", "https://d.test", ""},
		{"a login", here, hereMethod, "https://b.test/x", "https://b.test/x", "port of 'api.baseUrl',", "http://a.test", "/parameters/api/baseUrl"},
		{"a login of another host", there, thereMethod, "x", "x", "port of the endpoint,", "https://login.test", "/parameters/api/authentication/loginRequest/endpoint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, "http://a.test", tt.api, tt.method, passing, dialer(nil), func(o *Options) { o.Endpoints = []string{tt.job} })
			_, err := f.Do(t.Context(), config.RequestSpec{Endpoint: tt.endpoint}, senderOf(tt.job))
			wantUserError(t, err, tt.at+" has not responded", tt.says)
			if at := failure.PointerOf(err); at != tt.pointer {
				t.Errorf("points to %q, want %q", at, tt.pointer)
			}
			if len(f.sleeps) != 4 {
				t.Errorf("waited %v", f.sleeps)
			}
		})
	}
	t.Run("a redirect", func(t *testing.T) {
		s := serve(t, to(302, "http://elsewhere.test/"))
		f := newFixture(t, "http://a.test", `{}`, nil, passing, dialer(map[string]string{"a.test:80": s.Listener.Addr().String()}))
		_, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, senderOf("x"))
		wantUserError(t, err, "http://elsewhere.test has not responded", "that a response led to")
	})
}

// A response that is not TLS, or only its beginning, is no contact. An untrusted
// certificate is not a failed connection and has its own error.
func TestFirstContactIncludesTLS(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		behave     func(*net.TCPConn)
	}{
		{"no TLS", "network error 35: the server does not speak TLS", func(conn *net.TCPConn) {
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}},
		{"cut", "network error 52", func(conn *net.TCPConn) { _, _ = conn.Read(make([]byte, 4096)) }},
		{"reset", "network error 56", func(conn *net.TCPConn) {
			_, _ = conn.Read(make([]byte, 10))
			_ = conn.SetLinger(0)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			address, connections := misbehave(t, tt.behave)
			f := newFixture(t, "https://"+address, `{}`, nil, passing)
			_, err := f.get(t, "x")
			wantUserError(t, err, tt.says, "tried 5 times in 15 seconds")
			if connections() != 5 {
				t.Errorf("%d connections", connections())
			}
		})
	}
	server := httptest.NewTLSServer(ok(""))
	defer server.Close()
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshake fails intentionally
	f := newFixture(t, server.URL, `{}`, nil, passing)
	_, err := f.get(t, "x")
	wantUserError(t, err, "network error 60: the server's certificate is not trusted")
	if strings.Contains(err.Error(), "tried") || len(f.sleeps) != 0 {
		t.Errorf("waited %v: %v", f.sleeps, err)
	}
}

func TestBrokenOffFirstContact(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, "http://a.test", `{}`, nil, func(o *Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			cancel()
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}
	})
	if _, err := f.Do(ctx, config.RequestSpec{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The events of the attempts do not change.
func TestFirstContactIsReported(t *testing.T) {
	d := &failing{err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	f := newFixture(t, "http://a.test", `{}`, nil, passing, func(o *Options) { o.Dial = d.dial })
	if _, err := f.get(t, "x"); err == nil {
		t.Fatal("no error")
	}
	got := f.messages("request.retried")
	if len(got) != 4 || got[0] != "GET /x: network error 7: no connection: connection refused, retry 1 in 1s" {
		t.Errorf("got %q", got)
	}
}
