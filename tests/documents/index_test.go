package documents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const index = "docs/README.md"

// questions are what readers ask first: the words of the index, where its line leads, and
// what the section there must say.
var questions = []struct {
	question, target string
	response         []string
}{
	{"How do I page by a `Link` header", "how-to/paging-by-headers.md", []string{`"link"`}},
	{"Why is my table empty?", "how-to/troubleshooting.md#the-table-is-empty", []string{"contains no data!", "--full"}},
	{"How do I fetch only what is new?", "how-to/incremental.md", []string{"previousStart", "incrementalOutput"}},
	{"How do I test a configuration in CI?", "how-to/testing-configurations.md#replay-in-ci", []string{"--replay"}},
	{"What differs from the original extractor?", "understand/deviations.md", []string{"original"}},
	{"How do I run it on Kubernetes?", "how-to/kubernetes.md", []string{"kind: CronJob"}},
	{"Which exit code means what?", "reference/exit-codes.md", []string{"130"}},
	{"How are false and null written?", "reference/files.md", []string{"`false`", "`null`"}},
	{"Where do secrets go?", "how-to/secrets.md", []string{"trustedOrigins", "[hidden]"}},
	{"How do I add a scroller?", "understand/architecture.md#adding-things", []string{"AllMethods"}},
}

// TestIndexResponds: the index has each question, and the section that its line leads to
// has the response.
func TestIndexResponds(t *testing.T) {
	t.Parallel()
	p := readPage(t, index)
	for _, q := range questions {
		asked := false
		for line := range strings.Lines(p.text) {
			asked = asked || strings.Contains(line, q.question) && strings.Contains(line, "]("+q.target+")")
		}
		if !asked {
			t.Errorf("%s has no line with %q and a link to %s", index, q.question, q.target)
		}
		file, anchor, _ := p.internal(q.target)
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Error(err)
			continue
		}
		to := readPage(t, file)
		text := to.text
		if anchor != "" {
			s := to.anchors[anchor]
			if s == nil {
				t.Errorf("%s has no heading #%s", file, anchor)
				continue
			}
			text = text[s.from:s.to]
		}
		for _, words := range q.response {
			if !strings.Contains(text, words) {
				t.Errorf("%q: %s does not say %s", q.question, q.target, words)
			}
		}
	}
}

// TestIndexNamesEveryPage: a reader finds each page in the index itself. Recipes and APIs
// have an index of their own.
func TestIndexNamesEveryPage(t *testing.T) {
	t.Parallel()
	named := map[string]bool{index: true}
	p := readPage(t, index)
	for _, l := range p.links() {
		file, _, _ := p.internal(l.target)
		named[file] = true
	}
	for path := range pages(t) {
		directory := filepath.Dir(path)
		elsewhere := path != directory+"/README.md" && (directory == "docs/recipes" || directory == "docs/apis")
		if strings.HasPrefix(path, "docs/") && !elsewhere && !named[path] {
			t.Errorf("%s does not name %s", index, path)
		}
	}
}
