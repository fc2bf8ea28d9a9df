package architecture

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
)

const page = root + "/docs/understand/architecture.md"

var diagramInPage = regexp.MustCompile(`(?s)(<!-- imports -->\n).*(<!-- end -->\n)`)

// TestDiagram compares the diagram of packages in the page with the imports of the code.
func TestDiagram(t *testing.T) {
	imports := readImports(t).without(usedByAll)
	for _, g := range groups {
		for _, b := range g.boxes {
			if imports[b] == nil {
				t.Errorf("there is no package %s", b)
			}
		}
	}
	for from, tos := range imports {
		for to := range tos {
			if allowed, limited := onlyFor[to]; limited && !slices.Contains(allowed, from) {
				t.Errorf("%s imports %s, which only %q may import", from, to, allowed)
			}
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !diagramInPage.Match(text) {
		t.Fatalf("%s has no place for the diagram", page)
	}
	golden.File(t, page, diagramInPage.ReplaceAllString(string(text), "${1}"+mermaid(imports.reduced(t))+"${2}"))
}

// mermaid returns the diagram as a block of Mermaid, which GitHub draws.
func mermaid(arrows graph) string {
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TB\n")
	for i, g := range groups {
		fmt.Fprintf(&b, "  subgraph group%d[%q]\n", i+1, g.title)
		for _, box := range g.boxes {
			fmt.Fprintf(&b, "    %s\n", box)
		}
		b.WriteString("  end\n")
	}
	for _, g := range groups {
		for _, from := range g.boxes {
			if tos := arrows[from]; len(tos) > 0 {
				fmt.Fprintf(&b, "  %s --> %s\n", from, strings.Join(slices.Sorted(maps.Keys(tos)), " & "))
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}
