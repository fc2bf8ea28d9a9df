package httpclient

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// reset reads a request, sends some bytes and resets the connection.
func reset(text string) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		responding(text)(conn)
		conn.SetLinger(0)
	}
}

// hang reads until the client gives up.
func hang(conn *net.TCPConn) { io.Copy(io.Discard, conn) }

func TestServersThatMisbehave(t *testing.T) {
	slowtest.Skip(t, "it waits for time-outs")
	const head = "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name, scheme string
		behave       func(*net.TCPConn)
		want         string
		retried      bool   // by default
		limits       string // of time
	}{
		{"body shorter than announced", "http", responding(head + "Content-Length: 10\r\n\r\n12345"), "18: the connection ended in the middle of the response", true, ""},
		{"chunked body without its end", "http", responding(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"), "18: the connection ended in the middle of the response", true, ""},
		{"chunk cut in the middle", "http", responding(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n123"), "18: the connection ended in the middle of the response", true, ""},
		{"chunk without a length", "http", responding(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n12345\r\n"), "56: the body of the response cannot be read", true, ""},
		{"compressed body that never came", "http", responding(head + "Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n"), "18: the connection ended in the middle of the response", true, ""},
		{"reset before the response", "http", reset(""), "56: the server reset the connection", true, ""},
		{"reset within the body", "http", reset(head + "Content-Length: 10\r\n\r\n12345"), "56: the server reset the connection", true, ""},
		{"closed without a response", "http", responding(""), "52: the server closed the connection without a response", true, ""},
		{"closed within the head", "http", responding("HTTP/1.1 200"), "52: the server closed the connection without a response", true, ""},
		{"garbage instead of HTTP", "http", responding("220 mail.test ESMTP\r\n\r\n"), "8: the response is not valid HTTP", false, ""},
		{"garbage in the head", "http", responding(head + "s3cret without a colon\r\n\r\n"), "8: the response is not valid HTTP", false, ""},
		{"impossible length", "http", responding(head + "Content-Length: much\r\n\r\n"), "8: the response is not valid HTTP", false, ""},
		{"another protocol", "http", responding("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), "8: the response is 101 Switching Protocols, which was not requested", false, ""},
		{"a header too long", "http", responding(head + "X: " + strings.Repeat("x", maxHead) + "\r\n\r\n"), "8: the head of the response has more than 1048576 bytes", false, ""},
		{"too many headers", "http", responding(head + strings.Repeat("X: y\r\n", maxHead/6)), "8: the head of the response has more than 1048576 bytes", false, ""},
		{"no TLS", "https", func(conn *net.TCPConn) {
			conn.Read(make([]byte, 100))
			io.WriteString(conn, "HTTP/1.0 400 Bad Request\r\n\r\n")
			hang(conn)
		}, "35: the server does not speak TLS", true, ""},
		{"a TLS alert", "https", func(conn *net.TCPConn) {
			conn.Read(make([]byte, 100))
			io.WriteString(conn, "\x15\x03\x03\x00\x02\x02\x28") // handshake_failure
			hang(conn)
		}, "35: no secure connection: ", true, ""},
		{"no handshake in time", "https", hang, "28: no connection within 'api.http.connectTimeout'", true, `"connectTimeout":0.02`},
		{"no response in time", "http", hang, "28: the response did not arrive within 'api.http.requestTimeout'", true, `"requestTimeout":0.1`},
		{"half a response in time", "http", func(conn *net.TCPConn) {
			responding(head + "Content-Length: 10\r\n\r\n12345")(conn)
			hang(conn)
		}, "28: the response did not arrive within 'api.http.requestTimeout'", true, `"requestTimeout":0.1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address, _ := misbehave(t, tt.behave)
			f := newFixture(t, tt.scheme+"://"+address, `{"retryConfig":{"maxRetries":1},"http":{`+tt.limits+`}}`, nil)
			_, err := f.get(t, "x?q=1")
			wantUserError(t, err, "GET "+tt.scheme+"://"+address+"/x?q=1 failed: network error "+tt.want)
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows what the server sent: %v", err)
			}
			if got := len(f.sleeps) == 1; got != tt.retried {
				t.Errorf("retried: %t, want %t", got, tt.retried)
			}
			noSpools(t, f)
		})
	}
}

// TestConnectionsGivenUpByTheSystem: a time-out of the system on an open connection is
// not an error of connecting.
func TestConnectionsGivenUpByTheSystem(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
	lost := "network error 56: the connection was lost: the server has sent no data for too long"
	for _, tt := range []struct{ name, sent, want string }{
		{"before the response", "", lost},
		{"within the head", head[:17], lost},
		{"within the body", head + "12345", lost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, "http://a.test", `{"retryConfig":{"maxRetries":1}}`, nil, func(o *Options) {
				o.Dial = func(context.Context, string, string) (net.Conn, error) {
					return &silenced{left: strings.NewReader(tt.sent), asked: make(chan struct{})}, nil
				}
			})
			_, err := f.get(t, "x")
			wantUserError(t, err, "GET http://a.test/x failed: "+tt.want)
			if strings.Contains(err.Error(), "connectTimeout") {
				t.Errorf("got %v", err)
			}
			equal(t, "waits", f.sleeps, []time.Duration{second})
		})
	}
}

// silenced is a connection on which the system gives up some bytes after the request.
type silenced struct {
	net.Conn
	left  *strings.Reader
	asked chan struct{}
	once  sync.Once
}

func (c *silenced) Write(p []byte) (int, error) {
	c.once.Do(func() { close(c.asked) })
	return len(p), nil
}

func (c *silenced) Close() error { return nil }

func (c *silenced) Read(p []byte) (int, error) {
	<-c.asked
	if n, err := c.left.Read(p); err == nil {
		return n, nil
	}
	return 0, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)}
}

func TestConnectionsThatCannotBeMade(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	failing := func(err error) func(*Options) {
		return func(o *Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
			}
		}
	}
	tests := []struct {
		name, base, want string
		change           func(*Options)
		retried          bool
	}{
		{"refused", "http://" + nobody, "7: no connection: connection refused", func(*Options) {}, true},
		{"unreachable", "http://a.test", "7: no connection: no route to host", failing(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), true},
		{"unknown host", "http://a.test", "6: the host a.test is not known", failing(&net.DNSError{Err: "no such host", Name: "a.test", IsNotFound: true}), true},
		{"no connection in time", "http://a.test", "28: no connection within 'api.http.connectTimeout'", failing(os.ErrDeadlineExceeded), true},
		{"broken while sending", "http://a.test", "55: the connection broke while sending", func(o *Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				return brokenPipe{closed: make(chan struct{})}, nil
			}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, tt.base, `{"retryConfig":{"maxRetries":1}}`, nil, tt.change)
			_, err := f.get(t, "x")
			wantUserError(t, err, "GET "+tt.base+"/x failed: network error "+tt.want)
			if got := len(f.sleeps) == 1; got != tt.retried {
				t.Errorf("retried: %t, want %t", got, tt.retried)
			}
		})
	}
}

// brokenPipe is a connection on which all writes fail.
type brokenPipe struct {
	net.Conn
	closed chan struct{}
}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}
}

func (p brokenPipe) Read([]byte) (int, error) {
	<-p.closed
	return 0, net.ErrClosed
}

func (p brokenPipe) Close() error {
	close(p.closed)
	return nil
}

func TestCertificates(t *testing.T) {
	tests := []struct {
		name, host, want string
		trust            bool
		requests         int64
	}{
		{"trusted", "example.com", "", true, 1},
		{"unknown authority", "example.com", "60: the server's certificate is not trusted: it was signed by an unknown authority", false, 0},
		{"for another host", "other.test", "60: the server's certificate is not trusted: certificate is valid for example.com", true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(ok("secure"))
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail intentionally
			server.StartTLS()
			defer server.Close()
			f := newFixture(t, "https://"+tt.host, `{}`, nil, dialer(map[string]string{tt.host + ":443": server.Listener.Addr().String()}))
			if tt.trust {
				f.network.trusted.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			}
			body, err := f.get(t, "x")
			if tt.want == "" && (err != nil || body != "secure") {
				t.Errorf("got %q, %v", body, err)
			}
			if tt.want != "" {
				wantUserError(t, err, "network error "+tt.want)
			}
			equal(t, "waits", f.sleeps, nil)
			if got := f.stats.Requests.Load(); got != tt.requests {
				t.Errorf("%d requests are counted, want %d", got, tt.requests)
			}
		})
	}
}

func TestOnlyHTTP1AndModernTLSAreSpoken(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	f := newFixture(t, server.URL, `{}`, nil)
	f.network.trusted.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	if body, err := f.get(t, "x"); err != nil || body != "HTTP/1.1" {
		t.Errorf("got %q, %v", body, err)
	}
	if got := f.network.trusted.TLSClientConfig.MinVersion; got != tls.VersionTLS12 {
		t.Errorf("the lowest TLS version is %x", got)
	}
}
