package httpclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestRequestsGoThroughTheSSHTunnel(t *testing.T) {
	server := serve(t, ok("login"), ok("1"), ok("2"))
	authority := issue(t, "authority.test", nil, true)
	routes := map[string]string{
		"a.test:80":       server.Listener.Addr().String(),
		"b.test:8080":     server.Listener.Addr().String(),
		"server.test:443": strings.TrimPrefix(secure(t, authority), "https://"),
	}
	b := newBastion(t, routes)
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits, b.hostKey())
	trusting, _ := settingsOf(t, nil, certificates(authority.pem(), ""))
	settings.authorities = trusting.authorities
	proxied := environment(map[string]string{"http_proxy": "http://p.test:3128", "https_proxy": "http://p.test:3128"})
	first := newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel), proxied)
	second := newFixture(t, "http://b.test:8080/", `{}`, nil, through(settings, tunnel), proxied)
	if logins, _ := b.counts(); logins != 0 {
		t.Error("the tunnel was opened before the first request")
	}
	spool, err := first.Login(t.Context(), config.RequestSpec{Endpoint: "login"})
	if err != nil {
		t.Fatal(err)
	}
	readSpool(t, spool)
	for _, request := range []struct {
		client         *fixture
		endpoint, want string
	}{{first, "x", "1"}, {second, "x", "2"}, {first, "https://server.test/x", "no one"}} {
		if body, err := request.client.get(t, request.endpoint); err != nil || body != request.want {
			t.Errorf("%s: got %q, %v, want %q", request.endpoint, body, err, request.want)
		}
	}
	logins, asked := b.counts()
	equal(t, "connections", asked, []string{"direct-tcpip a.test:80", "direct-tcpip b.test:8080", "direct-tcpip server.test:443"})
	if logins != 1 || waits != nil {
		t.Errorf("%d logins, waits %v", logins, waits)
	}
	tunnel.Close()
	tunnel.Close()
	if tunnel.isOpen() {
		t.Error("the tunnel is open after it was closed")
	}
}

func TestLostTunnelIsOpenedAgain(t *testing.T) {
	var b *bastion
	dies := func(http.ResponseWriter, *http.Request) {
		b.start() // which stops the old one
		panic(http.ErrAbortHandler)
	}
	server := serve(t, ok("1"), dies, ok("2"))
	b = newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	var f *fixture
	var lost chan struct{}
	f = newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel), func(o *Options) {
		sleep := o.Sleep
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			<-lost // noticed within a second
			f.Close()
			return sleep(ctx, d)
		}
	})
	for _, want := range []string{"1", "2"} {
		if body, err := f.get(t, "x"); err != nil || body != want {
			t.Fatalf("got %q, %v, want %q", body, err, want)
		}
		lost = tunnel.lost
	}
	if logins, _ := b.counts(); logins != 2 || waits != nil {
		t.Errorf("%d logins, waits for the tunnel %v", logins, waits)
	}
	equal(t, "waits for the request", f.sleeps, []time.Duration{second})
}

// Many requests share one tunnel. If it is lost during them, all of them are sent again
// through one new tunnel.
func TestManyRequestsThroughOneTunnel(t *testing.T) {
	const workers, each = 12, 8
	var b *bastion
	var requests atomic.Int32
	together := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := requests.Add(1); {
		case n == workers:
			close(together)
		case n == workers*each/2:
			b.start() // which stops the old one
			panic(http.ErrAbortHandler)
		}
		<-together
		io.WriteString(w, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	b = newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	var lost chan struct{}
	f := newFixture(t, "http://a.test/", `{"http":{"concurrency":12}}`, nil, through(settings, tunnel), func(o *Options) {
		o.Sleep = func(ctx context.Context, _ time.Duration) error {
			<-lost // noticed within a second
			return ctx.Err()
		}
	})
	send := func(round int) {
		var wg sync.WaitGroup
		for i := range workers {
			wg.Go(func() {
				path := fmt.Sprintf("x%d-%d", round, i)
				if body, err := f.get(t, path); err != nil || body != "/"+path {
					t.Errorf("%s: got %q, %v", path, body, err)
				}
			})
		}
		wg.Wait()
	}
	send(0)
	lost = tunnel.lost
	if logins, _ := b.counts(); logins != 1 {
		t.Errorf("%d logins for the first requests", logins)
	}
	for round := range each {
		send(round + 1)
	}
	if logins, _ := b.counts(); logins != 2 || waits != nil {
		t.Errorf("%d logins, waits for the tunnel %v", logins, waits)
	}
	if n := int(requests.Load()); n <= workers*(each+1) {
		t.Errorf("%d requests, though some were lost", n)
	}
}

// A lost tunnel is a network error, and a retry may open it again.
func TestLostTunnelMayStayAwayForAWhile(t *testing.T) {
	server := serve(t, ok("1"), ok("2"))
	b := newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	f := newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel), func(o *Options) {
		sleep := o.Sleep
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			if d == 4*second {
				b.start()
			}
			return sleep(ctx, d)
		}
	})
	if body, err := f.get(t, "x"); err != nil || body != "1" {
		t.Fatalf("got %q, %v", body, err)
	}
	b.kill()
	<-tunnel.lost
	f.Close()
	if body, err := f.get(t, "x"); err != nil || body != "2" {
		t.Fatalf("got %q, %v", body, err)
	}
	equal(t, "waits for the request", f.sleeps, []time.Duration{second, 2 * second, 4 * second})
	once := []time.Duration{second, 2 * second, 4 * second, 8 * second}
	equal(t, "waits for the tunnel", waits, append(append(append([]time.Duration{}, once...), once...), once...))
	equal(t, "reasons", f.messages("request.retried")[:1], []string{
		"GET /x: network error 7: the SSH tunnel is lost and cannot be opened again: connection refused, retry 1 in 1s"})
}

