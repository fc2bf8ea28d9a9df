package platform

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestShutdown: SIGTERM ends the platform with its running jobs, at once and
// without leaving anything behind.
func TestShutdown(t *testing.T) {
	for _, logging := range []string{"gelf", "stdout"} {
		t.Run(logging, func(t *testing.T) {
			t.Parallel()
			pidFile := filepath.Join(t.TempDir(), "pid")
			recorded := script(t, `echo $$ > '`+pidFile+`'; exec '`+extractor+`'`)
			api, came, gone := hanging(t)
			dir := t.TempDir()
			s := serve(t, dir, "--logging", logging, "--extractor", recorded)
			config := s.store(t, component, oneJob(api.url, "x"))
			running, waiting := s.start(t, config, ""), s.start(t, config, "")
			<-came
			s.become(t, waiting.ID, "waiting")

			start := time.Now()
			s.signal(syscall.SIGTERM)
			if took := time.Since(start); took > 5*time.Second || s.cmd.ProcessState.ExitCode() != 0 {
				t.Errorf("it took %s, exit code %d", took, s.cmd.ProcessState.ExitCode())
			}
			<-gone
			if pid := componentOf(t, pidFile); pid != nil {
				t.Errorf("the component is still there: process %d", pid.Pid)
			}
			if left, err := os.ReadDir(filepath.Join(dir, "runs")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}

			again := serve(t, dir, "--logging", logging, "--extractor", "true")
			failed(t, again, running.ID, "application", "The platform was stopped while the job was running.")
			again.become(t, waiting.ID, "success")
		})
	}
}

// TestShutdownDespiteClients: neither a page that is open, nor a connection that
// was never used, nor a request that never arrives as a whole holds up the end.
func TestShutdownDespiteClients(t *testing.T) {
	t.Parallel()
	api, came, _ := hanging(t)
	s := serve(t, t.TempDir())
	running := s.start(t, s.store(t, component, oneJob(api.url, "x")), "")
	<-came
	host := strings.TrimSuffix(strings.TrimPrefix(s.storage, "http://"), "/v2/storage")
	for _, said := range []string{"", "POST /queue/jobs HTTP/1.1\r\nHost: " + host + "\r\nX-StorageApi-Token: " + token + "\r\nContent-Length: 99\r\n\r\n{"} {
		connection, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		if _, err := io.WriteString(connection, said); err != nil {
			t.Fatal(err)
		}
	}
	stream := s.openPage(t, "http://"+host, "/jobs/"+running.ID+"/stream")
	defer stream.Close()

	start := time.Now()
	s.signal(syscall.SIGTERM)
	if took := time.Since(start); took > 5*time.Second || s.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("it took %s, exit code %d", took, s.cmd.ProcessState.ExitCode())
	}
	// On a busy machine it may be among those that are cut off.
	if rest, err := io.ReadAll(stream); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || len(rest) == 0 {
		t.Errorf("the stream of the page ended with %v after %q", err, rest)
	}
}

// openPage enters the page as a browser does and opens a stream of it.
func (s *stack) openPage(t *testing.T, base, path string) io.ReadCloser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: s.client.Transport}
	get := func(address string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := browser.Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("GET %s: %+v, %v", address, response, err)
		}
		return response
	}
	entered := get(base + "/?token=" + token)
	if err := entered.Body.Close(); err != nil {
		t.Fatal(err)
	}
	// The pages are below the path of the session.
	stream := get(strings.TrimSuffix(entered.Request.URL.String(), "/") + path)
	if kind := stream.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		t.Errorf("the stream is %s", kind)
	}
	return stream.Body
}

// componentOf is the process of a component that wrote its id to a file, nil
// when it has ended.
func componentOf(t *testing.T, file string) *os.Process {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Signal(syscall.Signal(0))
	}
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return process
}

// TestOneAtATime: a data directory has one platform.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	second := runDevstack(t, "serve", "--data", s.dir, "--listen", "127.0.0.1:0")
	second.want(t, 1, "", "is in use by another local platform")
	var verified struct{ ID string }
	s.get(t, s.storage+"/tokens/verify", &verified)
	if verified.ID == "" {
		t.Error("the first platform does not answer any more")
	}
}
