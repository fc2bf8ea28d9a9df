package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// trial runs the component on a configuration without any environment.
func trial(t *testing.T, config string, change func(*Options)) (exit int, stdout, stderr, dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	o := Options{
		DataDir: dir, Stdout: &out, Stderr: &errs,
		Run: env.Run{
			Getenv: func(string) string { return "" },
			Now:    func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
			Sleep:  func(context.Context, time.Duration) error { return nil },
			Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, errors.New("no network in this test")
			}},
	}
	if change != nil {
		change(&o)
	}
	return Run(t.Context(), o), out.String(), errs.String(), dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const oneJob = `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"#key":"k3y 4711","jobs":[{"endpoint":"t"}]}}}`

func TestPanicIsAnApplicationError(t *testing.T) {
	exit, stdout, stderr, dir := trial(t, oneJob, func(o *Options) {
		o.Sleep = func(context.Context, time.Duration) error { panic("secret k3y 4711") }
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}
	})
	if exit != failure.ExitApplication {
		t.Errorf("exit code %d", exit)
	}
	if !strings.HasPrefix(stderr, "internal error: secret [hidden] (") || !strings.Contains(stderr, "component_test.go") && !strings.Contains(stderr, "app.TestPanic") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr: %q", stderr)
	}
	if !strings.Contains(stdout, `"event":"run.failed"`) || !strings.Contains(stdout, `"kind":"application"`) {
		t.Errorf("stdout: %s", stdout)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDataDirectory(t *testing.T) {
	variables := map[string]string{}
	for _, tt := range []struct{ given, environment, want string }{
		{"/given", "/env", "/given"}, {"", "/env/", "/env/"}, {"", "", "/data"},
	} {
		variables["KBC_DATADIR"] = tt.environment
		o := Options{DataDir: tt.given, Run: env.Run{Getenv: func(name string) string { return variables[name] }}}
		if got := newRun(o).DataDir; got != tt.want {
			t.Errorf("%+v: got %s", tt, got)
		}
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestEventsThatCannotBeWritten(t *testing.T) {
	exit, _, stderr, dir := trial(t, oneJob, func(o *Options) { o.Stdout = full{} })
	if exit == failure.ExitOK || stderr == "" {
		t.Errorf("exit code %d, stderr %q", exit, stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestUnreachedLogServer: what the platform's log server cannot take goes to standard output,
// and the run does its work.
func TestUnreachedLogServer(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[{"id": 1}]`) }))
	defer api.Close()
	for name, tt := range map[string]struct {
		address, port, want string
	}{
		"nothing listens": {"127.0.0.1", "1", "cannot connect to the log server 127.0.0.1:1: "},
		"no port":         {"127.0.0.1", "", "KBC_LOGGER_ADDR and KBC_LOGGER_PORT must be set together"},
		"no address":      {"", "1", "KBC_LOGGER_ADDR and KBC_LOGGER_PORT must be set together"},
		"no number":       {"127.0.0.1", "unknown-service", "cannot connect to the log server 127.0.0.1:unknown-service: "},
	} {
		t.Run(name, func(t *testing.T) {
			environment := map[string]string{"KBC_LOGGER_ADDR": tt.address, "KBC_LOGGER_PORT": tt.port}
			exit, stdout, stderr, _ := trial(t, oneJob, func(o *Options) {
				o.Getenv = func(name string) string { return environment[name] }
				o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, network, api.Listener.Addr().String())
				}
			})
			first, _, _ := strings.Cut(stdout, "\n")
			if exit != failure.ExitOK || stderr != "" || !strings.Contains(first, `"level":"warn","event":"log.unreached"`) || !strings.Contains(first, tt.want) || !strings.Contains(stdout, `"event":"run.finished"`) {
				t.Errorf("exit code %d, stdout %q, stderr %q", exit, stdout, stderr)
			}
		})
	}
	exit, stdout, stderr, _ := trial(t, strings.Replace(oneJob, "{", `{"action":"validate",`, 1), func(o *Options) {
		o.Getenv = func(name string) string {
			return map[string]string{"KBC_LOGGER_ADDR": "127.0.0.1", "KBC_LOGGER_PORT": "1"}[name]
		}
	})
	if exit != failure.ExitOK || stderr != "" || !strings.HasPrefix(stdout, `{"status":"success",`) || strings.Count(stdout, "\n") != 1 {
		t.Errorf("action: exit code %d, stdout %q, stderr %q", exit, stdout, stderr)
	}
}

// TestSwitches: a variable that switches something on is true or false. An empty one is
// neither.
func TestSwitches(t *testing.T) {
	for _, name := range []string{"EXTRACTOR_DENY_PRIVATE_NETWORKS", "EXTRACTOR_LIVE"} {
		for text, valid := range map[string]bool{"false": true, "0": true, "": false, " ": false, "yes": false, "on": false, "true ": false, "2": false} {
			exit, _, stderr, _ := trial(t, oneJob, func(o *Options) {
				o.Getenv = nil
				o.LookupEnv = func(asked string) (string, bool) {
					if asked == name {
						return text, true
					}
					return "", false
				}
			})
			refused := stderr == fmt.Sprintf("%s is %q, expected true or false\n", name, text)
			if exit != failure.ExitUser || refused == valid {
				t.Errorf("%s=%q: exit code %d, %q", name, text, exit, stderr)
			}
		}
	}
}

func TestWantsAction(t *testing.T) {
	for text, want := range map[string]bool{
		`{"action":"testRequest"}`: true, `{"action":"run"}`: false, `{}`: false, `{"action":""}`: false, `{"action":5}`: false, `{`: false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := wantsAction(&run{Options: Options{DataDir: dir}}); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if wantsAction(&run{Options: Options{DataDir: filepath.Join(t.TempDir(), "none")}}) {
		t.Error("a directory that is not there requests nothing")
	}
}

func TestConceal(t *testing.T) {
	doc, err := value.Parse([]byte(`{"#a":"s3cret-1","b":{"#c":{"d":["s3cret-2",987654]},"e":[{"#f":"s3cret-3"}]},"g":"open"}`))
	if err != nil {
		t.Fatal(err)
	}
	secrets := &secret.Registry{}
	secrets.AddDocument(doc)
	got := secrets.Mask("s3cret-1 s3cret-2 987654 s3cret-3 open")
	if want := "[hidden] [hidden] [hidden] [hidden] open"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var masked any
	if err := json.Unmarshal([]byte(redacted(secrets, doc).JSON()), &masked); err != nil {
		t.Error(err)
	}
	if text := redacted(secrets, doc).JSON(); strings.Contains(text, "s3cret") || strings.Contains(text, "987654") || !strings.Contains(text, "open") {
		t.Errorf("got %s", text)
	}
}

func TestSources(t *testing.T) {
	variables := map[string]string{"KBC_RUNID": "1.2", "KBC_URL": "https://platform.test", "KBC_TOKEN": "tok"}
	getenv := func(name string) string { return variables[name] }
	in, err := variableInputs(&run{Options: Options{Variables: []string{"a=1=2", "b="}, Run: env.Run{Getenv: getenv}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Flags) != 2 || in.Flags[0].Name != "a" || in.Flags[0].Text != "1=2" || in.Flags[1].Text != "" || in.RunID != "1.2" || in.Platform == nil {
		t.Errorf("got %+v", in)
	}
	delete(variables, "KBC_TOKEN")
	if in, err = variableInputs(&run{Options: Options{Run: env.Run{Getenv: getenv}}}); err != nil || in.Platform != nil {
		t.Errorf("without a token: got %+v, %v", in, err)
	}
	if _, err = variableInputs(&run{Options: Options{Variables: []string{"novalue"}, Run: env.Run{Getenv: getenv}}}); failure.KindOf(err) != failure.User {
		t.Errorf("got %v, want a user error", err)
	}
}

func TestProblemsOfTheConfiguration(t *testing.T) {
	exit, stdout, _, _ := trial(t, `{"parameters":{"api":{"baseUrl":"http://a.test/<x>","pagination":{"method":"offset","limit":"ten"}},"config":{"jobs":[{}]}}}`, nil)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var last struct{ Event, Problems string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || exit != failure.ExitUser || last.Event != "run.failed" {
		t.Fatalf("exit %d, %v, %s", exit, err, stdout)
	}
	var problems []failure.Problem
	if err := json.Unmarshal([]byte(last.Problems), &problems); err != nil {
		t.Fatalf("%q: %v", last.Problems, err)
	}
	places := map[string]bool{}
	for _, p := range problems {
		places[p.Pointer] = p.Expected != ""
	}
	for _, pointer := range []string{"/parameters/api/pagination/limit", "/parameters/config/jobs/0"} {
		if !places[pointer] {
			t.Errorf("no problem at %s in %v", pointer, problems)
		}
	}
}

// TestLongErrorsAreShortened: after masking, so that no part of a secret is left.
func TestLongErrorsAreShortened(t *testing.T) {
	secrets := &secret.Registry{}
	secrets.Add("hunter2-hunter2")
	start := strings.Repeat("é", mostLine/2-4)
	got := oneLine(secrets, errors.New(start+"hunter2-hunter2"+strings.Repeat("x", 1<<20)))
	if want := start + "[hidden]" + " …"; got != want {
		t.Errorf("%d bytes that end with %q, want %d that end with %q", len(got), got[len(got)-30:], len(want), want[len(want)-30:])
	}
}