func TestLostTunnelThatStaysAway(t *testing.T) {
	server := serve(t, ok("1"))
	b := newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	f := newFixture(t, "http://a.test/", `{"retryConfig":{"maxRetries":2}}`, nil, through(settings, tunnel))
	if _, err := f.get(t, "x"); err != nil {
		t.Fatal(err)
	}
	b.kill()
	<-tunnel.lost
	if _, err := tunnel.connection(t.Context(), "tcp", "a.test:80"); err == nil || err.Error() != "network error 7: the SSH tunnel is lost" {
		t.Errorf("a connection through a lost tunnel gives %v", err)
	}
	_, err := f.get(t, "x")
	wantUserError(t, err, "GET http://a.test/x failed: network error 7: the SSH tunnel is lost and cannot be opened again: connection refused")
	if len(f.sleeps) != 2 || len(waits) != 12 {
		t.Errorf("%d waits for the request and %d for the tunnel, want 2 and 12", len(f.sleeps), len(waits))
	}
}

func TestTunnelThatCannotBeOpened(t *testing.T) {
	silent, _ := misbehave(t, hang)
	closing, _ := misbehave(t, func(conn *net.TCPConn) { bufio.NewReader(conn).ReadString('\n') })
	garbage, _ := misbehave(t, func(conn *net.TCPConn) {
		io.WriteString(conn, "SSH-2.0-x\r\nnonsense, and more of it than a packet may hold\r\n")
		hang(conn)
	})
	to := func(address string) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
	b := newBastion(t, nil)
	tests := []struct {
		name, want string
		changes    []value.Member
		dial       func(context.Context, string, string) (net.Conn, error)
	}{
		{"no one there", "connection refused", nil, to("127.0.0.1:1")},
		{"unknown host", "lookup bastion.test: no such host", nil, func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "bastion.test"}
		}},
		{"silent", "no response from the SSH server within 'api.http.connectTimeout'", nil, to(silent)},
		{"closed", "the SSH server closed the connection", nil, to(closing)},
		{"not SSH", "", nil, to(garbage)}, // any error
		{"unknown user", "ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain",
			[]value.Member{{Name: "user", Value: value.OfString("bob")}}, b.dial},
		{"another host key", "ssh: host key mismatch", []value.Member{newBastion(t, nil).hostKey()}, b.dial},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var waits []time.Duration
			settings, tunnel := b.tunnel(t, &waits, tt.changes...)
			tunnel.dial = tt.dial
			if tt.name == "silent" {
				settings.server.timeout = 10 * time.Millisecond
			}
			f := newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel))
			_, err := f.get(t, "x")
			wantUserError(t, err, "cannot open the SSH tunnel: "+tt.want, " (5 attempts) (at /parameters/sshProxy)")
			equal(t, "waits for the tunnel", waits, []time.Duration{second, 2 * second, 4 * second, 8 * second})
			equal(t, "waits for the request", f.sleeps, nil)
			if f.stats.Requests.Load() != 0 {
				t.Error("a request is counted that was never sent")
			}
		})
	}
}

