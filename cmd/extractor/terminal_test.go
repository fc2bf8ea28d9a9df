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
// columns, and returns what it shows.
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
	if err != nil && !errors.Is(err, syscall.EIO) { // a terminal without a writer
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
	before := until(t, terminal, regexp.MustCompile(`orders: 1 page, 2 rows, .*waiting for a response`))
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
			t.Errorf("the event follows the line: %q", line)
		}
	}
}

// TestLiveParents: the line of a child job shows for how many items of its parent it
// has run.
func TestLiveParents(t *testing.T) {
	for _, http := range []string{"{}", `{"concurrency":3}`} {
		t.Run(http, func(t *testing.T) { testLiveParents(t, http) })
	}
}

func testLiveParents(t *testing.T, settings string) {
	seen := make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/users":
			fmt.Fprint(w, `[{"id":1},{"id":2},{"id":3}]`)
		case "/users/2":
			<-seen
			fallthrough
		default:
			fmt.Fprint(w, `[{"n":1}]`)
		}
	}))
	defer api.Close()
	config := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"http":%s},"config":{"outputBucket":"b","jobs":[{"endpoint":"users","children":[{"endpoint":"users/{u}","placeholders":{"u":"id"}}]}]}}}`, api.URL, settings)
	cmd, terminal := onTerminal(t, nil, "run", dataDir(t, config))
	until(t, terminal, regexp.MustCompile(`  users/\{u\}: (\d+ s, )?1 of 3 parents, 1 page, 1 row, `))
	close(seen)
	if text := untilGone(t, cmd, terminal); !cmd.ProcessState.Success() {
		t.Errorf("%s: %q", cmd.ProcessState, text)
	}
}

// TestIncompleteOnTheTerminal: a run that lacks data ends with a warning that says so,
// and with the files that it has written.
func TestIncompleteOnTheTerminal(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"users":[{"id":1}],"has_more":true}`)
	}))
	defer api.Close()
	config := fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b","jobs":[{"endpoint":"users"}]}}}`, api.URL)
	dir := dataDir(t, config)
	cmd, terminal := onTerminal(t, nil, "run", dir)
	lines := strings.Split(strings.TrimRight(untilGone(t, cmd, terminal), "\r\n"), "\r\n")
	const want = "\x1b[1;33mWARN \x1b[0m Extraction finished, incomplete: 1 row, 1 table, 1 request; 1 warning says that data may be missing"
	written := fmt.Sprintf("Written: tables in %[1]s/out/tables, state in %[1]s/out/state.json", dir)
	if len(lines) < 2 || !cmd.ProcessState.Success() || !strings.Contains(lines[len(lines)-2], want) || lines[len(lines)-1] != written {
		t.Errorf("%s: the last lines are %q", cmd.ProcessState, lines)
	}
}

