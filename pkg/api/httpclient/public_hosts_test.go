package httpclient

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestNotPublic(t *testing.T) {
	t.Parallel()
	refused := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
		"169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
		"198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::7f00:1",
		"64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
		"2002:0a00:0001::1", "2002:5db8:d70e::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1",
	}
	for _, text := range refused {
		if notPublic(netip.MustParseAddr(text)) == "" {
			t.Errorf("%s passes", text)
		}
	}
	for _, text := range []string{"1.1.1.1", "93.184.215.14", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1", "169.253.255.255",
		"172.15.255.255", "172.32.0.1", "192.167.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
		"2001:200::1", "2606:4700:4700::1111", "2a00:1450::1"} {
		if why := notPublic(netip.MustParseAddr(text)); why != "" {
			t.Errorf("%s is refused: %s", text, why)
		}
	}
}

func TestNotPublicHost(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "0x7f.1", "0x7F000001", "2130706433", "017700000001", "0177.0.0.1", "10.1", "0", "00", "0x0",
		"１２７.０.０.１", "127。0。0。1", "①27.0.0.1", "localhost", "LOCALHOST.", "x.localhost", "a_b.LOCALHOST.", "::1", "::ffff:127.0.0.1", "fe80::1%eth0", "169.254.43518",
	} {
		if notPublicHost(host) == "" {
			t.Errorf("%s passes", host)
		}
	}
	for _, host := range []string{"api.test", "1.1.1.1", "0x01010101", "16843009", "localhost.test", "notlocalhost", "10.0.0.1.nip.test", "10.x", "256.0.0.1.test", "č.test", "a_b.test", "1.2.3.4.5", "127.0.0.1.5", ""} {
		if why := notPublicHost(host); why != "" {
			t.Errorf("%s is refused: %s", host, why)
		}
	}
}

// TestCloudMetadata: the metadata services of clouds, in every form of the address.
func TestCloudMetadata(t *testing.T) {
	t.Parallel()
	for cloud, addresses := range map[string][]string{
		"most":          {"169.254.169.254", "fe80::a9fe:a9fe"},
		"AWS":           {"169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23"},
		"Azure":         {"168.63.129.16"},
		"Alibaba":       {"100.100.100.200"},
		"Google":        {"fd20:ce::254"},
		"IBM":           {"161.26.0.10", "166.9.12.140"},
		"Linode":        {"fd00:a9fe:a9fe::1"},
		"Oracle":        {"192.0.0.192", "fd00:c1::a9fe:a9fe"},
		"Equinix Metal": {"192.80.8.124"},
		"Scaleway":      {"169.254.42.42", "fd00:42::42"},
		"Tencent":       {"169.254.0.23"},
	} {
		for _, text := range addresses {
			forms := []netip.Addr{netip.MustParseAddr(text)}
			if ip := forms[0]; ip.Is4() {
				four := ip.As4()
				translated, tunnelled := netip.MustParseAddr("64:ff9b::").As16(), netip.MustParseAddr("2002::").As16()
				copy(translated[12:], four[:])
				copy(tunnelled[2:], four[:])
				forms = append(forms, netip.AddrFrom16(ip.As16()), netip.AddrFrom16(translated), netip.AddrFrom16(tunnelled))
			}
			for _, ip := range forms {
				if notPublic(ip) == "" {
					t.Errorf("%s: %s passes", cloud, ip)
				}
			}
		}
	}
	for _, host := range []string{"0xa83f8110", "2822734096", "168.63.33040", "::ffff:168.63.129.16"} {
		if notPublicHost(host) == "" {
			t.Errorf("%s passes", host)
		}
	}
	for _, text := range []string{"168.63.129.15", "168.63.129.17", "192.80.8.123", "161.25.255.255", "161.27.0.1", "166.7.255.255", "166.12.0.1"} {
		if why := notPublic(netip.MustParseAddr(text)); why != "" {
			t.Errorf("%s is refused: %s", text, why)
		}
	}
}

// FuzzNotPublicHost: every text that the system's parsers read as a private address is
// refused.
func FuzzNotPublicHost(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "::1", "0x7f.1", "localhost", "１２７.1", "[::1]", "1.2.3.4%x", "..", "0x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		why := notPublicHost(host)
		if ip := net.ParseIP(host); ip != nil && why == "" {
			if ip.IsPrivate() || ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() {
				t.Errorf("%q passes", host)
			}
		}
	})
}

// resolver returns the addresses of each name: one list for each lookup, then the last
// one again.
type resolver struct {
	mu    sync.Mutex
	known map[string][][]string
	asked []string
}

