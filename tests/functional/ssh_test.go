package functional

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
)

// jumpHost is an SSH server that leads every connection to one address. It lets
// everybody in.
type jumpHost struct {
	listener net.Listener
	to       string
	wg       sync.WaitGroup

	mu     sync.Mutex
	logins int
	ended  int
}

func newJumpHost(t *testing.T, to string) *jumpHost {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &jumpHost{listener: listener, to: to}
	_, private := newKey(t)
	settings := &ssh.ServerConfig{PublicKeyCallback: func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil }}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	settings.AddHostKey(signer)
	h.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			h.wg.Go(func() { h.serve(conn, settings) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		h.wg.Wait()
	})
	return h
}

func (h *jumpHost) serve(conn net.Conn, settings *ssh.ServerConfig) {
	server, channels, requests, err := ssh.NewServerConn(conn, settings)
	if err != nil {
		return
	}
	h.count(&h.logins)
	h.wg.Go(func() { ssh.DiscardRequests(requests) })
	for channel := range channels {
		h.wg.Go(func() { h.forward(channel) })
	}
	server.Wait()
	h.count(&h.ended)
}

func (h *jumpHost) forward(channel ssh.NewChannel) {
	far, err := net.Dial("tcp", h.to)
	if err != nil {
		channel.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	near, requests, err := channel.Accept()
	if err != nil {
		far.Close()
		return
	}
	h.wg.Go(func() { ssh.DiscardRequests(requests) })
	h.wg.Go(func() {
		io.Copy(far, near)
		far.Close()
	})
	io.Copy(near, far)
	near.Close()
}

func (h *jumpHost) count(n *int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*n++
}

// newKey makes a key pair; the private half also as PEM text.
func newKey(t *testing.T) (text string, private ed25519.PrivateKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block)), private
}

func TestSSHTunnel(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"run", "testRequest"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				write(out, fmt.Sprintf(`[{"host":%q,"path":%q}]`, r.Host, r.URL.Path))
			}))
			host := newJumpHost(t, w.api.Listener.Addr().String())
			var mu sync.Mutex
			var dialled []string
			w.options.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				mu.Lock()
				dialled = append(dialled, address)
				mu.Unlock()
				return (&net.Dialer{}).DialContext(ctx, network, host.listener.Addr().String())
			}
			key, _ := newKey(t)
			quoted, err := json.Marshal(key)
			if err != nil {
				t.Fatal(err)
			}
			document := `{"action":"` + action + `","parameters":{"sshProxy":{"host":"bastion.test","port":22,"user":"ann","#privateKey":` + string(quoted) + `},
				"api":{"baseUrl":"http://inner.test/"},"config":{"debug":true,"outputBucket":"b","jobs":[{"endpoint":"t"}]},"iterations":[{},{"debug":false}]}}`
			if err := os.WriteFile(filepath.Join(w.dir, "config.json"), []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
			got := w.run(t.Context())
			if got.exit != 0 || !slices.Equal(dialled, []string{"bastion.test:22"}) {
				t.Errorf("exit code %d, dialled %v, want the SSH server once\n%s%s", got.exit, dialled, got.stdout, got.stderr)
			}
			if action == "run" {
				table := readTree(t, filepath.Join(w.dir, "out", "tables"))["b.t"]
				if want := "\"host\",\"path\"\n\"inner.test\",\"/t\"\n\"inner.test\",\"/t\"\n"; table != want {
					t.Errorf("the table is %q, want %q", table, want)
				}
			}
			for line := range strings.Lines(key) {
				if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") && strings.Contains(got.stdout+got.stderr, line) {
					t.Errorf("the output shows the private key: %s", line)
				}
			}
			host.listener.Close()
			host.wg.Wait() // for the tunnel, which a run must not leave open
			if host.logins != 1 || host.ended != 1 {
				t.Errorf("%d logins at the SSH server, of which %d ended; want one of both", host.logins, host.ended)
			}
		})
	}
}
