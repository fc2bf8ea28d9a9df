package schema_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestPathsAndConditions: the paths and conditions of docs/reference/paths-and-conditions.md
// have the results beside them. Those of `responseFilter` are tested in package engine.
func TestPathsAndConditions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "paths-and-conditions.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("the page has no response")
	}
	response := testvalue.Parse(t, block[1])

	_, section, _ := strings.Cut(string(text), "| path | value |\n")
	section, _, _ = strings.Cut(section, "\n\n")
	paths := regexp.MustCompile("(?m)^\\| `(.*)` \\| (.*) \\|$").FindAllStringSubmatch(section, -1)
	if len(paths) < 10 {
		t.Errorf("%d paths", len(paths))
	}
	for _, row := range paths {
		got, want := "nothing", row[2]
		if v, ok := response.At(row[1], "."); ok {
			got, want = v.JSON(), testvalue.Parse(t, strings.Trim(want, "`")).JSON()
		}
		if got != want {
			t.Errorf("%s leads to %s, the page says %s", row[1], got, want)
		}
	}

	user := response.Field("users").Items()[0]
	conditions := regexp.MustCompile("(?m)^\\| `(.*)` \\| (holds|does not hold|error) \\| (holds|does not hold|error) \\|$").FindAllStringSubmatch(string(text), -1)
	if len(conditions) < 19 {
		t.Errorf("%d conditions", len(conditions))
	}
	for _, row := range conditions {
		for i, compile := range []func(field.Section) condition.Condition{condition.CompileWords, condition.Compile} {
			var problems failure.Problems
			c := compile(field.NewSection(value.OfString(strings.ReplaceAll(row[1], `\|`, "|")), "", &problems))
			holds, err := c.Holds(func(path string) (value.Value, error) {
				v, _ := user.At(path, ".")
				return v, nil
			})
			got := map[bool]string{true: "holds", false: "does not hold"}[holds]
			if err != nil {
				got = "error"
			}
			if got != row[2+i] || len(problems) > 0 {
				t.Errorf("%s: %s, %v, the page says %s", row[1], got, problems, row[2+i])
			}
		}
	}
}

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
