package httpclient

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// TestResponseBeforeItsRequest: a server sends a second response after the first one. It
// arrives when the next request already has the connection but is not sent yet.
func TestResponseBeforeItsRequest(t *testing.T) {
	for name, start := range map[string]func(*httptest.Server){"plain": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			const whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
			taken, believed := make(chan struct{}), make(chan struct{})
			var requests atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) > 1 {
					io.WriteString(w, "right")
					return
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				io.WriteString(conn, whole+"first")
				<-taken
				io.WriteString(conn, whole+"wrong")
				io.Copy(io.Discard, conn)
			}))
			start(server)
			defer server.Close()
			f := newFixture(t, server.URL, `{}`, nil)
			if name == "TLS" {
				f.network.trusted.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
			}
			if body, err := f.get(t, "x"); err != nil || body != "first" {
				t.Fatalf("got %q, %v", body, err)
			}
			// The trace gets the header fields before the request is sent.
			var take, believe sync.Once
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
				WroteHeaderField:     func(string, []string) { take.Do(func() { close(taken); <-believed }) },
				GotFirstResponseByte: func() { believe.Do(func() { close(believed) }) },
			})
			res, err := f.Do(ctx, config.RequestSpec{Endpoint: "y"})
			if err != nil {
				t.Fatal(err)
			}
			if body := readSpool(t, res.Body); body != "right" {
				t.Errorf("got %q, want the response to this request", body)
			}
			equal(t, "waits", f.sleeps, []time.Duration{second})
		})
	}
}

// always is a connection that reads and writes at once.
type always struct{ net.Conn }

func (always) Read(p []byte) (int, error) { return len(p), nil }

func (always) Write(p []byte) (int, error) { return len(p), nil }

func TestOrder(t *testing.T) {
	for order, early := range map[string]bool{
		"n": true, "nw": true, "nr": true, "nrw": true, "nwr": false,
		"nwrw": false, // a response that does not wait for all of the request
		"nwrn": true, "nwrnr": true, "nwrnrw": true, "nwrnwr": false,
	} {
		c := &earlyResponseConn{Conn: always{}}
		for _, step := range order {
			var err error
			switch step {
			case 'n':
				c.next()
			case 'r':
				_, err = c.Read(make([]byte, 1))
			case 'w':
				_, err = c.Write(make([]byte, 1))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if c.early() != early {
			t.Errorf("%s: early is %t", order, !early)
		}
	}
}

// TestUnaskedBytesAreTriedAgain: net/http reports them to the request that has just
// taken the connection.
func TestUnaskedBytesAreTriedAgain(t *testing.T) {
	code, what := classify(t.Context(), errors.New("readLoopPeekFailLocked: %!w(<nil>)"), false)
	if code != codeReceive || what != "the server sent data before a request" {
		t.Errorf("got %d, %s", code, what)
	}
}