// TestFailureOnTheTerminal: a failure is shown once, with its place in the configuration.
func TestFailureOnTheTerminal(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"message":"no such token"}`, http.StatusUnauthorized)
	}))
	defer api.Close()
	refused := strings.ReplaceAll(configFor(api.URL, ""), `"jobs":[`, "\"jobs\":[\n")
	invalid := strings.ReplaceAll(configFor(api.URL, `"#key":"s3cret",`), `"endpoint"`, "\n\"endpont\"")
	for name, tc := range map[string]struct {
		config string
		env    []string
		format string
		exit   int
		want   []string
		once   string
		not    string
	}{
		"a response": {refused, nil, "auto", 1, []string{"/config.json:2:13: \x1b[1;31merror\x1b[0m: job t, page 1: ", "2 |\x1b[0m {\"endpoint\":\"t\"}]}}}", "at /parameters/config/jobs/0\r\n"}, "no such token", "1 error,"},
		"a configuration": {
			invalid, nil, "auto", 1,
			[]string{`expected the key "endpoint" [missing-key]`, "hint: is \"endpont\" meant to be it?", "1 error, 0 warnings"}, `the key "endpoint"`, "s3cret",
		},
		"not JSON":     {`{"parameters":`, nil, "console", 1, []string{"/config.json:1:15: ", "not valid JSON: ", "[invalid-json]"}, "not valid JSON", "ERROR"},
		"no place":     {"", nil, "auto", 2, []string{"\x1b[1;31merror\x1b[0m: cannot read the configuration: "}, "cannot read the configuration", "ERROR"},
		"JSON lines":   {refused, nil, "json", 1, []string{`"event":"run.failed"`, "(at /parameters/config/jobs/0)\r\n"}, "", "2 |"},
		"the platform": {refused, []string{"KBC_RUNID=7"}, "auto", 1, []string{"ERROR", "job t, page 1: ", "(at /parameters/config/jobs/0)\r\n"}, "", "2 |"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := dataDir(t, tc.config)
			if tc.config == "" {
				if err := os.Remove(filepath.Join(dir, "config.json")); err != nil {
					t.Fatal(err)
				}
			}
			cmd, terminal := onTerminal(t, tc.env, "run", dir, "--log-format", tc.format)
			text := untilGone(t, cmd, terminal)
			if got := cmd.ProcessState.ExitCode(); got != tc.exit {
				t.Errorf("exit code %d, want %d", got, tc.exit)
			}
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("it lacks %q", want)
				}
			}
			if tc.once != "" && strings.Count(text, tc.once) != 1 || strings.Contains(text, tc.not) {
				t.Errorf("not %q once, or with %q", tc.once, tc.not)
			}
			if t.Failed() {
				t.Logf("%q", text)
			}
		})
	}
}

// TestFailureOnStderr: with its events in a file, a person at a terminal still gets the
// place of a failure.
func TestFailureOnStderr(t *testing.T) {
	dir := dataDir(t, "{\"parameters\": {}}")
	cmd, stdout, _ := program([]string{"TERM=xterm"}, "run", dir)
	cmd.Stderr = nil
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	text := untilGone(t, cmd, terminal)
	if !strings.Contains(text, "1 |\x1b[0m {\"parameters\": {}}") || !strings.Contains(stdout.String(), `"event":"run.failed"`) {
		t.Errorf("stderr: %q\nstdout: %s", text, stdout)
	}
}

// TestInterruptedOnTheTerminal: Ctrl-C ends with 130, and says what is still there.
func TestInterruptedOnTheTerminal(t *testing.T) {
	asked := make(chan struct{}, 1)
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer api.Close()
	dir := dataDir(t, configFor(api.URL, ""))
	tables, state := filepath.Join(dir, "out", "tables"), filepath.Join(dir, "out", "state.json")
	if err := os.MkdirAll(tables, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(tables, "b.t"): "\"id\"\n", state: "{}"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd, _, _ := program([]string{"TERM=xterm"}, "run", dir)
	cmd.Stdout, cmd.Stderr = nil, nil
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	<-asked
	if _, err := terminal.Write([]byte{3}); err != nil { // Ctrl-C
		t.Fatal(err)
	}
	text := untilGone(t, cmd, terminal)
	want := fmt.Sprintf("the run was interrupted: interrupt signal received; no table and no state was written, %s and %s are those of the run before\r\n", tables, state)
	if cmd.ProcessState.ExitCode() != 130 || strings.Count(text, want) != 1 || strings.Count(text, "interrupted") != 1 {
		t.Errorf("%s: %q", cmd.ProcessState, text)
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

// TestInputs: at a terminal, init prompts for what a configuration of the gallery lacks. A
// secret is not shown, and is where the next run finds it.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	cmd, _, _ := program([]string{"TERM=xterm"}, "init", "--api", "zendesk", "--out", "config.json")
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, nil, nil, nil
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	shown := ""
	for _, response := range []struct{ question, text string }{
		{`host, instead of your-company\.zendesk\.com: `, "https://acme.zendesk.com/agent/"},
		{`clientId, instead of your-client-identifier: `, "c1"},
		{`#clientSecret, instead of your-client-secret \(not shown\): `, "s3cret-k3y"},
	} {
		shown += until(t, terminal, regexp.MustCompile(response.question))
		if _, err := io.WriteString(terminal, response.text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	shown += untilGone(t, cmd, terminal)
	config, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	env, err := os.ReadFile(filepath.Join(dir, ".env"))
	if err != nil || string(env) != "EXTRACTOR_VAR_ZENDESK_CLIENT_SECRET='s3cret-k3y'\n" {
		t.Errorf(".env: %q, %v", env, err)
	}
	if strings.Contains(shown, "s3cret") || strings.Contains(string(config), "s3cret") || !strings.Contains(string(config), `"https://acme.zendesk.com/`) {
		t.Errorf("shown:\n%s\nconfiguration:\n%s", shown, config)
	}
	check, stdout, stderr := program(nil, "validate", "config.json")
	check.Dir = dir
	if err := check.Run(); err != nil || strings.Contains(stdout.String(), "missing-variable") {
		t.Errorf("%v: %s%s", err, stdout, stderr)
	}
}
