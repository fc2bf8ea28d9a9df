package devstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

const (
	readHeaderTimeout = 10 * time.Second
	// shutdownTimeout is the time that running requests get after the context has ended.
	shutdownTimeout = time.Second
	// bodyTimeout is the time limit for receiving the body of a request. idleTimeout is the
	// time that a connection may wait for the next request.
	bodyTimeout = 2 * time.Minute
	idleTimeout = 2 * time.Minute
)

// listen opens the port of a server. what is the name of the server in the user error.
func listen(ctx context.Context, what, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, failure.Userf("the %s cannot listen on %s: %w", what, address, err)
	}
	return listener, nil
}

// serve serves requests until ctx ends. Then it waits for running requests, up to
// shutdownTimeout. The context of each request ends with ctx, so that streams end.
func serve(ctx context.Context, what string, listener net.Listener, handler http.Handler) error {
	unused := &idleConnections{open: map[net.Conn]struct{}{}}
	server := &http.Server{
		Handler:           withBodyTimeout(bodyTimeout, handler),
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState:         unused.track,
		ErrorLog:          log.New(handshakeFilter{os.Stderr}, "", log.LstdFlags),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving the %s: %w", what, err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	unused.close()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	if err != nil {
		return fmt.Errorf("stopping the %s: %w", what, err)
	}
	return nil
}

// handshakeFilter drops log lines about clients that do not trust a certificate or
// disconnect during the handshake. These clients report the error themselves.
type handshakeFilter struct{ io.Writer }

func (w handshakeFilter) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("http: TLS handshake error")) {
		return len(line), nil
	}
	return w.Writer.Write(line)
}

// withBodyTimeout aborts requests with a body that does not arrive in time. The timeouts of
// http.Server would also abort streams and delayed responses.
func withBodyTimeout(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), limit: limit}
			// The server reads the rest of a body before it responds, so this needs a
			// deadline too.
			if err := body.begin(); err != nil {
				panic(http.ErrAbortHandler) // the client has disconnected
			}
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody is a request body that must arrive within limit after the first read.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	limit   time.Duration
	begun   bool
}

func (b *timedBody) begin() error { return b.control.SetReadDeadline(time.Now().Add(b.limit)) }

func (b *timedBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		if err := b.begin(); err != nil {
			return 0, err
		}
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// Without a deadline the server notices when the client disconnects.
		if err := b.control.SetReadDeadline(time.Time{}); err != nil {
			return n, err
		}
	}
	return n, err
}

// idleConnections are the connections without a request. Browsers and Go's client open some
// in advance, and a shutdown would wait five seconds for each.
type idleConnections struct {
	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

// track updates the connections. http.Server calls it for every change of a connection.
func (u *idleConnections) track(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.open, c)
	case u.closed:
		_ = c.Close() // the client has sent no request
	default:
		u.open[c] = struct{}{}
	}
}

// close closes all idle connections, and from now on every new one.
func (u *idleConnections) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for c := range u.open {
		_ = c.Close() // the client has sent no request
	}
}
