package httpclient

import (
	"bufio"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

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
	settings, tunnel := b.tunnel(t, b.hostKey())
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
	if logins != 1 || b.waits != nil {
		t.Errorf("%d logins, waits %v", logins, b.waits)
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
	settings, tunnel := b.tunnel(t)
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
	if logins, _ := b.counts(); logins != 2 || b.waits != nil {
		t.Errorf("%d logins, waits for the tunnel %v", logins, b.waits)
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
	settings, tunnel := b.tunnel(t)
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
	if logins, _ := b.counts(); logins != 2 || b.waits != nil {
		t.Errorf("%d logins, waits for the tunnel %v", logins, b.waits)
	}
	if n := int(requests.Load()); n <= workers*(each+1) {
		t.Errorf("%d requests, though some were lost", n)
	}
}

// A lost tunnel is a network error, and a retry may open it again.
func TestLostTunnelMayStayAwayForAWhile(t *testing.T) {
	server := serve(t, ok("1"), ok("2"))
	b := newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	settings, tunnel := b.tunnel(t)
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
	equal(t, "waits for the tunnel", b.waits, append(append(append([]time.Duration{}, once...), once...), once...))
	equal(t, "reasons", f.messages("request.retried")[:1], []string{
		"GET /x: network error 7: the SSH tunnel is lost and cannot be opened again: connection refused, retry 1 in 1s"})
}

func TestLostTunnelThatStaysAway(t *testing.T) {
	server := serve(t, ok("1"))
	b := newBastion(t, map[string]string{"a.test:80": server.Listener.Addr().String()})
	settings, tunnel := b.tunnel(t)
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
	if len(f.sleeps) != 2 || len(b.waits) != 12 {
		t.Errorf("%d waits for the request and %d for the tunnel, want 2 and 12", len(f.sleeps), len(b.waits))
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
			b.waits = nil
			settings, tunnel := b.tunnel(t, tt.changes...)
			tunnel.dial = tt.dial
			if tt.name == "silent" {
				settings.server.timeout = 10 * time.Millisecond
			}
			f := newFixture(t, "http://a.test/", `{}`, nil, through(settings, tunnel))
			_, err := f.get(t, "x")
			wantUserError(t, err, "cannot open the SSH tunnel: "+tt.want, " (5 attempts) (at /parameters/sshProxy)")
			equal(t, "waits for the tunnel", b.waits, []time.Duration{second, 2 * second, 4 * second, 8 * second})
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
	settings, tunnel := b.tunnel(t)
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
	equal(t, "waits for the tunnel", b.waits, []time.Duration{second, 2 * second, 4 * second, 8 * second})
}

func TestTunnelEndsWithTheRun(t *testing.T) {
	silent, _ := misbehave(t, hang)
	b := newBastion(t, nil)
	settings, tunnel := b.tunnel(t)
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
	equal(t, "waits for the tunnel", b.waits, nil)

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
	settings, tunnel := b.tunnel(t)
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
	settings, tunnel := b.tunnel(t)
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
	_, tunnel := b.tunnel(t)
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
	_, tunnel := b.tunnel(t)
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

// pemOf is a key as PEM text.
func pemOf(t testing.TB, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestCompileSSHServer(t *testing.T) {
	slowtest.Skip(t, "it makes private keys")
	b := newBastion(t, nil)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curveDER, err := x509.MarshalECPrivateKey(curve)
	curvePEM := pemOf(t, "EC PRIVATE KEY", curveDER, err)
	wrapped, err := x509.MarshalPKCS8PrivateKey(large)
	wrappedPEM := pemOf(t, "PRIVATE KEY", wrapped, err)
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(crypto.PrivateKey(edwards), "", []byte("s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(name, s string) value.Member { return value.Member{Name: name, Value: value.OfString(s)} }
	const (
		key    = "configuration: /parameters/sshProxy/#privateKey: expected a private key in PEM form, found a string"
		port   = "configuration: /parameters/sshProxy/port: expected a port from 1 to 65535, found a "
		public = `configuration: /parameters/sshProxy/hostKey: expected the public key of the SSH server, like "ssh-ed25519 AAAA…", found a string; ssh-keyscan shows it`
	)
	hostKey := b.hostKey().Value.Raw()
	tests := []struct {
		name   string
		change value.Member
		want   string
	}{
		{"OpenSSH key", text("user", "ann"), ""},
		{"without a line feed at the end", text("#privateKey", strings.TrimSpace(b.key)), ""},
		{"with carriage returns", text("#privateKey", strings.ReplaceAll(b.key, "\n", "\r\n")), ""},
		{"RSA key", text("#privateKey", pemOf(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(large), nil)), ""},
		{"PKCS8 key", text("#privateKey", wrappedPEM), ""},
		{"EC key", text("#privateKey", curvePEM), ""},
		{"no PEM", text("#privateKey", "s3cret"), key},
		{"damaged", text("#privateKey", strings.Replace(curvePEM, "M", "N", 1)), key},
		{"passphrase", text("#privateKey", string(pem.EncodeToMemory(locked))), key + "; it has a passphrase, remove it"},
		{"passphrase in PKCS8", text("#privateKey", pemOf(t, "ENCRYPTED PRIVATE KEY", []byte("x"), nil)), key + "; it has a passphrase, remove it"},
		{"a public key", text("#privateKey", hostKey), key},
		{"port 0", value.Member{Name: "port", Value: value.OfInt(0)}, port + "number"},
		{"port too large", text("port", "65536"), port + "string"},
		{"port negative", value.Member{Name: "port", Value: value.OfInt(-22)}, port + "number"},
		{"port no number", text("port", "ssh"), "configuration: /parameters/sshProxy/port: expected an integer, found a string"},
		{"host key", text("hostKey", hostKey+" a comment"), ""},
		{"host key as it is in known_hosts", text("hostKey", "bastion.test "+hostKey), ""},
		{"no host key", text("hostKey", ""), ""},
		{"host key broken", text("hostKey", "ssh-ed25519 AAAA"), public},
		{"host key as a fingerprint", text("hostKey", ssh.FingerprintSHA256(b.host.PublicKey())), public},
		{"private key missing", text("#privateKey", ""), `configuration: /parameters/sshProxy: expected the key "#privateKey"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			settings, problems := settingsOf(t, b.section(tt.change), nil)
			if problems != tt.want {
				t.Errorf("got  %s\nwant %s", problems, tt.want)
			}
			if tt.want == "" && (settings.server.address != "bastion.test:2222" || settings.server.client.User != "ann" || len(settings.server.client.Auth) != 1) {
				t.Errorf("compiled to %+v", settings.server)
			}
		})
	}
	if settings, problems := settingsOf(t, nil, nil); problems != "" || settings.server != nil {
		t.Errorf("without the section: %s, %+v", problems, settings.server)
	}
}

func TestHostKeyAlgorithms(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	b := newBastion(t, nil)
	line := value.OfString(string(ssh.MarshalAuthorizedKey(public)))
	for _, tt := range []struct {
		name string
		key  value.Member
		want []string
	}{
		{"RSA", value.Member{Name: "hostKey", Value: line}, []string{"rsa-sha2-512", "rsa-sha2-256"}},
		{"Ed25519", b.hostKey(), []string{"ssh-ed25519"}},
		{"none", value.Member{Name: "__note", Value: line}, nil},
	} {
		settings, problems := settingsOf(t, b.section(tt.key), nil)
		if got := settings.server.client.HostKeyAlgorithms; problems != "" || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v, %s", tt.name, got, tt.want, problems)
		}
	}
}

func FuzzSSHKeys(f *testing.F) {
	f.Add("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "ssh-ed25519 AAAA")
	f.Fuzz(func(t *testing.T, private, public string) {
		section := value.OfMembers(
			value.Member{Name: "host", Value: value.OfString("h")}, value.Member{Name: "port", Value: value.OfInt(22)}, value.Member{Name: "user", Value: value.OfString("u")},
			value.Member{Name: "#privateKey", Value: value.OfString(private)}, value.Member{Name: "hostKey", Value: value.OfString(public)})
		settings, problems := settingsOf(t, []value.Member{{Name: "sshProxy", Value: section}}, nil)
		if problems == "" && len(settings.server.client.Auth) != 1 {
			t.Error("neither a key nor a problem")
		}
		if len(private) > 20 && strings.Contains(problems, private) {
			t.Errorf("the problem shows the key: %s", problems)
		}
	})
}
