package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"gopkg.in/yaml.v3"
)

// workflow is what docs/how-to/testing-configurations.md shows of GitHub Actions.
type workflow struct {
	On   map[string]any
	Env  map[string]string
	Jobs map[string]struct {
		RunsOn string `yaml:"runs-on"`
		If     string
		Env    map[string]string
		Steps  []struct{ Name, Uses, Run, If string }
	}
}

// commands are what the steps of a job run, but for the installation, and its environment.
func (w workflow) commands(t *testing.T, job string) (lines []string, environment string) {
	t.Helper()
	j, ok := w.Jobs[job]
	if !ok || j.RunsOn == "" {
		t.Fatalf("the workflow has no job %s", job)
	}
	for name, value := range j.Env {
		environment += "export " + name + "='" + value + "'\n"
	}
	installed := false
	for _, step := range j.Steps {
		switch {
		case (step.Uses == "") == (step.Run == ""):
			t.Errorf("%s: a step needs either uses or run: %+v", job, step)
		case strings.HasPrefix(step.Run, "go install "):
			installed = strings.HasSuffix(step.Run, "/cmd/extractor@$VERSION") && w.Env["VERSION"] != ""
		case step.Run != "":
			lines = append(lines, step.Run)
		}
	}
	if !installed {
		t.Errorf("%s does not install the extractor", job)
	}
	return lines, environment
}

// TestRecordingGuide runs the commands of docs/how-to/testing-configurations.md: those
// that record, the steps of the workflow with and without the API, and the steps again after
// changes that they must find.
func TestRecordingGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", "testing-configurations.md"))
	if err != nil {
		t.Fatal(err)
	}
	var actions workflow
	decoder := yaml.NewDecoder(strings.NewReader(block(t, string(guide), "yaml file=.github/workflows/extraction.yml")))
	if err := decoder.Decode(&actions); err != nil {
		t.Fatal(err)
	}
	if _, ok := actions.On["pull_request"]; !ok || len(actions.Jobs) != 2 {
		t.Errorf("the workflow runs on %v and has %d jobs", actions.On, len(actions.Jobs))
	}
	replay, any := actions.commands(t, "replay")
	live, _ := actions.commands(t, "live")
	if len(replay) != 3 || len(live) != 1 || any == "" {
		t.Fatalf("the steps are %q and %q", replay, live)
	}
	var rows atomic.Value
	rows.Store(`[{"id":1}]`)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, rows.Load()) }))
	defer api.Close()
	dir := t.TempDir()
	shell := shellWith(t, dir)
	write(t, filepath.Join(dir, "shop", "config.json"), configFor(api.URL, `"#token":{"env":"SHOP_TOKEN"},"http":{"headers":{"X-Token":{"attr":"#token"}}},`))
	const secret = "export EXTRACTOR_VAR_SHOP_TOKEN=s3cret\n"
	shell(secret+block(t, string(guide), "sh"), 0)
	shell(secret+live[0], 0) // nothing is left out
	rows.Store("[" + strings.Repeat(`{"id":1},`, 10) + `{"id":2}]`)
	shell(secret+live[0], 0) // a sample is cut
	rows.Store("no JSON")
	shell(secret+live[0], 1) // the API has changed
	api.Close()

	clean := func() {
		if err := os.RemoveAll(filepath.Join(dir, "shop", "out")); err != nil {
			t.Fatal(err)
		}
	}
	clean()
	for _, line := range replay {
		shell(any+line, 0)
	}
	if _, err := os.Stat(filepath.Join(dir, "report", "report.html")); err != nil {
		t.Error(err)
	}
	table := filepath.Join(dir, "expected", "b.t")
	text, err := os.ReadFile(table)
	if err != nil || string(text) != "\"id\"\n\"1\"\n" {
		t.Errorf("the recorded table: %q, %v", text, err)
	}
	write(t, table, "\"id\"\n\"2\"\n")
	shell(any+replay[2], 1)
	write(t, filepath.Join(dir, "shop", "config.json"), configFor(api.URL, `"incrementalOutptu":true,`))
	shell(any+replay[0], 1)
	write(t, filepath.Join(dir, "shop", "config.json"), strings.Replace(configFor(api.URL, ""), `"t"`, `"u"`, 1))
	if out := shell(any+replay[1], 1); !strings.Contains(out, "/u was not recorded; the nearest that was is GET "+api.URL+"/t: the address differs") {
		t.Errorf("another request: %s", out)
	}
	more := filepath.Join(dir, "shop.har")
	archive, err := os.ReadFile(more)
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`(?s)"entries":\[(.*?)\n\]`).FindSubmatch(archive)[1]
	write(t, more, strings.Replace(string(archive), `"entries":[`, `"entries":[`+strings.Replace(string(entry), "/t\"", "/t2\"", 1)+",", 1))
	write(t, filepath.Join(dir, "shop", "config.json"), configFor(api.URL, ""))
	if out := shell(any+replay[1], 1); !strings.Contains(out, "the recording holds 1 request that was not sent, the first: GET "+api.URL+"/t2") {
		t.Errorf("a request that is not sent: %s", out)
	}
}

func TestRecordingFlags(t *testing.T) {
	dir := t.TempDir()
	shell := shellWith(t, dir)
	write(t, filepath.Join(dir, "config.json"), configFor("http://127.0.0.1:1", ""))
	for flags, want := range map[string]string{
		"--record a --replay b":           "cannot replay 'b'",
		"--record-max-body 5":             "--record-max-body needs --record",
		"--record-max-body -1 --record a": "--record-max-body expects a number of bytes, found -1",
		"--record none/a":                 "cannot record to 'none/a'",
		"--replay none":                   "cannot replay 'none'",
	} {
		if out := shell("extractor run --data . "+flags, 1); !strings.Contains(out, want) || !strings.Contains(out, `"event":"run.failed"`) {
			t.Errorf("%s: got %s, want %s", flags, out, want)
		}
	}
}

// block is the first block of code of a language.
func block(t *testing.T, text, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```" + regexp.QuoteMeta(language) + "\n(.*?)```").FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no block in %s", language)
	}
	return found[1]
}

// shellWith runs lines of a shell in a directory, with the program among its
// commands, and returns what they print.
func shellWith(t *testing.T, dir string) func(line string, exit int) string {
	t.Helper()
	bin := t.TempDir()
	self, err := filepath.Abs(os.Args[0])
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "extractor"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(line string, exit int) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = []string{asProgram + "=1", "GORACE=" + quickExit, "PATH=" + bin + ":" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != exit {
			t.Errorf("%s: exit code %d (%v), want %d\n%s", line, cmd.ProcessState.ExitCode(), err, exit, out)
		}
		return string(out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
