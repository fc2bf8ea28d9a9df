package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ran is how a command of the extractor ended.
type ran struct {
	exit           int
	stdout, stderr string
}

// command prepares a client command of the extractor for this platform.
func (s *stack) command(args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd = exec.Command(extractor, args...)
	cmd.Env = []string{"KBC_URL=" + strings.TrimSuffix(s.storage, "/v2/storage"), "KBC_TOKEN=" + token, "KBC_COMPONENTID=" + component}
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// extractor runs a client command to its end.
func (s *stack) extractor(t *testing.T, args ...string) ran {
	t.Helper()
	cmd, stdout, stderr := s.command(args...)
	return finish(t, cmd, stdout, stderr)
}

// runDevstack runs devstack to its end.
func runDevstack(t *testing.T, args ...string) ran {
	t.Helper()
	cmd, stdout, stderr := exec.Command(devstack, args...), &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return finish(t, cmd, stdout, stderr)
}

func finish(t *testing.T, cmd *exec.Cmd, stdout, stderr *bytes.Buffer) ran {
	t.Helper()
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return ran{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// want fails unless the command had an exit code and printed the texts.
func (r ran) want(t *testing.T, exit int, stdout, stderr string) {
	t.Helper()
	if r.exit != exit || !strings.Contains(r.stdout, stdout) || !strings.Contains(r.stderr, stderr) {
		t.Errorf("exit code %d, want %d\nstdout: %s\nwant: %s\nstderr: %s\nwant: %s", r.exit, exit, r.stdout, stdout, r.stderr, stderr)
	}
}

func save(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigCommands(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	pushed := `{"parameters":{"api":{"baseUrl":"http://127.0.0.1:1"},"config":{"jobs":[{"endpoint":"{{a}}","params":{}}]}},"note":[1.0,9007199254740993]}`
	variables := save(t, "variables.json", `{"variables":[{"name":"a","type":"int"}]}`)

	s.extractor(t, "config", "list").want(t, 0, "", "")
	done := s.extractor(t, "config", "push", save(t, "config.json", pushed), "--name", "Größe & Co.", "--variables", variables, "--json")
	var ids map[string]any
	if err := json.Unmarshal([]byte(done.stdout), &ids); err != nil || done.exit != 0 {
		t.Fatalf("push: %+v, %v", done, err)
	}
	s.extractor(t, "config", "list").want(t, 0, "Größe & Co.", "")

	var list []struct {
		ID, Name      string
		Configuration struct {
			VariablesID string `json:"variables_id"`
		}
	}
	s.get(t, s.configs(component), &list)
	if len(list) != 1 || list[0].Name != "Größe & Co." {
		t.Fatalf("stored %+v", list)
	}
	var declared struct{ Configuration json.RawMessage }
	s.get(t, s.configs("keboola.variables")+"/"+list[0].Configuration.VariablesID, &declared)
	if !strings.Contains(string(declared.Configuration), `"type":"int"`) {
		t.Errorf("declared %s", declared.Configuration)
	}
	out := filepath.Join(t.TempDir(), "pulled.json")
	s.extractor(t, "config", "pull", "--config", list[0].ID, "--out", out).want(t, 0, "", "")
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSuffix(pushed, "}") + fmt.Sprintf(`,"variables_id":%q}`, list[0].Configuration.VariablesID); compact.String() != want {
		t.Errorf("pulled %s\nwant   %s", &compact, want)
	}

	// A file that knows nothing of the link becomes the next version with it.
	edited := save(t, "config.json", strings.Replace(pushed, "{{a}}", "b/{{a}}", 1))
	s.extractor(t, "config", "push", edited, "--config", list[0].ID).want(t, 0, "configuration "+list[0].ID+" is updated, version 2\n", "")
	changed := save(t, "variables.json", `{"variables":[{"name":"a","type":"string"}]}`)
	s.extractor(t, "config", "push", edited, "--config", list[0].ID, "--variables", changed).
		want(t, 0, "variable configuration "+list[0].Configuration.VariablesID+" is updated\nconfiguration "+list[0].ID+" is updated, version 3\n", "")
	before := list[0].Configuration.VariablesID
	s.get(t, s.configs(component), &list)
	s.get(t, s.configs("keboola.variables")+"/"+before, &declared)
	if len(list) != 1 || list[0].Name != "Größe & Co." || list[0].Configuration.VariablesID != before || !strings.Contains(string(declared.Configuration), `"type":"string"`) {
		t.Errorf("after the updates: %+v, declared %s", list, declared.Configuration)
	}
	s.extractor(t, "config", "push", edited, "--config", "999").want(t, 1, "", "404 Not Found: Configuration \"999\" not found")
	s.extractor(t, "config", "pull", "--config", "999").want(t, 1, "", "404 Not Found: Configuration \"999\" not found")
}

func TestJobCommands(t *testing.T) {
	api := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/7" {
			http.Error(w, "no such thing", http.StatusNotFound)
			return
		}
		fmt.Fprint(w, `[{"id":1}]`)
	})
	own := serve(t, t.TempDir())
	broken := serve(t, t.TempDir(), "--extractor", script(t, "echo from the depth >&2; exit 2"))
	config := own.store(t, component, oneJob(api.url, "{{id}}"))
	brokenConfig := broken.store(t, component, oneJob(api.url, "x"))
	rows := []struct {
		name           string
		s              *stack
		args           []string
		exit           int
		stdout, stderr string
	}{
		{"success", own, []string{"job", "run", "--config", config, "--var", "id=7", "--wait"}, 0, "Extraction finished: 1 row, 1 table, 1 request", "success"},
		{"user error", own, []string{"job", "run", "--config", config, "--var", "id=8", "--wait"}, 1, "error: job 8, page 1: [404]", "error"},
		{"application error", broken, []string{"job", "run", "--config", brokenConfig, "--wait"}, 2, "error: Internal Server Error occurred.", "error"},
		{"only started", own, []string{"job", "run", "--config", config, "--var", "id=7"}, 0, ": created\n", ""},
		{"refused", own, []string{"job", "run", "--config", "999"}, 1, "", `400 Bad Request: Cannot resolve job parameters: Configuration "999"`},
		{"unknown job", own, []string{"job", "status", "999"}, 1, "", `404 Not Found: Job "999" not found (code 404`},
		{"events of no job", own, []string{"job", "events", "999"}, 0, "", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.s.extractor(t, row.args...).want(t, row.exit, row.stdout, row.stderr)
		})
	}
}

// TestKillCommand: a job that is followed and killed by another command ends the
// following with exit code 1.
func TestKillCommand(t *testing.T) {
	t.Parallel()
	api, came, gone := hanging(t)
	s := serve(t, t.TempDir())
	config := s.store(t, component, oneJob(api.url, "x"))
	following, stdout, stderr := s.command("job", "run", "--config", config, "--wait")
	if err := following.Start(); err != nil {
		t.Fatal(err)
	}
	<-came
	var running []job
	s.get(t, s.queue+"/search/jobs?status[]=processing", &running)
	if len(running) != 1 {
		t.Fatalf("running: %+v", running)
	}
	s.extractor(t, "job", "kill", running[0].ID).want(t, 0, "ending", "")
	<-gone
	s.become(t, running[0].ID, "terminated")
	s.extractor(t, "job", "status", running[0].ID).want(t, 0, "terminated: The job was terminated.", "")
	s.extractor(t, "job", "events", running[0].ID).want(t, 0, "Running component acme.ex-shop", "")
	err := following.Wait()
	ran{following.ProcessState.ExitCode(), stdout.String(), stderr.String()}.want(t, 1, "terminated: The job was terminated.", "")
	if err == nil {
		t.Error("following a killed job ended well")
	}
}
