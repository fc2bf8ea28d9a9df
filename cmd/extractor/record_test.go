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
	"testing"
)

// TestRecordingGuide runs the commands of docs/how-to/testing-configurations.md: those
// that record, and with the API gone those of the CI job.
func TestRecordingGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", "testing-configurations.md"))
	if err != nil {
		t.Fatal(err)
	}
	record := strings.Split(strings.TrimSpace(block(t, string(guide), "sh")), "\n")
	job := strings.Split(strings.TrimSpace(block(t, string(guide), "yaml")), "\n")
	if len(job) != 4 {
		t.Fatalf("the CI job has %d lines, want 4", len(job))
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `[{"id":1}]`)
	}))
	defer api.Close()
	dir := t.TempDir()
	shell := shellWith(t, dir)
	write(t, filepath.Join(dir, "shop", "config.json"), configFor(api.URL, `"#key":"s3cret",`))
	for _, line := range record {
		shell(line, 0)
	}
	api.Close()
	if err := os.RemoveAll(filepath.Join(dir, "shop", "out")); err != nil {
		t.Fatal(err)
	}
	for _, line := range job[2:] {
		shell(strings.TrimSpace(line)[2:], 0)
	}
	table := filepath.Join(dir, "expected", "b.t")
	text, err := os.ReadFile(table)
	if err != nil || string(text) != "\"id\"\n\"1\"\n" {
		t.Errorf("the recorded table: %q, %v", text, err)
	}
	write(t, table, "something else")
	shell("diff -r expected shop/out/tables", 1)
	write(t, filepath.Join(dir, "shop", "config.json"), strings.Replace(configFor(api.URL, ""), `"t"`, `"u"`, 1))
	if out := shell("extractor run --data shop --replay shop.har", 1); !strings.Contains(out, "/u was not recorded; the nearest that was is GET "+api.URL+"/t: the address differs") {
		t.Errorf("another request: %s", out)
	}
	more := filepath.Join(dir, "shop.har")
	archive, err := os.ReadFile(more)
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`(?s)"entries":\[(.*)\]\}\}`).FindSubmatch(archive)[1]
	write(t, more, strings.Replace(string(archive), `"entries":[`, `"entries":[`+strings.Replace(string(entry), "/t\"", "/t2\"", 1)+",", 1))
	write(t, filepath.Join(dir, "shop", "config.json"), configFor(api.URL, ""))
	if out := shell("extractor run --data shop --replay shop.har", 1); !strings.Contains(out, "the recording holds 1 request that was not sent, the first: GET "+api.URL+"/t2") {
		t.Errorf("a request that is not sent: %s", out)
	}
}

func TestRecordingFlags(t *testing.T) {
	dir := t.TempDir()
	shell := shellWith(t, dir)
	write(t, filepath.Join(dir, "config.json"), configFor("http://127.0.0.1:1", ""))
	for flags, want := range map[string]string{
		"--record a --replay b":           "--record and --replay exclude each other",
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
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(text)
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
