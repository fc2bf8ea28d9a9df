package httpclient

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// bastion is an SSH server that connects its clients to servers by invented names. It
// can be stopped and started again.
type bastion struct {
	t      testing.TB
	host   ssh.Signer
	client ssh.PublicKey     // the accepted key
	key    string            // the private key to it, in PEM form
	routes map[string]string // "a.test:80" to an address
	mute   bool              // true if keepalive requests get no response
	signs  chan string       // keepalive requests
	waits  []time.Duration   // of its tunnels, before they are opened again

	mu       sync.Mutex
	listener net.Listener // nil while it is stopped
	conns    []net.Conn
	logins   int
	asked    []string // the requested addresses
	wg       sync.WaitGroup
}

// newBastion starts an SSH server.
func newBastion(t testing.TB, routes map[string]string) *bastion {
	t.Helper()
	b := &bastion{t: t, host: newSigner(t), routes: routes, signs: make(chan string, 100)}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if b.client, err = ssh.NewPublicKey(public); err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	b.key = string(pem.EncodeToMemory(block))
	b.start()
	t.Cleanup(func() {
		b.kill()
		b.wg.Wait()
	})
	return b
}

func newSigner(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// start starts the server, after stopping a running one.
func (b *bastion) start() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	b.replace(listener)
	b.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			b.wg.Go(func() { b.serve(conn) })
		}
	})
}

// kill stops the server and all its connections.
func (b *bastion) kill() { b.replace(nil) }

func (b *bastion) replace(listener net.Listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listener != nil {
		b.listener.Close()
	}
	for _, conn := range b.conns {
		conn.Close()
	}
	b.listener, b.conns = listener, nil
}

// keep stores a connection for kill.
func (b *bastion) keep(conn net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listener == nil {
		conn.Close()
		return false
	}
	b.conns = append(b.conns, conn)
	return true
}

func (b *bastion) serve(conn net.Conn) {
	if !b.keep(conn) {
		return
	}
	settings := &ssh.ServerConfig{PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if c.User() == "ann" && slices.Equal(key.Marshal(), b.client.Marshal()) {
			return nil, nil
		}
		return nil, fmt.Errorf("who is %s?", c.User())
	}}
	settings.AddHostKey(b.host)
	server, channels, requests, err := ssh.NewServerConn(conn, settings)
	if err != nil {
		return
	}
	b.mu.Lock()
	b.logins++
	b.mu.Unlock()
	b.wg.Go(func() {
		for r := range requests {
			b.signs <- r.Type
			if !b.mute {
				r.Reply(false, nil)
			}
		}
	})
	for channel := range channels {
		b.wg.Go(func() { b.forward(channel) })
	}
	server.Wait()
}

// forward connects one channel to a server.
func (b *bastion) forward(channel ssh.NewChannel) {
	data := channel.ExtraData()
	n := binary.BigEndian.Uint32(data)
	address := net.JoinHostPort(string(data[4:4+n]), fmt.Sprint(binary.BigEndian.Uint32(data[4+n:])))
	b.mu.Lock()
	b.asked = append(b.asked, channel.ChannelType()+" "+address)
	b.mu.Unlock()
	server, err := net.Dial("tcp", b.routes[address])
	if err != nil {
		channel.Reject(ssh.ConnectionFailed, "no route to "+address)
		return
	}
	if !b.keep(server) {
		return
	}
	near, requests, err := channel.Accept()
	if err != nil {
		server.Close()
		return
	}
	b.wg.Go(func() { ssh.DiscardRequests(requests) })
	b.wg.Go(func() {
		io.Copy(server, near)
		server.Close()
	})
	io.Copy(near, server)
	near.Close()
}

// dial connects to bastion.test:2222 only.
func (b *bastion) dial(ctx context.Context, network, address string) (net.Conn, error) {
	b.mu.Lock()
	listener := b.listener
	b.mu.Unlock()
	switch {
	case address != "bastion.test:2222":
		return nil, fmt.Errorf("dialled %s, which is not the SSH server", address)
	case listener == nil:
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	return (&net.Dialer{}).DialContext(ctx, network, listener.Addr().String())
}

// counts returns the number of logins and the requested addresses.
func (b *bastion) counts() (logins int, asked []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.logins, slices.Clone(b.asked)
}

// section is `sshProxy` for this server, with some keys replaced.
func (b *bastion) section(changes ...value.Member) []value.Member {
	section := value.OfMembers(
		value.Member{Name: "host", Value: value.OfString("bastion.test")},
		value.Member{Name: "port", Value: value.OfString("2222")},
		value.Member{Name: "user", Value: value.OfString("ann")},
		value.Member{Name: "#privateKey", Value: value.OfString(b.key)},
	)
	for _, m := range changes {
		section = section.With(m.Name, m.Value)
	}
	return []value.Member{{Name: "sshProxy", Value: section}}
}

// hostKey is the server's public key as it is configured.
func (b *bastion) hostKey() value.Member {
	return value.Member{Name: "hostKey", Value: value.OfString(strings.TrimSpace(string(ssh.MarshalAuthorizedKey(b.host.PublicKey()))))}
}

// tunnel makes a tunnel through this server whose waits are recorded.
func (b *bastion) tunnel(t testing.TB, changes ...value.Member) (Settings, *sshTunnel) {
	t.Helper()
	settings, problems := settingsOf(t, b.section(changes...), nil)
	if problems != "" {
		t.Fatal(problems)
	}
	tunnel := newTunnel(settings, b.dial, func(ctx context.Context, d time.Duration) error {
		b.waits = append(b.waits, d)
		return ctx.Err()
	})
	t.Cleanup(tunnel.Close)
	return settings, tunnel
}

// through makes a client use a tunnel.
func through(settings Settings, tunnel *sshTunnel) func(*Options) {
	return func(o *Options) { o.Settings, o.tunnel = settings, tunnel }
}
