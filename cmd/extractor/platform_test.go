package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const platformToken = "123-4567-tOkEnThatMustNotBeSeen"

// fakePlatform has the configuration, variable configuration and job of docs/how-to/platform.md.
// A job ends when it is created, so that no test waits; one of configuration 4 never
// ends.
func fakePlatform(t *testing.T) *httptest.Server {
	t.Helper()
	const (
		ours      = "/v2/storage/components/acme.ex-shop/configs"
		variables = "/v2/storage/components/keboola.variables/configs"
		done      = `{"id":"3","status":"success","isFinished":true,"result":{"message":"Component processing finished."}}`
	)
	responses := map[string]string{
		"POST " + variables:       `{"id":"1"}`,
		"POST " + ours:            `{"id":"2"}`,
		"GET " + ours:             `[{"id":"2","name":"Shop","version":1}]`,
		"GET " + ours + "/2":      `{"id":"2","configuration":{"variables_id":"1"}}`,
		"PUT " + ours + "/2":      `{"id":"2","version":2}`,
		"PUT " + variables + "/1": `{"id":"1","version":2}`,
		"POST /queue/jobs":        done,
		"GET /queue/jobs/3":       done,
		"GET /queue/jobs/4":       `{"id":"4","status":"processing"}`,
		"POST /queue/jobs/3/kill": `{"id":"3","status":"terminating"}`,
		"GET /v2/storage/events": `[{"id":"2","type":"success","created":"2026-05-04T10:00:01+0000","message":"Extraction finished: 5 rows"},
			{"id":"1","type":"info","created":"2026-05-04T10:00:00+0000","message":"GET /products"}]`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v2/storage" {
			fmt.Fprintf(w, `{"services":[{"id":"queue","url":"http://%s/queue"}]}`, r.Host)
			return
		}
		if token := r.Header.Get("X-StorageApi-Token"); token != platformToken {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"Invalid access token %s","code":"storage.tokenInvalid","exceptionId":"e-1"}`, token)
			return
		}
		response, ok := responses[r.Method+" "+r.URL.Path]
		if body, err := io.ReadAll(r.Body); err == nil && strings.Contains(string(body), `"config":"4"`) {
			response = `{"id":"4","status":"created"}`
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			response = `{"error":"none","code":"notFound"}`
		}
		fmt.Fprint(w, response)
	}))
	t.Cleanup(server.Close)
	return server
}

// client is the program as a client of this platform.
func client(t *testing.T, url, dir, token string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	cmd, out, err := program([]string{"KBC_URL=" + url, "KBC_COMPONENTID=acme.ex-shop", "KBC_TOKEN=" + token}, args...)
	cmd.Dir = dir
	if e := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(e)
	}
	if strings.Contains(out.String()+err.String(), platformToken) {
		t.Errorf("%v: the token is seen", args)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// TestPlatformDocument runs every command that docs/how-to/platform.md shows.
func TestPlatformDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/platform.md")
	if err != nil {
		t.Fatal(err)
	}
	server, dir := fakePlatform(t), t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("config.json", `{"parameters":{}}`)
	commands, printed := 0, ""
	for i, part := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			continue
		}
		kind, block, _ := strings.Cut(part, "\n")
		if name, is := strings.CutPrefix(kind, "json file="); is {
			write(name, block)
			continue
		}
		if kind == "text" {
			if printed != block {
				t.Errorf("printed:\n%s\nthe document shows:\n%s", printed, block)
			}
			continue
		}
		for line := range strings.Lines(block) {
			args := strings.Fields(line)
			if args[0] != "extractor" {
				continue // the settings, which the test makes itself
			}
			commands++
			exit, stdout, stderr := client(t, server.URL, dir, platformToken, args[1:]...)
			if exit != 0 || stdout == "" && stderr == "" {
				t.Errorf("%s: exit code %d\n%s%s", line, exit, stdout, stderr)
			}
			printed = stdout
		}
	}
	if commands != 10 {
		t.Errorf("%d commands were run", commands)
	}
	if pulled, err := os.ReadFile(filepath.Join(dir, "pulled.json")); err != nil || !json.Valid(pulled) {
		t.Errorf("pulled %q, %v", pulled, err)
	}
}

func TestClientCommands(t *testing.T) {
	server, dir := fakePlatform(t), t.TempDir()
	tokenFile := filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte(platformToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		token          string
		args           []string
		exit           int
		stdout, stderr string // what they must contain; "" is empty
	}{
		"token of a file":     {"", []string{"job", "status", "4", "--token-file", tokenFile}, 0, "job 4: processing\n", ""},
		"the file wins":       {"other", []string{"job", "status", "4", "--token-file", tokenFile}, 0, "job 4: processing\n", ""},
		"given queue address": {platformToken, []string{"job", "status", "4", "--queue-url", server.URL + "/queue"}, 0, "job 4: processing\n", ""},
		"push":                {platformToken, []string{"config", "push", "config.json"}, 0, "configuration 2\n", "update it with `extractor config push config.json --config 2`\n"},
		"JSON":                {platformToken, []string{"config", "list", "--json"}, 0, `[{"id":"2","name":"Shop","version":"1"}]` + "\n", ""},
		"groups explain":      {"", []string{"config"}, 0, "List the stored configurations", ""},
		"timeout":             {platformToken, []string{"job", "run", "--config", "4", "--wait", "--timeout", "1ns", "--queue-url", server.URL + "/queue"}, 1, "GET /products", "job 4 continues"},
		"nothing to split":    {platformToken, []string{"job", "run", "--config", "2", "--split", "iterations=3"}, 1, "", "the configuration has no list of iterations to split: run it without --split (at /iterations)\n"},
		"split of what":       {platformToken, []string{"job", "run", "--config", "2", "--split", "rows"}, 1, "", "--split expects iterations or windows, or iterations=N or windows=N with a number of groups from 1\n"},
		"no token":            {"", []string{"config", "list"}, 1, "", "the token is missing: use --token-file, or set KBC_TOKEN in the environment or in .env\n"},
		"no token file":       {"", []string{"config", "list", "--token-file", tokenFile + "x"}, 1, "", "cannot read the token"},
		"no such address":     {platformToken, []string{"config", "list", "--url", "shop"}, 1, "", "the platform address must be an absolute"},
		"wrong token":         {"wrong-token", []string{"config", "list"}, 1, "", "401 Unauthorized: Invalid access token [hidden] (code storage.tokenInvalid, exceptionId e-1)\n"},
		"no configuration":    {platformToken, []string{"job", "run"}, 1, "", `required flag(s) "config" not set`},
		"not found":           {platformToken, []string{"config", "pull", "--config", "9"}, 1, "", "404 Not Found: none (code notFound)\n"},
		"other component":     {platformToken, []string{"config", "list", "--component", "other"}, 1, "", "/components/other/configs: 404"},
		"no such command":     {platformToken, []string{"job", "dance"}, 1, "", "unknown command 'extractor job dance'"},
	} {
		t.Run(name, func(t *testing.T) {
			exit, stdout, stderr := client(t, server.URL, dir, tc.token, tc.args...)
			if exit != tc.exit {
				t.Errorf("exit code %d, want %d", exit, tc.exit)
			}
			for what, got := range map[string][2]string{"stdout": {stdout, tc.stdout}, "stderr": {stderr, tc.stderr}} {
				if got[1] == "" && got[0] != "" || !strings.Contains(got[0], got[1]) {
					t.Errorf("%s: got %q, want %q", what, got[0], got[1])
				}
			}
		})
	}
	cmd, _, stderr := program([]string{"KBC_URL=" + server.URL, "KBC_TOKEN=" + platformToken}, "config", "list")
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "the component id is missing") {
		t.Errorf("without a component: %v, %s", err, stderr)
	}
}
