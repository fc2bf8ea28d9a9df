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

// Tunnel is an SSH tunnel, shared by all clients of a run. It is opened before the
// first request and again after it was lost. The SSH server resolves host names.
type Tunnel struct {
	server *sshServer
	dial   env.Dial
	sleep  func(context.Context, time.Duration) error
	probes time.Duration // interval

	mu     sync.Mutex // held while the tunnel is being opened
	client *ssh.Client
	lost   chan struct{} // closed when the client has ended; nil without a client
}

const (
	// tunnelAttempts is how often opening is tried, with waits of 1 s, 2 s, 4 s…
	tunnelAttempts = 5
	// tunnelProbes is the time between two keepalive requests. The tunnel is lost if
	// one is not answered before the next is due.
	tunnelProbes = 10 * time.Second
)

// newTunnel makes the tunnel of a run, nil if none is configured. It does not open
// it. dial connects to the SSH server; nil is the system's.
func newTunnel(s Settings, dial env.Dial, sleep func(context.Context, time.Duration) error) *Tunnel {
	if s.server == nil {
		return nil
	}
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return &Tunnel{server: s.server, dial: dial, sleep: sleep, probes: tunnelProbes}
}

// Close closes the tunnel, which may be nil, and all connections through it.
func (t *Tunnel) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.client != nil {
		// Fails if the tunnel is already lost.
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

// ensure opens the tunnel if it is not open. If it cannot be opened that is a user
// error; if it was open before, a network error like for any lost connection.
func (t *Tunnel) ensure(ctx context.Context, sender JobInfo) error {
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
		_ = conn.Close() // err says more
		return nil, err
	}
	return ssh.NewClient(c, channels, requests), nil
}

// watch closes lost when a client has ended.
func watch(client *ssh.Client, lost chan<- struct{}) {
	_ = client.Wait()
	close(lost)
}

// probe sends keepalive requests and closes a client that does not answer.
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
			// Any response counts, including a refusal.
			if _, _, err := client.SendRequest("keepalive@openssh.com", true, nil); err == nil {
				alive <- struct{}{}
			}
		}()
	}
}

// connection connects from the far side of the tunnel.
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
		return "no response of the SSH server within 'api.http.connectTimeout'"
	case errors.Is(err, io.EOF):
		return "the SSH server closed the connection"
	}
	return reason(err)
}

type openTunnel struct {
	next   Step
	tunnel *Tunnel
}

func (t *openTunnel) Do(ctx context.Context, x *Call) (*Response, error) {
	if err := t.tunnel.ensure(ctx, x.Sender); err != nil {
		return nil, err
	}
	return t.next.Do(ctx, x)
}
