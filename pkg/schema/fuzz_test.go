package schema_test

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
)

// FuzzCompile: no document makes the program panic, every problem has a place in the
// document, and a second reading finds the same problems.
func FuzzCompile(f *testing.F) {
	for _, rows := range [][]brokenDocument{brokenAPIs(), brokenConfigs(), brokenEnvelopes()} {
		for _, row := range rows {
			f.Add([]byte(row.in.document()))
		}
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
