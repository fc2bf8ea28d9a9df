package language_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestExpressionsOfTheGuide: the expressions in the section about them have the values
// that stand beside them.
func TestExpressionsOfTheGuide(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Expressions\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `(.*)` \\| `(.*)` \\|$").FindAllStringSubmatch(section, -1)
	if len(rows) < 10 {
		t.Fatalf("%d rows", len(rows))
	}
	attributes := expr.Flatten(testvalue.Parse(t, `{"account":{"no":7},"empty":""}`))
	attributes["empty"] = value.OfString("")
	scope := &expr.Scope{Now: clock, Contexts: map[expr.Context]expr.Members{
		expr.Attr: attributes, expr.Placeholder: {"id": value.OfInt(42)}, expr.ParentItem: {"owner.code": value.OfString("eu")},
	}}
	for _, row := range rows {
		var problems failure.Problems
		c := expr.Compiler{Place: expr.InJobs, Exact: true, Above: 1, Known: map[expr.Context]expr.Members{expr.Attr: attributes, expr.Placeholder: scope.Contexts[expr.Placeholder]}, Problems: &problems}
		got, err := c.Compile(testvalue.Parse(t, row[1]), "").Eval(scope)
		if want := testvalue.Parse(t, row[2]).JSON(); err != nil || len(problems) > 0 || got.JSON() != want {
			t.Errorf("%s is %s, %v, %v, want %s", row[1], got.JSON(), err, problems, want)
		}
	}
}

// TestRulesOfTheGuide: the rules in the section about them have no problems.
func TestRulesOfTheGuide(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Rules about answers\n")
	section, _, _ = strings.Cut(section, "\n## ")
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
