//go:build unix

package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestCrashShowsNoSecret: a run that crashes writes no core dump and leaves no file, and
// its output has no secret.
func TestCrashShowsNoSecret(t *testing.T) {
	slowtest.OutsideCI(t, "Go waits for ten seconds before it brings a process down")
	t.Parallel() // Go waits ten seconds before it ends a process
	limitCore(t)
	secrets := []string{"c4n4ry-of-the-header", "c4n4ry-of-the-query", "c4n4ry-of-the-login", "c4n4ry-of-the-token"}
	reached := make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/login":
			fmt.Fprintf(w, `{"token":%q}`, secrets[3])
		case r.Header.Get("X-Key") != secrets[0] || r.Header.Get("X-Token") != secrets[3] || r.URL.Query().Get("key") != secrets[1]:
			t.Errorf("a request without its secrets: %v %v", r.URL, r.Header)
		default: // too large for memory and for the buffers on the way, and without an end
			fmt.Fprintf(w, `[{"id":%q},`, strings.Repeat("x", 32<<20))
			close(reached)
			<-r.Context().Done()
		}
	}))
	defer api.Close()
	dir := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,
		"http":{"headers":{"X-Key":{"attr":"#header"}}},
		"authentication":{"type":"login","loginRequest":{"endpoint":"login","method":"POST","params":{"key":{"attr":"#login"}}},
			"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}},
		"config":{"debug":true,"outputBucket":"b","#header":%q,"#query":%q,"#login":%q,"jobs":[{"endpoint":"t","params":{"key":{"attr":"#query"}}}]}}}`,
		api.URL, secrets[0], secrets[1], secrets[2]))
	cmd, stdout, stderr := program([]string{"GOTRACEBACK=crash"}, "--data", dir)
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-reached:
	case err := <-ended:
		t.Fatalf("the run ended before its response: %v\n%s%s", err, stdout, stderr)
	}
	if err := cmd.Process.Signal(syscall.SIGABRT); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the run was not brought down")
	}
	if end, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || end.CoreDump() {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if !strings.Contains(stderr.String(), "SIGABRT") || !strings.Contains(stderr.String(), "goroutine ") {
		t.Errorf("no dump of goroutines, so that nothing is proved: %s", stderr)
	}
	left := leftBy(t, dir, cmd.Dir)
	if len(left) > 0 {
		t.Errorf("files are left, though those of a response have no name: %d bytes", len(left))
	}
	for _, secret := range secrets {
		for name, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
			for _, form := range []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(text, form) {
					t.Errorf("%s shows %q", name, form)
				}
			}
		}
	}
}

// limitCore allows core dumps to the programs that the test starts.
func limitCore(t *testing.T) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &before); err != nil {
		t.Fatal(err)
	}
	if before.Max == 0 {
		t.Log("core dumps are forbidden here: that the program forbids them is not proved")
		return
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: before.Max, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &before); err != nil {
			t.Error(err)
		}
	})
}

// leftBy returns the text of all files in directories, except the configuration and the
// name of the process, which a stage always has.
func leftBy(t *testing.T, dirs ...string) []byte {
	t.Helper()
	var all []byte
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == "config.json" || entry.Name() == "process" {
				return err
			}
			if strings.HasPrefix(entry.Name(), "core") {
				t.Errorf("there is a core dump: %s", path)
			}
			text, err := os.ReadFile(path)
			all = append(all, text...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
