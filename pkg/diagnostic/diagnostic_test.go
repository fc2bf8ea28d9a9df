package diagnostic

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// TestPage: the page in docs is generated from the catalogue.
func TestPage(t *testing.T) {
	golden.File(t, filepath.Join("..", "..", "docs", "reference", "diagnostics.md"), markdown())
}

// markdown is the page docs/reference/diagnostics.md.
func markdown() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

What each code in the output of ` + "`extractor validate`" + ` means, and how to fix it. ` + "`extractor explain CODE`" + ` shows the same on the command line. With the name of an [event](events.md) it says what to do about that. Errors stop a run before anything is sent; warnings do not.

See also: [configuration.md](configuration.md) for all keys, [Testing configurations](../how-to/testing-configurations.md) for checks in CI.

This page is generated: ` + "`go test ./pkg/diagnostic -run TestPage -update`" + `.

| code | severity | meaning |
|---|---|---|
`)
	for _, e := range catalogue() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", e.Code, e.Code, e.Severity, e.Title)
	}
	for _, e := range catalogue() {
		fmt.Fprintf(&b, "\n## `%s`\n\n%s: %s.\n\n%s\n\n```\n%s\n```\n\n%s\n", e.Code, upper(e.Severity), lowerFirst(e.Title), e.Cause, e.Example, e.Fix)
	}
	return b.String()
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// lowerFirst is a title within a sentence.
func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// TestCatalogueIsComplete: every code of package failure is explained, once.
func TestCatalogueIsComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "failure", "code.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Error(err)
			}
			declared = append(declared, text)
		}
		return true
	})
	if got := len(catalogue()); len(declared) < 30 || got != len(declared) {
		t.Errorf("%d codes are declared, %d explained", len(declared), got)
	}
	for _, code := range declared {
		e, ok := Lookup(code)
		if !ok || e.Title == "" || e.Cause == "" || e.Example == "" || e.Fix == "" || !slices.Contains([]string{isError, isWarning, isEither}, e.Severity) {
			t.Errorf("%s is not explained: %+v", code, e)
		}
	}
}

func check(text string, flags ...variables.Assignment) *Report {
	return Check(context.Background(), "f", []byte(text), load.Options{Variables: variables.Inputs{Flags: flags}})
}

func TestPlaces(t *testing.T) {
	tests := []struct {
		name, text string
		flags      []variables.Assignment
		// want is code, pointer, line:column for each finding
		want []string
	}{
		{"a name that a variable makes", "{\"parameters\":{\"api\":{\"baseUrl\":\"https://a.b\",\n\"http\":{\"{{k}}\":[\"x\"]}},\"config\":{\"jobs\":[{\"endpoint\":\"e\"}]}}}",
			[]variables.Assignment{{Name: "k", Text: "ignoreErrors"}}, []string{"wrong-value /parameters/api/http/{{k}}/0 2:18"}},
		{"characters, not bytes", `{"ž":1,"api":{"baseUrl":"https://a.b"},"config":{"jobs":[{"endpoint":"e"}]}}`, nil, []string{"unknown-key /ž 1:2"}},
		{"without the wrapper", "{\"api\":{\"baseUrl\":\"x\"},\n \"config\":{\"jobs\":[]}}", nil, []string{"invalid-address /api/baseUrl 1:19", "wrong-value /config/jobs 2:12"}},
		{"no place at all", `{}`, nil, []string{"missing-key  1:1"}},
		{"an empty text", ``, nil, []string{"invalid-json  1:1"}},
		{"an empty list is an empty object", `[]`, nil, []string{"missing-key  1:1"}},
		{"a text that ends too early", "{\"api\": {\n", nil, []string{"invalid-json /api 2:1"}},
		{"what a variable without a value decides is not judged", `{"variables_id":"1","api":{"baseUrl":{"attr":"u"}},"config":{"u":"{{u}}","jobs":[{"endpoint":"e"}]}}`, nil,
			[]string{"missing-variable /config/u 1:66"}},
		{"a variable without a value and something else", `{"api":{"baseUrl":"{{u}}","pagination":{"method":"x"}},"config":{"jobs":[{"endpoint":"e"}]}}`, []variables.Assignment{{Name: "v", Text: "1"}},
			[]string{"missing-variable /api/baseUrl 1:19", "unknown-choice /api/pagination/method 1:50"}},
		{"a name twice", `{"api":{"baseUrl":"https://a.b"},"api":{"baseUrl":"x"},"config":{"jobs":[{"endpoint":"e"}]}}`, nil, []string{"duplicate-key /api 1:34", "invalid-address /api/baseUrl 1:51"}},
		{"a name twice below a name that a variable makes", `{"api":{"baseUrl":"https://a.b"},"config":{"{{k}}":1,"{{k}}":2,"userData":{"x":1,"x":2},"jobs":[{"endpoint":"e"}]}}`,
			[]variables.Assignment{{Name: "k", Text: "outputBucket"}}, []string{"duplicate-key /config/{{k}} 1:54", "duplicate-key /config/userData/x 1:82"}},
		{"a byte order mark", "\ufeff{}", nil, []string{"invalid-json  1:1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range check(tt.text, tt.flags...).Findings {
				got = append(got, string(f.Code)+" "+f.Pointer+" "+strconv.Itoa(f.Line)+":"+strconv.Itoa(f.Column))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSyntaxHints(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"single quotes", `{'a': 1}`, "write names and texts in double quotes: \""},
		{"quotes of a word processor", `{“a”: 1}`, "write names and texts in double quotes: \""},
		{"a comment", "{\n// note\n}", `JSON has no comments; write a note under a key that begins with "__"`},
		{"a comment of YAML", "{\"a\": 1, # note\n\"b\": 2}", `JSON has no comments; write a note under a key that begins with "__"`},
		{"a comma too many", "{\"a\": 1,\n}", "remove this comma, nothing follows it"},
		{"a comma too many in a list", `{"a": [1, ]}`, "remove this comma, nothing follows it"},
		{"the truth of Python", `{"a": True}`, "write true, false or null"},
		{"anything else", `{"a" 1}`, "look at the comma, the quote or the bracket here and just before"},
		{"the end", `{"a": `, "close its last quote and all of its brackets"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := check(tt.text); len(r.Findings) != 1 || r.Findings[0].Hint != tt.want {
				t.Errorf("got %+v, want %q", r.Findings, tt.want)
			}
		})
	}
}

// TestLongLine: of a line of any length the part around the finding is shown, without
// secrets.
func TestLongLine(t *testing.T) {
	secret := strings.Repeat("S3CRET", 500)
	text := `{"api":{"baseUrl":"https://a.b"},"config":{"ž":"` + strings.Repeat("ž", 3000) + `","#before":"` + secret + `","jobs":[{"endpoint":"e","x":1,"#after":"` + secret + `"}]}}`
	r := check(text)
	var out bytes.Buffer
	if err := WriteText(&out, []*Report{r}, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "S3CRET") {
		t.Errorf("a secret is shown:\n%s", out.String())
	}
	want := `1 | …hidden],"jobs":[{"endpoint":"e","x":1,"#after":[hidden]…` + "\n" +
		`  |                                  ^^^` + "\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestColours(t *testing.T) {
	var plain, coloured bytes.Buffer
	for w, colours := range map[*bytes.Buffer]bool{&plain: false, &coloured: true} {
		if err := WriteText(w, []*Report{check(`{"x":1}`)}, colours); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(coloured.String(), "\x1b[1;31merror\x1b[0m") {
		t.Errorf("plain: %q, coloured: %q", plain.String(), coloured.String())
	}
}

// FuzzCheck: for any text the places are inside it, and a secret that its key identifies
// is not shown.
func FuzzCheck(f *testing.F) {
	f.Add(`{"api":{"baseUrl":"https://a.b"},"config":{"#p":"`, `","jobs":[{"endpoint":"{id}"}]}}`)
	f.Add(`{"#a": {"b": [`, `]}, x`)
	f.Add(`{"a" "#b": `, "\n}")
	f.Add(`[`, `, "#key": 1, "x": 2}]`)
	f.Add(`{"api": `, `, "#key": {}}, "unknown": 2}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.Contains(before+after, "S3CRET") {
			return // the text is also at other places
		}
		text := before + `{"#key": "S3CRET"` + after
		r := check(text)
		lines := 1 + strings.Count(text, "\n")
		for _, finding := range r.Findings {
			if finding.Line < 1 || finding.Line > lines || finding.Column < 1 {
				t.Fatalf("no place: %+v", finding)
			}
		}
		if strings.Count(before, `"`)%2 == 1 {
			return // the key is inside another text
		}
		var out bytes.Buffer
		for _, err := range []error{WriteText(&out, []*Report{r}, false), WriteJSON(&out, []*Report{r}), WriteSARIF(&out, []*Report{r}, "1")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(out.String(), "S3CRET") {
			t.Fatalf("the secret is shown:\n%s", out.String())
		}
	})
}

