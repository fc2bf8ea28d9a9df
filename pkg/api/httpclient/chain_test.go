package httpclient

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestChainIsDocumented compares the steps of a request in docs/understand/architecture.md with
// those in the comment of chain.
func TestChainIsDocumented(t *testing.T) {
	steps := func(file, from, to, line string) (names []string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), from)
		part, _, _ := strings.Cut(rest, to)
		for _, match := range regexp.MustCompile(line).FindAllStringSubmatch(part, -1) {
			names = append(names, match[1])
		}
		return names
	}
	documented := steps("../../../docs/understand/architecture.md", "### The chain of a request", "A server may", `(?m)^(\w+) {2,}\w`)
	commented := steps("client.go", "// chain puts", "func ", `(?m)^//\t(\w+) {2,}\w`)
	if len(commented) == 0 || !slices.Equal(documented, commented) {
		t.Errorf("docs/understand/architecture.md has %q, the comment %q", documented, commented)
	}
}
