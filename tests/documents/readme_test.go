package documents

import (
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
)

// TestKindsOfAPI: README.md has the table of docs/recipes/README.md.
func TestKindsOfAPI(t *testing.T) {
	t.Parallel()
	const readme, recipes = "../../README.md", "../../docs/recipes/README.md"
	var table strings.Builder
	for _, m := range regexp.MustCompile(`(?m)^\| \[(.+?)\]\((.+?)\) \| (.+) \|$`).FindAllStringSubmatch(read(t, recipes), -1) {
		table.WriteString("| [" + m[1] + "](docs/recipes/" + m[2] + ") | " + m[3] + " |\n")
	}
	if table.Len() == 0 {
		t.Fatalf("%s has no table", recipes)
	}
	text := read(t, readme)
	generated := regexp.MustCompile(`(?s)(<!-- Generated from docs/recipes.*?\|---\|---\|\n)(.*?)(\n<!-- End)`)
	if !generated.MatchString(text) {
		t.Fatalf("%s has no place for the table", readme)
	}
	golden.File(t, readme, generated.ReplaceAllString(text, "${1}"+strings.ReplaceAll(table.String(), "$", "$$")+"${3}"))
}
