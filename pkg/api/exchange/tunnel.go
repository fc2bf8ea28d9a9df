package exchange

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

// Tunnel is the way through an SSH server, one for all clients of a run. It is
// opened before the first request and again when it was lost. Names of hosts are
// resolved on its far side.
type Tunnel struct {
	server *sshServer
	dial   env.Dial
	sleep  func(context.Context, time.Duration) error
	probes time.Duration // from one to the next

	mu     sync.Mutex // held while the tunnel is being opened
	client *ssh.Client
	lost   chan struct{} // closed when the client has ended; nil before the first one
}

const (
	// tunnelAttempts is how often an opening is tried, waiting 1 s, 2 s, 4 s…
	tunnelAttempts = 5
	// tunnelProbes is the time between two signs of life that are asked for. A
	// server that gave none until the next one is due is gone.
	tunnelProbes = 10 * time.Second
)

// newTunnel makes the tunnel of a run, nil when the settings name none. Nothing
// is opened yet. dial makes the connection to the SSH server; nil uses the
// system's way.
func newTunnel(s Settings, dial env.Dial, sleep func(context.Context, time.Duration) error) *Tunnel {
	if s.server == nil {
		return nil
	}
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return &Tunnel{server: s.server, dial: dial, sleep: sleep, probes: tunnelProbes}
}

// Close ends the tunnel and all connections through it. A nil tunnel has
// nothing to close.
func (t *Tunnel) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.client != nil {
		// A tunnel that is lost already cannot be closed again, which is fine.
		_ = t.client.Close()
		<-t.lost
	}
}

func (t *Tunnel) stands() bool {
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

// ensure opens the tunnel unless it stands. That it cannot be opened at all is a
// user error; that it was lost and does not come back is a network error, like
// any connection that is lost.
func (t *Tunnel) ensure(ctx context.Context, sender Sender) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stands() {
		return nil
	}
	defer sender.Live.Await("for the SSH tunnel")()
	var client *ssh.Client
	var err error
	for attempt := 1; ; attempt++ {
		if client, err = t.connect(ctx); err == nil {
			t.client, t.lost = client, make(chan struct{})
			go watch(client, t.lost)
			go probe(client, t.lost, t.probes)
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

func (t *Tunnel) connect(ctx context.Context) (*ssh.Client, error) {
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
		// Whatever closing says adds nothing to why there is no connection.
		_ = conn.Close()
		return nil, err
	}
	return ssh.NewClient(c, channels, requests), nil
}

// watch closes lost when a client has ended, whatever the reason.
func watch(client *ssh.Client, lost chan<- struct{}) {
	_ = client.Wait()
	close(lost)
}

// probe asks for a sign of life again and again, and ends a client that gives
// none.
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
			_ = client.Close() // it is lost either way
			return
		}
		go func() {
			// Any answer will do, also that this request is not known.
			if _, _, err := client.SendRequest("keepalive@openssh.com", true, nil); err == nil {
				alive <- struct{}{}
			}
		}()
	}
}

// connection makes a connection from the far side of the tunnel.
func (t *Tunnel) connection(ctx context.Context, network, address string) (net.Conn, error) {
	t.mu.Lock()
	client, stands := t.client, t.stands()
	t.mu.Unlock()
	if !stands {
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
		return "no answer of the SSH server within 'api.http.connectTimeout'"
	case errors.Is(err, io.EOF):
		return "the SSH server closed the connection"
	}
	return reason(err)
}

type tunnelled struct {
	next   Step
	tunnel *Tunnel
}

func (t *tunnelled) Do(ctx context.Context, x *Exchange) (*Answer, error) {
	if err := t.tunnel.ensure(ctx, x.Sender); err != nil {
		return nil, err
	}
	return t.next.Do(ctx, x)
}
