package schema_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
)

// TestRulesOfTheGuide: the rules in the section about them have no problems.
func TestRulesOfTheGuide(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n#### Rules about responses\n")
	section, _, _ = strings.Cut(section, "\n### ")
	rules := regexp.MustCompile("(?m)\\| `(\\{.*\\})` \\|$").FindAllStringSubmatch(section, -1)
	if len(rules) < 9 {
		t.Fatalf("%d rules", len(rules))
	}
	for _, row := range rules {
		rule := testvalue.Parse(t, row[1]).JSON()
		model(t, `{"parameters":{"api":{"baseUrl":"http://api.test/","http":{"rules":[`+rule+`]}},"config":{"jobs":[{"endpoint":"items"}]}}}`)
	}
	if _, job, ok := strings.Cut(section, "```json\n"); !ok {
		t.Error("no job")
	} else {
		job, _, _ = strings.Cut(job, "```")
		model(t, `{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[`+testvalue.Parse(t, job).JSON()+`]}}}`)
	}
}
