package httpclient

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// sshTunnel is an SSH tunnel that all clients of a run share. It is opened before the first
// request, and again after it was lost. The SSH server resolves host names.
type sshTunnel struct {
	server *sshServer
	dial   env.Dial
	sleep  func(context.Context, time.Duration) error
	probes time.Duration // interval between keepalive requests

	mu     sync.Mutex // held while the tunnel is being opened
	client *ssh.Client
	lost   chan struct{} // closed when the client has ended; nil without a client
}

const (
	// tunnelAttempts is the number of attempts to open the tunnel, with waits of 1 s, 2
	// s, 4 s… between them.
	tunnelAttempts = 5
	// tunnelProbes is the time between two keepalive requests. The tunnel is lost if a
	// keepalive request has no response before the next one is due.
	tunnelProbes = 10 * time.Second
)

// newTunnel returns the tunnel of a run without opening it, or nil if no tunnel is
// configured. dial connects to the SSH server. If dial is nil, net.Dialer connects.
func newTunnel(s Settings, dial env.Dial, sleep func(context.Context, time.Duration) error) *sshTunnel {
	if s.server == nil {
		return nil
	}
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return &sshTunnel{server: s.server, dial: dial, sleep: sleep, probes: tunnelProbes}
}

// Close closes the tunnel and all connections through it. t may be nil.
func (t *sshTunnel) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.client != nil {
		// Close fails if the tunnel is already lost.
		_ = t.client.Close()
		<-t.lost
	}
}

func (t *sshTunnel) isOpen() bool {
	if t.client == nil {
		return false
	}
	select {
	case <-t.lost:
		return false
	default:
		return true
	}
}

// ensure opens the tunnel if it is not open. If the first tunnel of the run cannot be
// opened, the error is a user error. Later it is a network error, like for any lost
// connection.
func (t *sshTunnel) ensure(ctx context.Context, sender JobInfo) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isOpen() {
		return nil
	}
	defer sender.Live.Await("for the SSH tunnel")()
	var client *ssh.Client
	var err error
	for attempt := 1; ; attempt++ {
		if client, err = t.connect(ctx); err == nil {
			lost := make(chan struct{})
			t.client, t.lost = client, lost
			go func() {
				_ = client.Wait()
				close(lost)
			}()
			go probe(client, lost, t.probes)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if refusal, ok := errors.AsType[*failure.Error](err); ok {
			return refusal.At(t.server.pointer)
		}
		if attempt == tunnelAttempts {
			break
		}
		if err := t.sleep(ctx, time.Second<<(attempt-1)); err != nil {
			return err
		}
	}
	if t.client != nil {
		return &networkError{code: codeConnect, what: "the SSH tunnel is lost and cannot be opened again: " + tunnelReason(err), cause: err}
	}
	e := failure.Userf("cannot open the SSH tunnel: %s (%d attempts)", tunnelReason(err), tunnelAttempts)
	e.Cause = err
	return e.At(t.server.pointer)
}

func (t *sshTunnel) connect(ctx context.Context) (*ssh.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, t.server.timeout)
	defer cancel()
	conn, err := t.dial(ctx, "tcp", t.server.address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	c, channels, requests, err := ssh.NewClientConn(conn, t.server.address, t.server.client)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close() // err says more
		return nil, err
	}
	return ssh.NewClient(c, channels, requests), nil
}

// probe sends keepalive requests and closes a client that does not respond.
func probe(client *ssh.Client, lost <-chan struct{}, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	alive := make(chan struct{}, 1)
	alive <- struct{}{}
	for {
		select {
		case <-lost:
			return
		case <-ticker.C:
		}
		select {
		case <-alive:
		default:
			_ = client.Close() // the tunnel is lost even if Close fails
			return
		}
		go func() {
			// Any response counts, also a refusal.
			if _, _, err := client.SendRequest("keepalive@openssh.com", true, nil); err == nil {
				alive <- struct{}{}
			}
		}()
	}
}

// connection connects from the SSH server to an address.
func (t *sshTunnel) connection(ctx context.Context, network, address string) (net.Conn, error) {
	t.mu.Lock()
	client, open := t.client, t.isOpen()
	t.mu.Unlock()
	if !open {
		return nil, &networkError{code: codeConnect, what: "the SSH tunnel is lost"}
	}
	within, cancel := context.WithTimeout(ctx, t.server.timeout)
	defer cancel()
	conn, err := client.DialContext(within, network, address)
	if err == nil || within.Err() != nil {
		return conn, err
	}
	return nil, &networkError{code: codeConnect, what: "no connection through the SSH tunnel: " + tunnelReason(err), cause: err}
}

func tunnelReason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no response from the SSH server within 'api.http.connectTimeout'"
	case errors.Is(err, io.EOF):
		return "the SSH server closed the connection"
	}
	return reason(err)
}

type openTunnel struct {
	next   step
	tunnel *sshTunnel
}

func (t *openTunnel) do(ctx context.Context, x *call) (*Response, error) {
	if err := t.tunnel.ensure(ctx, x.Sender); err != nil {
		return nil, err
	}
	return t.next.do(ctx, x)
}
