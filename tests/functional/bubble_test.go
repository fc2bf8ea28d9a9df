package functional

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
)

// inBubble runs a test in a world whose time passes only while everybody waits:
// the API may take as long as it likes, and no one really waits. When the test
// ends all goroutines have to. Connections are pipes, for a bubble does not
// notice that somebody waits for the network.
func inBubble(t *testing.T, api http.Handler, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: api}
		go server.Serve(p)
		defer server.Shutdown(context.Background()) // waits for requests that were broken off
		w := &world{dir: t.TempDir(), clock: clock.At(defaultStart), env: map[string]string{}}
		w.options.Dial = p.dial
		w.options.Sleep = func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		test(t, w)
	})
}

// pipes is a listener at the other end of dial.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.waiting <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.waiting:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// linger lets a request wait for its response, unless it is broken off.
func linger(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}
