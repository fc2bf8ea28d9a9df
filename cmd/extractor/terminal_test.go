package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// onTerminal starts the program with stdout and stderr on a terminal of 100
// columns, and gives what it shows.
func onTerminal(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, shown io.Reader) {
	t.Helper()
	cmd, _, _ = program(append([]string{"TERM=xterm"}, env...), args...)
	cmd.Stdout, cmd.Stderr = nil, nil
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return cmd, terminal
}

// untilGone reads what else a program shows on its terminal.
func untilGone(t *testing.T, cmd *exec.Cmd, shown io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(shown)
	if err != nil && !errors.Is(err, syscall.EIO) { // how a terminal tells that nobody writes any more
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is the caller's to look at
	return string(text)
}

// until reads until a text is shown.
func until(t *testing.T, shown io.Reader, text *regexp.Regexp) (before string) {
	t.Helper()
	var all []byte
	for !text.Match(all) {
		chunk := make([]byte, 4096)
		n, err := shown.Read(chunk)
		if all = append(all, chunk[:n]...); err != nil {
			t.Fatalf("%v was never shown: %v\n%q", text, err, all)
		}
	}
	return string(all)
}

// TestLiveLine: a running job has its own line on the terminal, below the events, until
// it ends.
func TestLiveLine(t *testing.T) {
	seen := make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("offset") != "0" {
			<-seen // the test sees the job wait
			fmt.Fprint(w, `[]`)
			return
		}
		fmt.Fprint(w, `[{"id":1},{"id":2}]`)
	}))
	defer api.Close()
	const name = "orders"
	config := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"pagination":{"method":"offset","limit":2}},"config":{"outputBucket":"b","jobs":[{"endpoint":%q}]}}}`, api.URL, name)
	cmd, terminal := onTerminal(t, nil, "run", "--data", dataDir(t, config))
	before := until(t, terminal, regexp.MustCompile(`orders: 1 page, 2 rows, .*waiting for an answer \d+ s`))
	close(seen)
	all := before + untilGone(t, cmd, terminal)
	if !cmd.ProcessState.Success() || !strings.Contains(before, "Extraction started: 1 job") {
		t.Errorf("%s:\n%q", cmd.ProcessState, all)
	}
	const erase = "\r\x1b[J"
	rest := all[strings.LastIndex(all, erase):]
	if strings.Contains(rest, "rows, waiting") || !strings.Contains(rest, "Extraction finished: 2 rows") {
		t.Errorf("the line is not gone: %q", rest)
	}
	for line := range strings.SplitSeq(all, "\n") {
		if at := strings.Index(line, "Job orders finished"); at >= 0 && strings.Contains(line[:at], "orders: ") && !strings.Contains(line[:at], erase) {
			t.Errorf("the event stands behind the line: %q", line)
		}
	}
}

// TestIncompleteOnTheTerminal: the last line of a run that lacks data is a
// warning that says so.
func TestIncompleteOnTheTerminal(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"users":[{"id":1}],"has_more":true}`)
	}))
	defer api.Close()
	config := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","jobs":[{"endpoint":"users"}]}}}`, api.URL)
	cmd, terminal := onTerminal(t, nil, "run", "--data", dataDir(t, config))
	lines := strings.Split(strings.TrimRight(untilGone(t, cmd, terminal), "\r\n"), "\n")
	const want = "\x1b[1;33mWARN \x1b[0m Extraction finished, incomplete: 1 row, 1 table, 1 request; 1 warning says that data may be missing"
	if last := lines[len(lines)-1]; !cmd.ProcessState.Success() || !strings.Contains(last, want) {
		t.Errorf("%s: the last line is %q", cmd.ProcessState, last)
	}
}

// TestNoLiveLine: there is none if the cursor cannot be moved or the log is JSON.
func TestNoLiveLine(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `[{"id":1}]`) }))
	defer api.Close()
	for name, tc := range map[string]struct{ env, args []string }{
		"dumb terminal": {[]string{"TERM=dumb"}, nil},
		"JSON":          {nil, []string{"--log-format", "json"}},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, terminal := onTerminal(t, tc.env, append([]string{"--data", dataDir(t, configFor(api.URL, ""))}, tc.args...)...)
			text := untilGone(t, cmd, terminal)
			if !cmd.ProcessState.Success() || strings.Contains(text, "\x1b") || !strings.Contains(text, "Extraction finished") {
				t.Errorf("%s: %q", cmd.ProcessState, text)
			}
		})
	}
}

// TestColours: only on a terminal with colours, unless they are turned off.
func TestColours(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(broken, []byte(`{"parameters":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{
		"run":      {"--data", filepath.Dir(broken)},
		"validate": {"validate", broken},
	}
	for name, tc := range map[string]struct {
		env     []string
		colours bool
	}{
		"terminal":       {nil, true},
		"NO_COLOR":       {[]string{"NO_COLOR=1"}, false},
		"empty NO_COLOR": {[]string{"NO_COLOR="}, true},
		"dumb terminal":  {[]string{"TERM=dumb"}, false},
	} {
		for command, args := range commands {
			t.Run(name+"/"+command, func(t *testing.T) {
				cmd, terminal := onTerminal(t, tc.env, args...)
				if text := untilGone(t, cmd, terminal); strings.Contains(text, "\x1b[1;31m") != tc.colours || !strings.Contains(text, "parameters") {
					t.Errorf("%q", text)
				}
			})
		}
	}
	for command, args := range map[string][]string{"explain": {"explain"}, "explain a code": {"explain", "unknown-key"}, "help": {"--help"}} {
		cmd, terminal := onTerminal(t, nil, args...)
		if text := untilGone(t, cmd, terminal); strings.Contains(text, "\x1b") || text == "" {
			t.Errorf("%s: %q", command, text)
		}
	}
}
