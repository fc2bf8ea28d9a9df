package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	signals "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
)

// asProgram makes the test binary behave as the program itself.
const asProgram = "EXTRACTOR_TEST_AS_PROGRAM"

// quickExit is the GORACE of the program: without it the race detector would sleep for a
// second at the end.
const quickExit = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	testscript.Main(ramdisk.Tests(m.Run), map[string]func(){"extractor": main, "exits": exits})
}

// exits is a program for the scripts: `exits 3 extractor …` succeeds when the
// command ends with that exit code.
func exits() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || strconv.Itoa(cmd.ProcessState.ExitCode()) != os.Args[1] {
		fmt.Fprintf(os.Stderr, "%v, want exit code %s\n", err, os.Args[1])
		os.Exit(1)
	}
}

// program makes a command with these arguments and only this environment.
func program(env []string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd = exec.Command(os.Args[0], args...)
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Env = append([]string{asProgram + "=1", "GORACE=" + quickExit}, env...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// dataDir is a data directory with a configuration.
func dataDir(t *testing.T, config string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func configFor(baseURL, more string) string {
	return fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b",%s"jobs":[{"endpoint":"t"}]}}}`, baseURL, more)
}

// TestBytesBehindAResponse: bytes that a server sends after a response must not be logged
// to stderr.
func TestBytesBehindAResponse(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[{\"id\":1}]secret-value")
	}))
	defer api.Close()
	cmd, _, stderr := program(nil, "run", "--data", dataDir(t, configFor(api.URL, "")))
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr: %s", err, stderr)
	}
}

func TestExitCodes(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `[{"id":1}]`)
	}))
	defer api.Close()
	good := dataDir(t, configFor(api.URL, ""))
	tests := []struct {
		name           string
		env, args      []string
		exit           int
		stdout, stderr string // what they must contain; "" is empty
	}{
		{"version", nil, []string{"version"}, 0, "configurable-extractor dev\n", ""},
		{"no arguments", []string{"KBC_DATADIR=" + good + "/"}, nil, 0, `"event":"run.finished"`, ""},
		{"run", nil, []string{"run", "--data", dataDir(t, configFor(api.URL, ""))}, 0, `"event":"run.finished"`, ""},
		{"readable lines", nil, []string{"--log-format", "console", "--data", dataDir(t, configFor(api.URL, ""))}, 0, "info  Extraction finished: 1 row", ""},
		{"a variable", nil, []string{"--var", "h=" + api.URL, "--data", dataDir(t, configFor("{{h}}", ""))}, 0, `"event":"variables.replaced"`, ""},
		{"a variable without a value", nil, []string{"--data", dataDir(t, `{"parameters":{"api":{"baseUrl":"{{h}}"},"config":{"jobs":[{"endpoint":"{{x}}"}]}}}`), "--var", "h=http://h"}, 1, `"event":"run.failed"`, "x"},
		{"an unknown key", nil, []string{"--data", dataDir(t, configFor(api.URL, `"debgu":true,`))}, 0, `did you mean \"debug\"`, ""},
		{"an unknown key, strict", nil, []string{"--strict", "--data", dataDir(t, configFor(api.URL, `"debgu":true,`))}, 1, `"event":"run.failed"`, `/parameters/config/debgu`},
		{"no such format", nil, []string{"--log-format", "xml", "--data", good}, 1, "", "--log-format expects auto, json or console"},
		{"no such flag", nil, []string{"--nope"}, 1, "", "unknown flag: --nope"},
		{"no such command", nil, []string{"dance"}, 1, "", `unknown command 'extractor dance'; 'extractor --help' lists the commands`},
		{"a variable without a name", nil, []string{"--var", "=1", "--data", good}, 1, `"event":"run.failed"`, "--var expects name=value"},
		{"no such directory", nil, []string{"--data", filepath.Join(good, "none")}, 2, `"kind":"application"`, "none"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd, stdout, stderr := program(tt.env, tt.args...)
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != tt.exit {
				t.Errorf("exit code %d (%v), want %d", cmd.ProcessState.ExitCode(), err, tt.exit)
			}
			for what, got := range map[string]struct{ text, want string }{"stdout": {stdout.String(), tt.stdout}, "stderr": {stderr.String(), tt.stderr}} {
				if got.want == "" && got.text != "" || !strings.Contains(got.text, got.want) {
					t.Errorf("%s: got %q, want %q", what, got.text, got.want)
				}
			}
			if tt.exit != 0 && strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("stderr is not one line: %q", stderr)
			}
		})
	}
}

// TestSignals: after a signal a run ends soon and leaves no file.
func TestSignals(t *testing.T) {
	for signal, exit := range map[syscall.Signal]int{syscall.SIGTERM: 1, syscall.SIGINT: 130, syscall.SIGHUP: 1, syscall.SIGQUIT: 1} {
		t.Run(signal.String(), func(t *testing.T) {
			if signals.Ignored(signal) {
				t.Skip("the tests were started with this signal ignored, as nohup does, and so are programs")
			}
			arrived := make(chan struct{}, 1)
			release := make(chan struct{})
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				arrived <- struct{}{}
				<-release
			}))
			defer api.Close()
			defer close(release)
			dir := dataDir(t, configFor(api.URL, ""))
			cmd, stdout, stderr := program(nil, "--data", dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-arrived
			sent := time.Now()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exit {
				t.Errorf("exit code %d (%v), want %d", cmd.ProcessState.ExitCode(), err, exit)
			}
			if took := time.Since(sent); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if !strings.Contains(stderr.String(), "the run was interrupted: "+signal.String()+" signal received; no table and no state was written\n") || !strings.Contains(stdout.String(), `"event":"run.failed"`) {
				t.Errorf("stderr: %s\nstdout: %s", stderr, stdout)
			}
			left, err := filepath.Glob(filepath.Join(dir, "out", "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("files are left: %v, %v", left, err)
			}
		})
	}
}
