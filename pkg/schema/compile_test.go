package schema_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// given is a small valid document with additions: lists of members that end with a
// comma.
type given struct {
	top, parameters, api, config, job string
	baseURL, jobs                     string // instead of the default ones
	bare                              bool   // without the wrapper
	raw                               string // instead of all this
}

func (g given) document() string {
	if g.raw != "" {
		return g.raw
	}
	if g.baseURL == "" {
		g.baseURL = `"https://h.test/v1"`
	}
	if g.jobs == "" {
		g.jobs = `[{` + g.job + `"endpoint":"users"}]`
	}
	settings := g.parameters + `"api":{` + g.api + `"baseUrl":` + g.baseURL + `},"config":{` + g.config + `"jobs":` + g.jobs + `}`
	if g.bare {
		return `{` + g.top + settings + `}`
	}
	return `{` + g.top + `"parameters":{` + settings + `}}`
}

func clock() time.Time { return time.Unix(1700000000, 0) }

// compiled is the document with its problems and warnings as lines. It fails
// the test when the text is no document, or when a place does not exist.
func compiled(t testing.TB, text string, strict bool) (doc *config.Document, problems, warnings []string) {
	t.Helper()
	v, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	doc, list := config.Compile(v, config.Options{Tree: schema.Default().Tree, Now: clock, Strict: strict})
	for _, p := range *list {
		if _, ok := v.Find(failure.PointerSplit(p.Pointer)); !ok {
			t.Errorf("nothing at %s of the document", p.Pointer)
		}
	}
	return doc, lines(*list), lines(doc.Warnings)
}

func lines(problems failure.Problems) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

func sameLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n  got  %s\n  want %s", what, strings.Join(got, "\n       "), strings.Join(want, "\n       "))
	}
}

func mustParse(t testing.TB, text []byte) value.Value {
	t.Helper()
	v, err := config.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// FuzzCompile: no document makes the program panic, every problem has a place in the
// document, and a second reading finds the same problems.
func FuzzCompile(f *testing.F) {
	for _, row := range brokenDocuments() {
		f.Add([]byte(row.in.document()))
	}
	f.Add([]byte(given{parameters: `"iterations":[{"a":1},{"jobs":[{"endpoint":"x"}]}],`, config: `"a":{"attr":"b"},`}.document()))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := config.Parse(text)
		if err != nil {
			return
		}
		compiled, problems := config.Compile(doc, config.Options{Tree: schema.Default().Tree, Now: clock})
		for _, p := range append(*problems, compiled.Warnings...) {
			if _, ok := doc.Find(failure.PointerSplit(p.Pointer)); !ok {
				t.Errorf("nothing at %q: %s", p.Pointer, p)
			}
			if p.Expected == "" {
				t.Errorf("%q: nothing is said", p.Pointer)
			}
		}
		if len(compiled.Iterations) == 0 {
			t.Error("no iteration")
		}
		again, second := config.Compile(doc, config.Options{Tree: schema.Default().Tree, Now: clock})
		sameLines(t, "problems", lines(*second), lines(*problems))
		sameLines(t, "warnings", lines(again.Warnings), lines(compiled.Warnings))
	})
}

// BenchmarkCompile measures what every start of the program does.
func BenchmarkCompile(b *testing.B) {
	text := []byte(given{api: `"pagination":{"method":"offset","limit":100},"http":{"headers":{"X":{"attr":"#k"}}},`, config: `"#k":"s","outputBucket":"b",`}.document())
	config.Compile(mustParse(b, text), config.Options{Tree: schema.Default().Tree, Now: clock})
	for b.Loop() {
		config.Compile(mustParse(b, text), config.Options{Tree: schema.Default().Tree, Now: clock})
	}
}
