package documents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testbin"
)

// TestEditorsPage runs the commands of docs/how-to/editors.md in their order, in a
// directory with the configuration that it shows.
func TestEditorsPage(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "it builds the program")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the commands of this page need bash: ", err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if _, err := testbin.Build(bin, "extractor"); err != nil {
		t.Fatal(err)
	}
	run := func(command string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), bash, "-euo", "pipefail", "-c", command)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, output)
		}
	}
	isJSON := func(text string) {
		t.Helper()
		if !json.Valid([]byte(text)) {
			t.Errorf("this is not JSON:\n%s", text)
		}
	}
	counts := map[string]int{}
	for _, block := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(read(t, filepath.Join(root, "docs/how-to/editors.md")), -1) {
		language, text := block[1], block[2]
		counts[language]++
		switch {
		case language == "sh":
			run(text)
		case language == "json":
			isJSON(text)
			if counts["json"] > 1 {
				continue // the settings of an editor
			}
			for _, name := range []string{"config.json", "configurations/users.json"} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			run("extractor validate --strict config.json") // "also with --strict"
		case language == "yaml":
			step := regexp.MustCompile(`(?m)^- run: (.*)$`).FindStringSubmatch(text)
			if step == nil {
				t.Fatalf("no command in\n%s", text)
			}
			run(step[1])
		}
	}
	isJSON(read(t, filepath.Join(dir, "extractor.schema.json")))
	isJSON(read(t, filepath.Join(dir, "findings.sarif")))
	if counts["sh"] != 3 || counts["json"] != 2 || counts["yaml"] != 1 {
		t.Errorf("the page has the blocks %v", counts)
	}
}
