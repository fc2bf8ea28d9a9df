package exchange

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// orderedDial makes connections that know whether an answer came before its
// request, see watchOrder.
func orderedDial(dial Dial) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &ordered{Conn: conn}, nil
	}
}

// ordered is a connection that knows whether bytes have come since the beginning
// of a request.
type ordered struct {
	net.Conn
	mu              sync.Mutex
	asked, answered bool
}

// Write implements net.Conn. Bytes that came before the first one of the request
// are no answer to it.
func (c *ordered) Write(p []byte) (int, error) {
	c.mu.Lock()
	if !c.asked {
		c.asked, c.answered = true, false
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// Read implements net.Conn.
func (c *ordered) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.mu.Lock()
		c.answered = true
		c.mu.Unlock()
	}
	return n, err
}

// next begins a request.
func (c *ordered) next() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.answered = false, false
}

// early tells whether what can be read now was there before the request.
func (c *ordered) early() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.asked || !c.answered
}

// watchOrder looks at the order of request and answer: some servers send bytes
// behind an answer, which net/http would take for the answer to the next request
// on the same connection when that one comes quickly. early tells, once there is
// an answer, that it is such a one; its connection is closed then. What arrives
// while the request is sent cannot be told from an answer.
func watchOrder(ctx context.Context) (watched context.Context, early func() bool) {
	var conn *ordered
	var found atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			if secure, ok := got.Conn.(*tls.Conn); ok {
				got.Conn = secure.NetConn()
			}
			if conn, _ = got.Conn.(*ordered); conn != nil {
				conn.next()
			}
		},
		GotFirstResponseByte: func() {
			if conn != nil && conn.early() {
				found.Store(true)
				_ = conn.Close() // it is of no use any more
			}
		},
	}), found.Load
}
