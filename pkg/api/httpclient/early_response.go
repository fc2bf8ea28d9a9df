package httpclient

import (
	"context"
	"crypto/tls"
	"net"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/env"
)

// detectEarlyResponses returns a dial for connections that detect a response before its
// request. Some servers send more bytes after a response. If the next request follows
// quickly, net/http would take these bytes for its response. Bytes that arrive while the
// request is being sent cannot be distinguished from a response.
func detectEarlyResponses(dial env.Dial) env.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &earlyResponseConn{Conn: conn}, nil
	}
}

// earlyResponseConn is a connection that records whether bytes were received since a
// request began.
type earlyResponseConn struct {
	net.Conn
	mu                    sync.Mutex
	requesting, responded bool
}

// Write implements net.Conn. The first write of a request resets responded.
func (c *earlyResponseConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if !c.requesting {
		c.requesting, c.responded = true, false
	}
	c.mu.Unlock()
	return c.Conn.Write(p)
}

func (c *earlyResponseConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.mu.Lock()
		c.responded = true
		c.mu.Unlock()
	}
	return n, err
}

func (c *earlyResponseConn) next() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requesting, c.responded = false, false
}

func (c *earlyResponseConn) early() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.requesting || !c.responded
}

func earlyResponseConnOf(conn net.Conn) *earlyResponseConn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	known, _ := conn.(*earlyResponseConn)
	return known
}
