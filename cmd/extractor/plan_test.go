package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
)

const planPage = "../../docs/how-to/plan.md"

// TestPlanPage: the outputs on the page are those for its configuration; -update
// writes them.
func TestPlanPage(t *testing.T) {
	text, err := os.ReadFile(planPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(block(t, page, "json")), 0o644); err != nil {
		t.Fatal(err)
	}
	for language, args := range map[string][]string{"text": {"plan", file}, "bash": {"plan", file, "--curl"}} {
		cmd, stdout, stderr := program(nil, args...)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		shown, want := block(t, page, language), strings.TrimSpace(stdout.String())+"\n"
		if golden.Update(t) {
			page = strings.Replace(page, "```"+language+"\n"+shown+"```", "```"+language+"\n"+want+"```", 1)
		} else if shown != want {
			t.Errorf("%s shows\n%s\nwant\n%s", planPage, shown, want)
		}
	}
	golden.File(t, planPage, page)
}
