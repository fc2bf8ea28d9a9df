package gallery

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/golden"
)

const pages = "../../docs/recipes"

// sections are the headings of every page, in their order.
var sections = []string{"What the API looks like", "The configuration", "What is sent", "The tables", "Pitfalls", "When to choose it"}

// shown is a block that shows a file: its name, and its text.
var shown = regexp.MustCompile("(?ms)^```[a-z]+ file=(\\S+)\n(.*?)^```$")

// heading is a section's.
var heading = regexp.MustCompile("(?m)^## (.*)$")

// TestPages: every recipe has a page of the same structure, which shows each of its files
// exactly once.
func TestPages(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(pages, name+".md")
			text := readPage(t, path)
			if golden.Update(t) {
				text = refreshed(t, name, text)
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var headings, files []string
			for _, m := range heading.FindAllStringSubmatch(text, -1) {
				headings = append(headings, m[1])
			}
			if !slices.Equal(headings, sections) {
				t.Errorf("sections %q, want %q", headings, sections)
			}
			for _, m := range shown.FindAllStringSubmatch(text, -1) {
				files = append(files, m[1])
				if want := readPage(t, filepath.Join("recipes", name, m[1])); m[2] != want {
					t.Errorf("%s is shown as\n%swant\n%s", m[1], m[2], want)
				}
			}
			if slices.Sort(files); !slices.Equal(files, toShow(t, name, files)) {
				t.Errorf("shows %q, want %q", files, toShow(t, name, files))
			}
			prose := shown.ReplaceAllString(text, "")
			if n := strings.Count(prose, "onIncomplete"); n != 1 || !strings.Contains(prose, "\n- `\"onIncomplete\": \"fail\"` ") {
				t.Errorf("it explains onIncomplete %d times", n)
			}
			if !strings.Contains(text, "extractor init --recipe "+name+" ") {
				t.Error("it does not say how to begin with it")
			}
		})
	}
}

// toShow are the files of a recipe that its page must show, in the order of their names.
func toShow(t *testing.T, name string, also []string) []string {
	t.Helper()
	var files []string
	root := os.DirFS(filepath.Join("recipes", name))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		optional := path == "case.json" || strings.HasSuffix(path, ".manifest")
		if err == nil && !entry.IsDir() && (!optional || slices.Contains(also, path)) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// refreshed returns a page with the current files.
func refreshed(t *testing.T, name, text string) string {
	t.Helper()
	return shown.ReplaceAllStringFunc(text, func(block string) string {
		first, _, _ := strings.Cut(block, "\n")
		_, file, _ := strings.Cut(first, "file=")
		return first + "\n" + readPage(t, filepath.Join("recipes", name, file)) + "```"
	})
}

// TestIndex: the index has one row for every recipe, in the order of the list,
// and there is no page that it does not name.
func TestIndex(t *testing.T) {
	var rows, files []string
	for line := range strings.Lines(readPage(t, filepath.Join(pages, "README.md"))) {
		if strings.HasPrefix(line, "| [") {
			rows = append(rows, line[:min(len(line), strings.Index(line, ")")+1)])
		}
	}
	var want []string
	for _, name := range names() {
		want = append(want, fmt.Sprintf("| [%s](%s.md)", name, name))
		files = append(files, name+".md")
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows\n%q\nwant\n%q", rows, want)
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != "README.md" && !slices.Contains(files, entry.Name()) {
			t.Errorf("%s is not in the index", entry.Name())
		}
	}
}

// link is a relative link to a document, without its anchor.
var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

// TestLinks: what the pages refer to is there.
func TestLinks(t *testing.T) {
	for _, name := range append(names(), "README") {
		for _, m := range link.FindAllStringSubmatch(readPage(t, filepath.Join(pages, name+".md")), -1) {
			if _, err := os.Stat(filepath.Join(pages, m[1])); err != nil {
				t.Errorf("%s.md: %v", name, err)
			}
		}
	}
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
