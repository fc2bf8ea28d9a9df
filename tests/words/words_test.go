package words

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

const root = "../.."

// unread are texts of others, and the list itself.
var unread = []string{".git", "bin", "tests/words/list_test.go", "pkg/gallery/recipes"}

// TestWords finds the words in the texts of all files.
func TestWords(t *testing.T) {
	slowtest.Skip(t, "it reads all texts")
	finder := newFinder(t, words)
	used := make([]bool, len(exceptions))
	read := 0
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case below(file, unread), path.Base(file) == "testdata":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path.Join(root, file))
		if err != nil {
			return err
		}
		for _, piece := range textsOf(t, file, content) {
			read++
			for i, e := range exceptions {
				if e.file == file && strings.Contains(piece.text, e.text) {
					used[i] = true
					piece.text = strings.ReplaceAll(piece.text, e.text, strings.Repeat("-", len(e.text)))
				}
			}
			for _, found := range finder.find(piece) {
				t.Errorf("%s:%s", file, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 10_000 {
		t.Errorf("only %d texts were read", read)
	}
	for i, e := range exceptions {
		if !used[i] {
			t.Errorf("remove the exception %q in %s (%s): it is not there", e.text, e.file, e.reason)
		}
	}
}

// below reports whether a path is one of these or below one of them.
func below(file string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return file == p || strings.HasPrefix(file, p+"/") })
}

// finder finds words in a text.
type finder struct {
	words []word
	any   *regexp.Regexp // finds what all finds, in a quarter of the time
	all   *regexp.Regexp // a group for each word
	but   *regexp.Regexp // phrases that are plain
}

func newFinder(t *testing.T, words []word) *finder {
	t.Helper()
	var groups, any, but []string
	for _, w := range words {
		pattern := strings.ReplaceAll(w.pattern, "(", "(?:")
		groups = append(groups, "("+pattern+")")
		any = append(any, alternatives(pattern)...)
		but = append(but, w.but...)
	}
	compile := func(patterns []string) *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:` + strings.ReplaceAll(strings.Join(patterns, "|"), " ", `\s+`) + `)\b`)
	}
	slices.Sort(any) // package regexp joins neighbours with the same beginning, but not groups
	return &finder{words, compile(any), compile(groups), compile(but)}
}

// alternatives splits a pattern at each | outside parentheses.
func alternatives(pattern string) (all []string) {
	depth, begin := 0, 0
	for i, c := range pattern {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			all = append(all, pattern[begin:i])
			begin = i + 1
		}
	}
	return append(all, pattern[begin:])
}

// find returns each word in a text with its line and what to write instead.
func (f *finder) find(piece text) []string {
	if !f.any.MatchString(piece.text) {
		return nil
	}
	var all []string
	content := f.but.ReplaceAllStringFunc(piece.text, func(phrase string) string { return strings.Repeat("-", len(phrase)) })
	for _, match := range f.all.FindAllStringSubmatchIndex(content, -1) {
		found := content[match[0]:match[1]]
		if rest := found[1:]; rest != strings.ToLower(rest) {
			continue // a name, as http.NoBody
		}
		group := 1
		for match[2*group] < 0 {
			group++
		}
		line := piece.line + strings.Count(content[:match[0]], "\n")
		all = append(all, fmt.Sprintf("%d: %q: %s", line, found, f.words[group-1].instead))
	}
	return all
}

func TestFind(t *testing.T) {
	f := newFinder(t, []word{
		{pattern: `azure`, instead: "blue"},
		{pattern: `reds?|crimson`, instead: "of one colour"},
		{pattern: `grows? (in|at)`, instead: "is", but: []string{"grows in spring"}},
	})
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"none", "It is blue.", nil},
		{"one", "A crimson page.", []string{`7: "crimson": of one colour`}},
		{"at the beginning", "Azure is a colour.", []string{`7: "Azure": blue`}},
		{"several", "a\nIt reds\nazure.", []string{`8: "reds": of one colour`, `9: "azure": blue`}},
		{"over two lines", "what grows\n  in the file", []string{"7: \"grows\\n  in\": is"}},
		{"a part of a word", "redo, infrared, azures", nil},
		{"a name", "myRed, RED", nil},
		{"a plain phrase", "It grows in spring, and grows at night", []string{`7: "grows at": is`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := f.find(text{7, tt.text}); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTextsOf(t *testing.T) {
	source := "// Package p is one.\npackage p\n\nimport \"fmt\"\n\n// says does it.\nfunc says() { fmt.Println(\"it\\nis\") }\n"
	for _, tt := range []struct {
		file, content string
		want          []text
	}{
		{"a.go", source, []text{{1, "Package p is one.\n"}, {6, "says does it.\n"}, {7, "it\nis"}}},
		{"cases/a.txtar", "What it is.\n-- config.json --\n{}\n", []text{{1, "What it is.\n"}}},
		{"a.json", `{"description": "data"}`, nil},
		{"a.md", "# Title", []text{{1, "# Title"}}},
		{"run", "#!/bin/bash\n# It runs.", []text{{1, "#!/bin/bash\n# It runs."}}},
		{"data", "nothing", nil},
	} {
		t.Run(tt.file, func(t *testing.T) {
			if got := textsOf(t, tt.file, []byte(tt.content)); !slices.Equal(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