func TestTunnelOpensAtALaterAttempt(t *testing.T) {
	server := serve(t, ok("1"))
	b := newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	b.kill()
	sleep := tunnel.sleep
	tunnel.sleep = func(ctx context.Context, d time.Duration) error {
		if d == 8*second {
			b.start()
		}
		return sleep(ctx, d)
	}
	f := newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel))
	if body, err := f.get(t, "x"); err != nil || body != "1" {
		t.Errorf("got %q, %v", body, err)
	}
	equal(t, "waits for the tunnel", waits, []time.Duration{second, 2 * second, 4 * second, 8 * second})
}

func TestTunnelEndsWithTheRun(t *testing.T) {
	silent, _ := misbehave(t, hang)
	b := newBastion(t, nil)
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	ctx, cancel := context.WithCancel(t.Context())
	tunnel.dial = func(_ context.Context, network, _ string) (net.Conn, error) {
		conn, err := net.Dial(network, silent)
		cancel()
		return conn, err
	}
	f := newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel))
	if _, err := f.Do(ctx, config.RequestSpec{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	equal(t, "waits for the tunnel", waits, nil)

	ctx, cancel = context.WithCancel(t.Context())
	b.kill()
	tunnel.dial = b.dial
	tunnel.sleep = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return ctx.Err()
	}
	if _, err := f.Do(ctx, config.RequestSpec{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFarSideThatCannotConnect(t *testing.T) {
	b := newBastion(t, nil)
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	f := newFixture(t, "http://a.test/", `{"retryConfig":{"maxRetries":1}}`, nil, through(settings, tunnel))
	_, err := f.get(t, "x")
	wantUserError(t, err, "network error 7: no connection through the SSH tunnel: ssh: rejected: connect failed (\"no route to a.test:80\")")
	equal(t, "waits for the request", f.sleeps, []time.Duration{second})
	if logins, asked := b.counts(); logins != 1 || len(asked) != 2 {
		t.Errorf("%d logins, requested %v", logins, asked)
	}
}

func TestFarSideThatHangs(t *testing.T) {
	b := newBastion(t, nil)
	var waits []time.Duration
	settings, tunnel := b.tunnel(t, &waits)
	f := newFixture(t, "http://a.test/", `{"retryConfig":{"maxRetries":0}}`, nil, through(settings, tunnel))
	if err := tunnel.ensure(t.Context(), JobInfo{}); err != nil {
		t.Fatal(err)
	}
	settings.server.timeout = time.Nanosecond
	_, err := f.get(t, "x")
	wantUserError(t, err, "network error 28: no connection within 'api.http.connectTimeout'")
}

func TestServerWithoutASignOfLifeIsGone(t *testing.T) {
	b := newBastion(t, nil)
	b.mute = true
	var waits []time.Duration
	_, tunnel := b.tunnel(t, &waits)
	tunnel.probes = 10 * time.Millisecond
	if err := tunnel.ensure(t.Context(), JobInfo{}); err != nil {
		t.Fatal(err)
	}
	<-tunnel.lost
	if n := len(b.signs); n > 1 {
		t.Errorf("%d signs of life were requested after the first one stayed unanswered", n)
	}
}

func TestServerWithASignOfLifeStays(t *testing.T) {
	slowtest.Skip(t, "it waits for signs of life")
	t.Parallel()
	b := newBastion(t, nil)
	var waits []time.Duration
	_, tunnel := b.tunnel(t, &waits)
	tunnel.probes = 200 * time.Millisecond
	if err := tunnel.ensure(t.Context(), JobInfo{}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one is requested only when the first one came
		if got := <-b.signs; got != "keepalive@openssh.com" {
			t.Errorf("requested %s", got)
		}
	}
	if !tunnel.isOpen() {
		t.Error("the tunnel is lost")
	}
}

// Without a dialler the system's connects to the SSH server.
func TestTunnelBySystemConnections(t *testing.T) {
	server := httptest.NewServer(ok("1"))
	defer server.Close()
	b := newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	host, port, err := net.SplitHostPort(b.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	settings, problems := settingsOf(t, b.section(value.Member{Name: "host", Value: value.OfString(host)}, value.Member{Name: "port", Value: value.OfNumber(port)}), nil)
	if problems != "" {
		t.Fatal(problems)
	}
	tunnel := newTunnel(settings, nil, nil)
	defer tunnel.Close()
	f := newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel))
	if body, err := f.get(t, "x"); err != nil || body != "1" {
		t.Errorf("got %q, %v", body, err)
	}
	if none := newTunnel(Settings{}, nil, nil); none != nil {
		t.Error("a tunnel without settings")
	}
}