func (n *resolver) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, host)
	lists := n.known[host]
	if len(lists) == 0 {
		if ip, err := netip.ParseAddr(host); err == nil {
			return []netip.Addr{ip}, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(lists) > 1 {
		n.known[host] = lists[1:]
	}
	var found []netip.Addr
	for _, text := range lists[0] {
		found = append(found, netip.MustParseAddr(text))
	}
	return found, nil
}

// refusing makes a client that refuses private networks. All its connections go to one
// server, and the dialled addresses are stored.
func refusing(n *resolver, to string) (change func(*Options), dialled func() []string) {
	var mu sync.Mutex
	var all []string
	return func(o *Options) {
			o.DenyPrivateNetworks, o.Lookup = true, n.lookup
			o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				mu.Lock()
				all = append(all, address)
				mu.Unlock()
				if strings.HasPrefix(address, "1.1.1.1:") {
					return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
				}
				return (&net.Dialer{}).DialContext(ctx, network, to)
			}
		}, func() []string {
			mu.Lock()
			defer mu.Unlock()
			return all
		}
}

const publicIP, otherIP = "93.184.215.14", "2606:4700::1111"

func TestPrivateHostsAreRefused(t *testing.T) {
	n := &resolver{known: map[string][][]string{
		"inner.test": {{"10.0.0.5"}}, "both.test": {{publicIP, "169.254.169.254"}}, "mapped.test": {{"::ffff:127.0.0.1"}}, "six.test": {{otherIP, "fd00::1"}},
	}}
	tests := []struct{ endpoint, want string }{
		{"http://inner.test/x?token=secret", "the host inner.test is refused by --deny-private-networks: it resolves to 10.0.0.5, which is private"},
		{"https://inner.test/x", "inner.test"},
		{"http://both.test/x", "both.test is refused by --deny-private-networks: it resolves to 169.254.169.254, which is link-local"},
		{"http://mapped.test/x", "it resolves to 127.0.0.1, which is this machine"},
		{"http://six.test/x", "it resolves to fd00::1, which is private"},
		{"http://127.0.0.1:8080/x", "the host 127.0.0.1 is refused by --deny-private-networks: it is this machine"},
		{"http://[::1]/x", "the host ::1 is refused"},
		{"http://2130706433/x", "2130706433 is refused"},
		{"http://localhost/x", "localhost is refused"},
	}
	for _, tt := range tests {
		change, dialled := refusing(n, "127.0.0.1:1")
		f := newFixture(t, "http://a.test/", `{}`, nil, change)
		_, job := f.get(t, tt.endpoint)
		wantUserError(t, job, tt.want)
		_, login := f.Login(t.Context(), config.RequestSpec{Endpoint: tt.endpoint})
		wantUserError(t, login, tt.want)
		if len(dialled()) != 0 || len(f.sleeps) != 0 {
			t.Errorf("%s: dialled %v, waited %v", tt.endpoint, dialled(), f.sleeps)
		}
	}
}

func TestPublicHostsAreReached(t *testing.T) {
	s := serve(t, ok("one"), ok("two"), ok("three"))
	n := &resolver{known: map[string][][]string{"a.test": {{"1.1.1.1", publicIP}}, "six.test": {{otherIP}}}}
	change, dialled := refusing(n, s.Listener.Addr().String())
	f := newFixture(t, "http://a.test/", `{}`, nil, change)
	for _, endpoint := range []string{"x", "http://six.test:8080/y", "http://" + publicIP + "/z"} {
		if _, err := f.get(t, endpoint); err != nil {
			t.Error(err)
		}
	}
	equal(t, "addresses", dialled(), []string{"1.1.1.1:80", publicIP + ":80", "[" + otherIP + "]:8080", publicIP + ":80"})
	if s.seen[0].host != "a.test" {
		t.Errorf("the server received a request for %s", s.seen[0].host)
	}
}

func TestPublicHostThatIsDown(t *testing.T) {
	change, dialled := refusing(&resolver{known: map[string][][]string{"down.test": {{"1.1.1.1", "1.1.1.1"}}}}, "")
	f := newFixture(t, "http://a.test/", `{"retryConfig":{"maxRetries":0}}`, nil, change)
	_, err := f.get(t, "http://down.test/x")
	wantUserError(t, err, "network error 7: no connection: connection refused")
	equal(t, "addresses", dialled(), []string{"1.1.1.1:80", "1.1.1.1:80"})
}

