package httpclient

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// environment gives variables of the environment to a client.
func environment(variables map[string]string) func(*Options) {
	return func(o *Options) { o.Getenv = func(name string) string { return variables[name] } }
}

func TestProxyVariables(t *testing.T) {
	const p, q = "http://p.test:3128", "http://q.test:3128"
	tests := []struct {
		name, address, want string
		variables           map[string]string
	}{
		{"none", "http://a.test/", "", nil},
		{"http_proxy", "http://a.test/", p, map[string]string{"http_proxy": p}},
		{"http_proxy is not for https", "https://a.test/", "", map[string]string{"http_proxy": p}},
		{"HTTP_PROXY may come from a request", "http://a.test/", "", map[string]string{"HTTP_PROXY": p}},
		{"https_proxy", "https://a.test/", p, map[string]string{"https_proxy": p}},
		{"https_proxy is not for http", "http://a.test/", "", map[string]string{"https_proxy": p}},
		{"HTTPS_PROXY", "https://a.test/", p, map[string]string{"HTTPS_PROXY": p}},
		{"https_proxy before HTTPS_PROXY", "https://a.test/", p, map[string]string{"https_proxy": p, "HTTPS_PROXY": q}},
		{"all_proxy for http", "http://a.test/", p, map[string]string{"all_proxy": p}},
		{"all_proxy for https", "https://a.test/", p, map[string]string{"all_proxy": p}},
		{"ALL_PROXY", "https://a.test/", p, map[string]string{"ALL_PROXY": p}},
		{"all_proxy is the last", "http://a.test/", p, map[string]string{"all_proxy": q, "http_proxy": p}},
		{"SOCKS", "http://a.test/", "socks5://p.test:1080", map[string]string{"all_proxy": "socks5://p.test:1080"}},
		{"no_proxy", "http://a.test/", "", map[string]string{"http_proxy": p, "no_proxy": "b.test,a.test"}},
		{"no_proxy of a domain", "http://x.a.test/", "", map[string]string{"http_proxy": p, "no_proxy": ".a.test"}},
		{"no_proxy of another host", "http://a.test/", p, map[string]string{"http_proxy": p, "no_proxy": "b.test"}},
		{"NO_PROXY", "http://a.test/", "", map[string]string{"http_proxy": p, "NO_PROXY": "*"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			find, err := proxy(&Options{Shared: &Shared{Run: &env.Run{Getenv: func(name string) string { return tt.variables[name] }}}})
			if err != nil {
				t.Fatal(err)
			}
			found, err := find(&http.Request{URL: baseURL(t, tt.address)})
			got := ""
			if found != nil {
				got = found.String()
			}
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestUnreadableProxy: without an error requests would bypass the proxy.
func TestUnreadableProxy(t *testing.T) {
	for _, text := range []string{"http://ann:s3cr%et@p.test:3128", "http://p.test:port", "http://ann s3cret@p.test", "http://", "://s3cret", "ftp://s3cret@p.test", "socks4://p.test:1080", "http://[::1", "s3cret p.test", "\x00"} {
		for _, name := range []string{"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"} {
			_, err := proxy(&Options{Shared: &Shared{Run: &env.Run{Secrets: &secret.Registry{}, Getenv: func(asked string) string { return map[string]string{name: text}[asked] }}}})
			wantUserError(t, err, "the environment variable "+name+" is not the address of a proxy: expected http://host:port")
			if strings.Contains(err.Error(), "s3cr") || strings.Contains(err.Error(), "p.test") {
				t.Errorf("%s: the value is shown: %s", name, err)
			}
		}
	}
	for _, text := range []string{"p.test", "p.test:3128", "ann:s3cret@p.test:3128", "10.0.0.1:3128", "[::1]:3128", "https://p.test", "HTTP://p.test", "socks5h://p.test:1080/"} {
		if readProxy(text) == nil {
			t.Errorf("%s cannot be read", text)
		}
	}
}

// TestUnreadableProxyThatIsNotUsed: a tunnel and a replay use no proxy.
func TestUnreadableProxyThatIsNotUsed(t *testing.T) {
	for name, o := range map[string]Options{
		"tunnel":  shared(Settings{server: &sshServer{}}),
		"replay":  {Shared: &Shared{Run: &env.Run{Player: &har.Player{}}}},
		"dry run": {Shared: shared(Settings{}).Shared, DryRun: &DryRun{}},
	} {
		o.Getenv = func(string) string { return "http://" }
		if find, err := proxy(&o); find != nil || err != nil {
			t.Errorf("%s: got a proxy or an error: %v", name, err)
		}
	}
}

func TestRequestsGoThroughTheProxy(t *testing.T) {
	via := serve(t, ok("by proxy"))
	direct := serve(t, ok("directly"))
	f := newFixture(t, "http://a.test/", `{}`, nil, dialer(map[string]string{"b.test:80": direct.Listener.Addr().String()}),
		environment(map[string]string{"http_proxy": strings.Replace(via.URL, "//", "//ann:s3cret@", 1), "no_proxy": "b.test"}))
	for endpoint, want := range map[string]string{"x?q=1": "by proxy", "http://b.test/y": "directly"} {
		if body, err := f.get(t, endpoint); err != nil || body != want {
			t.Errorf("%s: got %q, %v, want %q", endpoint, body, err, want)
		}
	}
	if got := via.seen[0]; got.line != "GET http://a.test/x?q=1" || got.header.Get("Proxy-Authorization") != "Basic YW5uOnMzY3JldA==" {
		t.Errorf("the proxy got %s with %v", got.line, got.header)
	}
	if got := direct.seen[0]; got.line != "GET /y" {
		t.Errorf("the server got %s", got.line)
	}
}

// tunnel accepts every CONNECT and connects it to a server.
func tunnel(t testing.TB, to string) string {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != "example.com:443" {
			t.Errorf("the proxy got %s %s", r.Method, r.Host)
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		defer server.Close()
		client, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer client.Close()
		io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		done := make(chan struct{})
		go func() {
			io.Copy(server, buffered)
			close(done)
		}()
		io.Copy(client, server)
		client.Close()
		<-done
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

func TestSecureRequestsGoThroughATunnel(t *testing.T) {
	server := httptest.NewTLSServer(ok("secure"))
	defer server.Close()
	f := newFixture(t, "https://example.com/", `{}`, nil, environment(map[string]string{"https_proxy": tunnel(t, server.Listener.Addr().String())}))
	f.network.trusted.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	if body, err := f.get(t, "x"); err != nil || body != "secure" {
		t.Errorf("got %q, %v", body, err)
	}
	f.Close()
}

func TestProxiesThatFail(t *testing.T) {
	refusing, _ := misbehave(t, responding("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"))
	socks, _ := misbehave(t, func(conn *net.TCPConn) {
		bufio.NewReader(conn).ReadByte()
		io.WriteString(conn, "\x05\xff") // no acceptable method
		hang(conn)
	})
	tests := []struct{ name, proxy, want string }{
		{"tunnel refused", "http://" + refusing, "56: the proxy returned status 407 Proxy Authentication Required"},
		{"SOCKS failure", "socks5://" + socks, "97: the proxy made no connection: "},
		{"unknown proxy", "http://p.test:3128", "5: the proxy's host p.test is not known"},
		{"no proxy there", "http://127.0.0.1:1", "7: no connection to the proxy: connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.proxy)
			if err != nil {
				t.Fatal(err)
			}
			u.User = url.UserPassword("ann", "s3cret")
			f := newFixture(t, "https://a.test/", `{"retryConfig":{"maxRetries":0}}`, nil, dialer(nil), environment(map[string]string{"https_proxy": u.String()}))
			_, err = f.get(t, "x")
			wantUserError(t, err, "GET https://a.test/x failed: network error "+tt.want, "; tried once", "check the proxy in the environment")
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows the proxy's password: %v", err)
			}
		})
	}
}
