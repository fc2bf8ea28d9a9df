package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

const exitCodesPage = "../../docs/reference/exit-codes.md"

// exitRow matches a row of the table by command.
var exitRow = regexp.MustCompile("(?m)^\\| (`[^|]*) \\| ([0-9]+) \\| .+ \\|$")

// TestExitCodesPage: every row of docs/reference/exit-codes.md has a command that ends
// with its code, and no row is missing.
func TestExitCodesPage(t *testing.T) {
	page, err := os.ReadFile(exitCodesPage)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, match := range exitRow.FindAllStringSubmatch(string(page), -1) {
		code, err := strconv.Atoi(match[2])
		if err != nil {
			t.Fatal(err)
		}
		rows[match[1]+" "+match[2]] = code
	}
	tests := exitTests(t)
	if got, want := slices.Sorted(maps.Keys(tests)), slices.Sorted(maps.Keys(rows)); !slices.Equal(got, want) {
		t.Errorf("%s has the rows\n%s\nthe test those\n%s", exitCodesPage, strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
	for name, commands := range tests {
		for _, args := range commands {
			t.Run(name+"/"+strings.Join(args, " "), func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				if got := execute(t.Context(), args, strings.NewReader(""), &stdout, &stderr); got != rows[name] {
					t.Errorf("exit code %d, want %d\n%s%s", got, rows[name], &stdout, &stderr)
				}
			})
		}
	}
	t.Run("Ctrl-C", func(t *testing.T) {
		if got := interruptedRun(t); got != 130 {
			t.Errorf("exit code %d", got)
		}
	})
	for _, code := range []int{0, 1, 2, 3, 130} {
		if !strings.Contains(string(page), fmt.Sprintf("\n| %d | ", code)) {
			t.Errorf("code %d is not explained", code)
		}
	}
}

// TestGoRun: as the page says, go run prints the exit code of a program and itself ends
// with 1.
func TestGoRun(t *testing.T) {
	slowtest.Skip(t, "it builds a program")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte("package main\n\nimport \"os\"\n\nfunc main() { os.Exit(3) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", file)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || string(text) != "exit status 3\n" {
		t.Errorf("%v: %s", err, text)
	}
}

// exitTests are the commands for the rows of the page.
func exitTests(t *testing.T) map[string][][]string {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `[{"id":1},{"id":2}]`) }))
	t.Cleanup(api.Close)
	good, other := dataDir(t, configFor(api.URL, "")), dataDir(t, configFor(api.URL, ""))
	broken := dataDir(t, `{"parameters":{}}`)
	open := dataDir(t, configFor("{{host}}", `"debug":"{{debug}}",`))
	for dir, rows := range map[string]string{good: "1", other: "2"} {
		tables := filepath.Join(dir, "expected")
		if err := os.Mkdir(tables, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tables, "t.csv"), []byte("\"id\"\n\""+rows+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one, two := filepath.Join(good, "expected"), filepath.Join(other, "expected")
	none := filepath.Join(good, "none")
	token := filepath.Join(good, "token")
	if err := os.WriteFile(token, []byte("t0ken"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KBC_TOKEN", "")
	t.Setenv("KBC_DATADIR", "")
	platform := jobsPlatform(t)
	at := func(url string, args ...string) []string {
		return append(args, "--url", url, "--queue-url", url+"/queue", "--token-file", token, "--component", "acme.ex-shop")
	}
	return map[string][][]string{
		"`run`, or no command 0":   {{"run", good}, {"--data", good}, {"run", good + "/config.json"}},
		"`run`, or no command 1":   {{"run", broken}, {"run", good, "--deny-private-networks"}, {"run", none}, {"run", token}, {"run", good, "--log-format", "xml"}, {"rnu"}},
		"`run`, or no command 2":   {{"--data", none}, {"run", "--data", none}},
		"`run`, or no command 3":   {{"run", good, "--sample", "1"}},
		"`run`, or no command 130": nil, // below: it needs a process
		"`validate` 0":             {{"validate", good}, {"validate", open, "--var", "host=https://api.example.com", "--var", "debug=true"}},
		"`validate` 1":             {{"validate", broken}, {"validate", none}},
		"`plan` 0":                 {{"plan", good}},
		"`plan` 1":                 {{"plan", broken}, {"plan", good, "--json", "--curl"}},
		"`diff` 0":                 {{"diff", one, one}},
		"`diff` 1":                 {{"diff", one, two}},
		"`diff` 2":                 {{"diff", one, none}, {"diff", one}, {"diff", "--jsno"}},
		"`init`, `explain`, `schema`, `version` 0": {{"init"}, {"explain"}, {"schema"}, {"version"}, {"--version"}, {"--help"}},
		"`init`, `explain`, `schema`, `version` 1": {{"init", "offset"}, {"explain", "none"}, {"schema", "a"}, {"version", "--nope"}},
		"`config`, `job` 0":                        {at(platform, "config", "list"), at(platform, "job", "run", "--config", "1"), {"job"}},
		"`config`, `job` 1":                        {{"config", "list", "--url", platform}, at(platform, "job", "status", "404"), {"job", "run"}},
		"`config`, `job` 2":                        {at(platform, "job", "status", "501")},
		"`job run --wait` 0":                       {at(platform, "job", "run", "--config", "1", "--wait")},
		"`job run --wait` 1":                       {at(platform, "job", "run", "--config", "2", "--wait"), at(platform, "job", "run", "--config", "3", "--wait"), at(platform, "job", "run", "--config", "5", "--wait", "--timeout", "1ns")},
		"`job run --wait` 2":                       {at(platform, "job", "run", "--config", "4", "--wait")},
	}
}

// jobsPlatform is a platform on which every job has ended, but for those of
// configuration 5.
func jobsPlatform(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/queue/jobs":
			for id, result := range map[string]string{
				"1": `"status":"success","isFinished":true`,
				"2": `"status":"error","isFinished":true,"result":{"error":{"type":"user"}}`,
				"3": `"status":"terminated","isFinished":true`,
				"4": `"status":"error","isFinished":true,"result":{"error":{"type":"application"}}`,
				"5": `"status":"processing","isFinished":false`,
			} {
				if strings.Contains(string(body), `"config":"`+id+`"`) {
					fmt.Fprintf(w, `{"id":"7",%s}`, result)
				}
			}
		case "/queue/jobs/7":
			fmt.Fprint(w, `{"id":"7","status":"processing","isFinished":false}`)
		case "/queue/jobs/404":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"Job \"404\" not found"}`)
		case "/queue/jobs/501":
			w.WriteHeader(http.StatusNotImplemented)
			fmt.Fprint(w, `{"error":"broken"}`)
		default: // events and configurations
			fmt.Fprint(w, `[]`)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// interruptedRun is the exit code of a run that gets SIGINT while it waits for a response.
func interruptedRun(t *testing.T) int {
	t.Helper()
	asked := make(chan struct{}, 1)
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer api.Close()
	cmd, _, _ := program(nil, "run", dataDir(t, configFor(api.URL, "")))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code is looked at
	return cmd.ProcessState.ExitCode()
}
