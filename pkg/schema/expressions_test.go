package schema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// expressionsMark separates the written part of the page from the generated one.
const expressionsMark = "<!-- Generated from the declarations of references and functions by: go test ./pkg/schema -update -->\n"

// samples are the values that the examples of docs/reference/expressions.md refer to, by
// the key of the reference. The page shows them.
type samples struct{ value.Value }

// expressionsPage returns the page, its written part, and the values of its examples.
func expressionsPage(t *testing.T) (path, written string, s samples) {
	t.Helper()
	path = filepath.Join("..", "..", "docs", "reference", "expressions.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, _, ok := strings.Cut(string(text), expressionsMark)
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(written)
	if !ok || block == nil {
		t.Fatalf("%s lacks the line that begins the generated part, or the values of the examples", path)
	}
	return path, written, samples{testvalue.Parse(t, block[1])}
}

// evaluate returns the value of an expression at a place.
func (s samples) evaluate(t *testing.T, vocabulary expr.Vocabulary, text string, place expr.Site) (string, error) {
	t.Helper()
	source := testvalue.Parse(t, text)
	contexts := map[expr.Context]expr.Members{}
	vocabulary.References.At(place).Walk(source, "", true, func(f expr.Form, _ string) {
		if f.Call || f.Literal {
			return
		}
		context, name := f.Reference.Key, f.Name.Raw()
		if contexts[context] == nil {
			contexts[context] = expr.Members{}
		}
		if v, ok := s.Field(string(context)).At(name, "."); ok {
			contexts[context][name] = v
		}
	})
	known := map[expr.Context]expr.Members{}
	for _, context := range []expr.Context{expr.Attr, expr.Placeholder, expr.Window} {
		known[context] = contexts[context]
	}
	known[expr.Paging] = expr.Members{}
	for _, name := range pagination.AllMethods().ValueNames() {
		known[expr.Paging][name] = value.Value{}
	}
	var problems failure.Problems
	compiled := expr.Compiler{Place: place, Exact: true, Above: 1, Known: known, Vocabulary: vocabulary, Problems: &problems}.Compile(source, "")
	if err := problems.Err(); err != nil {
		return "", err
	}
	started, ok := s.Field(string(expr.Time)).Field("currentStart").Int()
	if !ok {
		t.Fatal("the values of the examples lack the start of the run")
	}
	got, err := compiled.Eval(&expr.Scope{
		Now:      func() time.Time { return time.Unix(started, 0) },
		Contexts: contexts,
		Random: func(n int) ([]byte, error) {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(i)
			}
			return b, nil
		},
	})
	return got.JSON(), err
}

// TestExpressionsPage: each reference and each function is on the page with its examples,
// whose values are what the program computes.
func TestExpressionsPage(t *testing.T) {
	path, written, s := expressionsPage(t)
	golden.File(t, path, written+expressionsMark+s.reference(t, schema.Default().Vocabulary))
}

// reference describes all references and functions, and evaluates their examples.
func (s samples) reference(t *testing.T, vocabulary expr.Vocabulary) string {
	t.Helper()
	check := func(e expr.Example, text string, place expr.Site) {
		t.Helper()
		if got, err := s.evaluate(t, vocabulary, text, place); err != nil || got != e.Value {
			t.Errorf("%s is %s, %v, declared as %s", text, got, err, e.Value)
		}
	}
	const head = "\n| expression | value |\n|---|---|\n"
	var b strings.Builder
	b.WriteString("\n## References\n")
	var titles []string
	for _, r := range vocabulary.References {
		title := "`" + string(r.Key) + "`"
		if slices.Contains(titles, title) {
			title += " in " + string(r.Where[0])
		}
		titles = append(titles, title)
		var where []string
		for _, place := range r.Where {
			where = append(where, string(place))
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\nForm: `{\"%s\": \"%s\"}`. Where: %s.\n%s",
			title, r.Doc, r.Key, strings.Trim(r.Argument, `"`), strings.Join(where, "; "), head)
		for _, e := range r.Examples {
			check(e, e.Expression, r.Where[0])
			b.WriteString(exampleRow(e.Expression, e.Value))
		}
	}
	b.WriteString("\n## Functions\n")
	for _, f := range vocabulary.Functions {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n%s", f.Signature(), f.Doc, head)
		for _, e := range f.Examples {
			text := fmt.Sprintf(`{"function": %q, "args": [%s]}`, f.Name, e.Expression)
			check(e, text, expr.InJobs)
			b.WriteString(exampleRow(text, e.Value))
		}
	}
	return b.String()
}

func exampleRow(expression, result string) string {
	return "| `" + strings.ReplaceAll(expression, "|", `\|`) + "` | `" + strings.ReplaceAll(result, "|", `\|`) + "` |\n"
}

// TestFormsOfExpressions: the expressions in the written part of the page have the values
// beside them.
func TestFormsOfExpressions(t *testing.T) {
	_, written, s := expressionsPage(t)
	rows := regexp.MustCompile("(?m)^\\| `(.*)` \\| `(.*)` \\|$").FindAllStringSubmatch(written, -1)
	if len(rows) < 10 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if got, err := s.evaluate(t, schema.Default().Vocabulary, row[1], expr.InJobs); err != nil || got != testvalue.Parse(t, row[2]).JSON() {
			t.Errorf("%s is %s, %v, the page says %s", row[1], got, err, row[2])
		}
	}
}
