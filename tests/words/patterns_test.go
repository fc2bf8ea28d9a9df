package words

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// limits has a line for each pattern: the number of lines in comments of Go code, the
// number of lines in documents, and the pattern.
const limits = "patterns.txt"

// TestPatterns counts patterns of sentences that must be read twice: a noun left out ("that
// of the page"), a clause instead of a noun ("is what the page has"). Each pattern has its
// good uses, so it has a limit instead of a ban. Limits only fall: -update lowers them.
func TestPatterns(t *testing.T) {
	slowtest.Skip(t, "it reads all texts")
	content, err := os.ReadFile(limits)
	if err != nil {
		t.Fatal(err)
	}
	code, documents := commentLines(t), documentLines(t)
	if len(code) < 5_000 || len(documents) < 5_000 {
		t.Fatalf("only %d lines of comments and %d of documents were read", len(code), len(documents))
	}
	var lowered strings.Builder
	for line := range strings.Lines(string(content)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(fields) != 3 {
			t.Fatalf("%s: expected two numbers and a pattern, found %q", limits, line)
		}
		pattern := regexp.MustCompile(fields[2])
		for i, lines := range [][][]byte{code, documents} {
			limit, err := strconv.Atoi(fields[i])
			if err != nil {
				t.Fatal(err)
			}
			found := matching(lines, pattern)
			if found > limit {
				t.Errorf("%d lines of %s match %s, at most %d may: write the noun, and a sentence that is read once", found, []string{"comments", "documents"}[i], pattern, limit)
			}
			fmt.Fprintf(&lowered, "%d\t", min(found, limit))
		}
		lowered.WriteString(fields[2] + "\n")
	}
	if golden.Update(t) {
		golden.File(t, limits, lowered.String())
	}
}

// maxThings limits the comments of functions that describe a thing: "x is the size of …"
// instead of "x returns the size of …". It only falls.
const maxThings = 10

func TestFunctionsDoSomething(t *testing.T) {
	slowtest.Skip(t, "it reads all texts")
	thing := regexp.MustCompile(`^[A-Za-z0-9_]+ (is|are|was|has|have) `)
	things, functions := 0, 0
	set := token.NewFileSet()
	eachFile(t, []string{"cmd", "pkg", "internal"}, isCode, func(path string, content []byte) {
		file, err := parser.ParseFile(set, path, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil {
				functions++
				if thing.MatchString(f.Doc.Text()) {
					things++
				}
			}
		}
	})
	if functions < 3_000 {
		t.Errorf("only %d comments of functions were read", functions)
	}
	if things > maxThings {
		t.Errorf("%d comments of functions begin with \"name is\", at most %d may: say what the function does", things, maxThings)
	}
	t.Logf("%d of %d comments of functions begin with \"name is\"", things, functions)
}

func matching(lines [][]byte, pattern *regexp.Regexp) (n int) {
	for _, line := range lines {
		if pattern.Match(line) {
			n++
		}
	}
	return n
}

func isCode(path string) bool {
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
}

// commentLines returns the lines with comments in the Go code of the programs.
func commentLines(t *testing.T) (lines [][]byte) {
	t.Helper()
	comment := regexp.MustCompile(`(^|\s)// `)
	eachFile(t, []string{"cmd", "pkg", "internal"}, isCode, func(_ string, content []byte) {
		for line := range bytes.Lines(content) {
			if comment.Match(line) {
				lines = append(lines, line)
			}
		}
	})
	return lines
}

// documentLines returns the lines of documents, without blocks of code.
func documentLines(t *testing.T) (lines [][]byte) {
	t.Helper()
	isDocument := func(path string) bool { return strings.HasSuffix(path, ".md") }
	eachFile(t, []string{"README.md", "CONTRIBUTING.md", "docs"}, isDocument, func(_ string, content []byte) {
		fenced := false
		for line := range bytes.Lines(content) {
			if bytes.HasPrefix(line, []byte("```")) {
				fenced = !fenced
			} else if !fenced {
				lines = append(lines, line)
			}
		}
	})
	return lines
}

// eachFile reads the files that are wanted, below some directories.
func eachFile(t *testing.T, tops []string, wanted func(path string) bool, read func(path string, content []byte)) {
	t.Helper()
	for _, top := range tops {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !wanted(path) {
				return err
			}
			content, err := os.ReadFile(path)
			read(path, content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