// TestPublicOnlyBySystem: with the system's resolver and connections, which are not
// reached.
func TestPublicOnlyBySystem(t *testing.T) {
	reached := errors.New("reached")
	dial := func(_ context.Context, _, address string) (net.Conn, error) {
		if address != publicIP+":80" {
			t.Errorf("dialled %s", address)
		}
		return nil, reached
	}
	if _, err := publicOnly(dial, nil, time.Minute)(t.Context(), "tcp", publicIP+":80"); !errors.Is(err, reached) {
		t.Errorf("the system's resolver: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	n := &resolver{known: map[string][][]string{"a.test": {{publicIP}}}}
	if _, err := publicOnly(nil, n.lookup, time.Minute)(over, "tcp", "a.test:80"); err == nil || !strings.Contains(err.Error(), "operation was canceled") {
		t.Errorf("the system's connections: %v", err)
	}
}

// A name that resolves to a public address first and to a private one afterwards.
func TestReboundNames(t *testing.T) {
	closing := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		io.WriteString(w, "x")
	}
	busy := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(503)
	}
	leave := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.Header().Set("Location", "http://a.test/next")
		w.WriteHeader(302)
	}
	for name, step := range map[string]http.HandlerFunc{"next request": closing, "retry": busy, "redirect": leave} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, step)
			n := &resolver{known: map[string][][]string{"a.test": {{publicIP}, {"127.0.0.1"}}}}
			change, dialled := refusing(n, s.Listener.Addr().String())
			f := newFixture(t, "http://a.test/", `{}`, nil, change)
			_, err := f.get(t, "x")
			if name == "next request" {
				if err != nil {
					t.Fatal(err)
				}
				_, err = f.get(t, "y")
			}
			wantUserError(t, err, "a.test is refused by --deny-private-networks: it resolves to 127.0.0.1, which is this machine")
			equal(t, "addresses", dialled(), []string{publicIP + ":80"})
		})
	}
}

func TestNamesThatDoNotResolve(t *testing.T) {
	change, _ := refusing(&resolver{known: map[string][][]string{"none.test": {{}}}}, "")
	for _, host := range []string{"none.test", "unknown.test"} {
		f := newFixture(t, "http://a.test/", `{"retryConfig":{"maxRetries":1}}`, nil, change)
		_, err := f.get(t, "http://"+host+"/x")
		wantUserError(t, err, "network error 6: the host "+host+" is not known")
		equal(t, "waits", f.sleeps, []time.Duration{second})
	}
	slow := func(ctx context.Context, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, err := publicOnly(nil, slow, time.Nanosecond)(t.Context(), "tcp", "a.test:80")
	if code, _ := classify(t.Context(), err, false); code != codeTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// The operator's proxy may have any address. It resolves names.
func TestPrivateHostsBehindAProxy(t *testing.T) {
	via := serve(t, ok("by proxy"))
	n := &resolver{known: map[string][][]string{"direct.test": {{"10.0.0.5"}}}}
	change, dialled := refusing(n, via.Listener.Addr().String())
	f := newFixture(t, "http://a.test/", `{}`, nil, change, environment(map[string]string{"http_proxy": via.URL, "no_proxy": "direct.test"}))
	if body, err := f.get(t, "http://inner.test/x"); err != nil || body != "by proxy" {
		t.Errorf("got %q, %v", body, err)
	}
	for _, endpoint := range []string{"http://10.0.0.5/x", "http://direct.test/x", "https://10.0.0.5/x", "http://①0.5/"} {
		_, err := f.get(t, endpoint)
		wantUserError(t, err, "is refused by --deny-private-networks")
	}
	equal(t, "addresses", dialled(), []string{via.Listener.Addr().String()})
	equal(t, "names", n.asked, []string{"direct.test"})
}

// The request line for a proxy must have the checked address, not the configured Host.
func TestHostHeaderDoesNotLeadAProxy(t *testing.T) {
	via := serve(t, ok(""), ok(""), ok(""))
	f := newFixture(t, "http://a.test/v1", `{"http":{"headers":{"Host":"evil.test"}}}`, nil, onlyV1, environment(map[string]string{"http_proxy": via.URL}))
	for _, r := range []config.RequestSpec{{Endpoint: "x y?q=1"}, {Endpoint: "/v1"}, {Endpoint: "z", Method: "POST"}} {
		if _, err := f.do(t, r); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "requests", via.lines(), []string{"GET http://a.test/v1/x%20y?q=1", "GET http://a.test/v1", "POST http://a.test/v1/z"})
}

func TestPrivateBastionIsRefused(t *testing.T) {
	n := &resolver{known: map[string][][]string{"bastion.test": {{"10.0.0.7"}}}}
	tunnel := newTunnel(Settings{server: &sshServer{pointer: "/parameters/sshProxy", address: "bastion.test:22", timeout: time.Minute}},
		publicOnly(nil, n.lookup, time.Minute), func(context.Context, time.Duration) error {
			t.Error("a refusal is tried again")
			return nil
		})
	err := tunnel.ensure(t.Context(), JobInfo{})
	wantUserError(t, err, "bastion.test is refused by --deny-private-networks: it resolves to 10.0.0.7", "/parameters/sshProxy")
}
