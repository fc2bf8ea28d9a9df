package platform

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// patience is how long a test waits for what must happen. It is long because the
// machine may be busy; nothing takes that long unless it is broken.
const patience = 30 * time.Second

// eventually asks until the response is yes.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("after %s still not: %s", patience, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// stack is a running `devstack serve`.
type stack struct {
	t              *testing.T
	dir            string // where it keeps what is stored
	cmd            *exec.Cmd
	storage, queue string // addresses of the APIs
	authority      string // file with the certificate to trust; "" without TLS
	client         *http.Client

	stderr lockedBuffer
	ended  chan struct{} // closed when the process is gone
}

// serve starts the platform in a directory; at the latest the end of the test
// ends it.
func serve(t *testing.T, dir string, flags ...string) *stack {
	t.Helper()
	slowtest.Skip(t, "it starts a platform")
	s := &stack{t: t, dir: dir, ended: make(chan struct{})}
	s.client = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	s.cmd = exec.Command(devstack, append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0"}, flags...)...)
	s.cmd.Stderr = &s.stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	go s.wait(stdout)
	t.Cleanup(s.finish)
	var addresses struct{ Storage, Queue, Page, Authority string }
	if err == nil {
		err = json.Unmarshal(line, &addresses)
	}
	if err != nil || addresses.Storage == "" || addresses.Queue == "" || addresses.Page == "" {
		t.Fatalf("devstack serve printed %q: %v\n%s", line, err, &s.stderr)
	}
	s.storage, s.queue, s.authority = addresses.Storage+"/v2/storage", addresses.Queue, addresses.Authority
	if s.authority != "" {
		s.client.Transport = s.trusting()
	}
	return s
}

// trusting trusts the authority of the platform and no other.
func (s *stack) trusting() *http.Transport {
	s.t.Helper()
	text, err := os.ReadFile(s.authority)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(text) {
		s.t.Fatalf("the authority of the platform: %v", err)
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
}

func (s *stack) wait(stdout io.Reader) {
	defer close(s.ended)
	// stdout ends with the process; its exit code says how.
	_, _ = io.Copy(io.Discard, stdout)
	_ = s.cmd.Wait()
}

// signal sends a signal and waits for the end of the process.
func (s *stack) signal(signal os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Fatalf("%v did not end devstack", signal)
	}
}

// finish ends the process as its user would. No matter what the test did, the platform
// has no reason to complain.
func (s *stack) finish() {
	s.client.CloseIdleConnections()
	select {
	case <-s.ended:
	default:
		s.signal(syscall.SIGTERM)
		if code := s.cmd.ProcessState.ExitCode(); code != 0 {
			s.t.Errorf("devstack ended with exit code %d", code)
		}
	}
	if text := s.stderr.String(); text != "" {
		s.t.Errorf("devstack complained:\n%s", text)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "runs", "*")); err != nil || len(left) > 0 && !s.killed() {
		s.t.Errorf("data directories of runs were left behind: %v, %v", left, err)
	}
}

// killed reports whether the process was killed, without cleaning up.
func (s *stack) killed() bool { return s.cmd.ProcessState.ExitCode() == -1 }

// lockedBuffer is written by one goroutine and read by another.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
