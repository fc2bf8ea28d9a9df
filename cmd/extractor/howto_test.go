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

// TestHowToCommands runs the commands that guides show as they are pasted into a terminal, and
// sees that what they promise is there. What a configuration does is tested by TestGuides of
// tests/functional.
func TestHowToCommands(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != "s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, `[{"id":1}]`)
	}))
	defer api.Close()
	for page, written := range map[string]string{
		"errors-in-answers": "error.har",
		"limits-and-speed":  "report/report.html",
		"secrets":           "my-data/out/tables/b.t",
	} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", page+".md"))
			if err != nil {
				t.Fatal(err)
			}
			blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
			if len(blocks) != 1 {
				t.Fatalf("%d blocks of commands", len(blocks))
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, "my-data", "config.json"),
				configFor(api.URL, `"#token":{"env":"SHOP_TOKEN"},"http":{"headers":{"X-Token":{"attr":"#token"}}},`))
			bin := t.TempDir()
			self, err := filepath.Abs(os.Args[0])
			if err == nil {
				err = os.Symlink(self, filepath.Join(bin, "extractor"))
			}
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", blocks[0][1])
			cmd.Dir, cmd.Stdin = dir, strings.NewReader("s3cret\n")
			cmd.Env = []string{asProgram + "=1", "GORACE=" + quickExit, "PATH=" + bin + ":" + os.Getenv("PATH")}
			if !strings.Contains(blocks[0][1], "EXTRACTOR_VAR_SHOP_TOKEN") {
				cmd.Env = append(cmd.Env, "EXTRACTOR_VAR_SHOP_TOKEN=s3cret")
			}
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "s3cret") {
				t.Errorf("%v: %s", err, out)
			}
			if _, err := os.Stat(filepath.Join(dir, written)); err != nil {
				t.Error(err)
			}
		})
	}
}
