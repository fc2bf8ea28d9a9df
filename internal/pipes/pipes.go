// Package pipes connects clients and a server of one process for tests in a bubble of
// testing/synctest, which does not notice that a goroutine waits for the network.
package pipes

import (
	"context"
	"net"
	"sync"
)

// Listener accepts the connections that Dial makes.
type Listener struct {
	waiting chan net.Conn
	closed  chan struct{}
	close   sync.Once
}

// Listen returns a listener.
func Listen() *Listener {
	return &Listener{waiting: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the listener, regardless of the address.
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.waiting <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.waiting:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