// TestCheckShowsNoSecret: values below a key with a hash sign are not shown.
func TestCheckShowsNoSecret(t *testing.T) {
	text := `{"parameters":{"api":{"baseUrl":"http://api.test/","authentication":{"type":"query","query":{"#s":{"attr":"hidden-name-1"}}}},
		"config":{"outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`
	r := Check(context.Background(), "config.json", []byte(text), load.Options{})
	if !r.Failed() {
		t.Fatalf("no error among %v", r.Findings)
	}
	for _, f := range r.Findings {
		if strings.Contains(f.Message+f.Found+f.Hint, "hidden-name-1") {
			t.Errorf("the secret is shown: %+v", f)
		}
	}
}

// TestOwnWordsAreShown: a secret that is a word is masked in quotes of the document, not
// in the words of a message.
func TestOwnWordsAreShown(t *testing.T) {
	said := func(document string) string {
		var b strings.Builder
		for _, f := range check(document).Findings {
			b.WriteString(f.Message + "; " + f.Hint + "\n")
		}
		return b.String()
	}
	for _, secret := range []string{"secret", "protected", "stored", "expected", "known", "write", "did you mean", "method"} {
		text := said(`{"parameters":{"api":{"baseUrl":"http://a.test/","pagination":{"method":"` + secret + `"}},
			"config":{"#password":"` + secret + `","jobs":[{"endpoint":"x","scroler":2}]}}}`)
		for _, want := range []string{"expected one of ", `found "[hidden]"`, `unknown key; did you mean "scroller"?`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", secret, want, text)
			}
		}
		text = said(`{"parameters":{"api":{"baseUrl":"http://a.test/"},"config":{"token":"abc","#password":"` + secret + `","jobs":[{"endpoint":"x"}]}}}`)
		if want := "this secret is not protected: it is stored and shown in plain text; write it under \"#token\"\n"; !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing in\n%s", secret, want, text)
		}
	}
}
