package documents

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are all Markdown files of the repository, by their paths.
func pages(t *testing.T) map[string]*page {
	t.Helper()
	all := map[string]*page{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata" || entry.Name() == "bin"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		path, err = filepath.Rel(root, path)
		all[path] = readPage(t, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("found only %d pages", len(all))
	}
	return all
}

// TestLinks: every link inside the repository leads to a file, and to a heading if it
// names one.
func TestLinks(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		p := all[path]
		for _, l := range p.links() {
			file, anchor, ok := p.internal(l.target)
			if !ok {
				continue
			}
			to, isPage := all[file]
			_, err := os.Stat(filepath.Join(root, file))
			switch {
			case err != nil || strings.HasPrefix(file, ".."):
				t.Errorf("%s:%d: there is no %s", path, l.line, file)
			case anchor != "" && !isPage:
				t.Errorf("%s:%d: %s has no headings", path, l.line, file)
			case anchor != "":
				if _, is := to.anchors[anchor]; !is {
					t.Errorf("%s:%d: %s has no heading #%s", path, l.line, file, anchor)
				}
			}
		}
	}
}

// TestEveryPageIsReachable: links lead from README.md or the index to every page, and every picture is
// shown somewhere.
func TestEveryPageIsReachable(t *testing.T) {
	t.Parallel()
	all := pages(t)
	next := []string{"README.md", index}
	reached := map[string]bool{"README.md": true, index: true}
	for len(next) > 0 {
		p := all[next[0]]
		next = next[1:]
		for _, l := range p.links() {
			file, _, ok := p.internal(l.target)
			if info, err := os.Stat(filepath.Join(root, file)); err == nil && info.IsDir() {
				file = filepath.Join(file, "README.md")
			}
			if ok && !reached[file] {
				reached[file] = true
				if all[file] != nil {
					next = append(next, file)
				}
			}
		}
	}
	images, err := filepath.Glob(filepath.Join(root, "docs/images/*"))
	if err != nil || len(images) == 0 {
		t.Fatalf("no images: %v", err)
	}
	files := slices.Sorted(maps.Keys(all))
	for _, image := range images {
		files = append(files, filepath.Join("docs/images", filepath.Base(image)))
	}
	for _, file := range files {
		if !reached[file] {
			t.Errorf("no link leads to %s", file)
		}
	}
}

// moreCode are pages with more code than prose, and why.
var moreCode = map[string]string{
	"docs/how-to/incremental.md": "each step shows its configuration, its run and its tables",
	"docs/how-to/plan.md":        "it shows the whole output for one configuration, in both forms",
	"docs/learn/demo.md":         "it shows the output of the demo",
	"docs/learn/tutorial.md":     "each step shows its configuration, its run and its tables",
}

// linksToPage reports whether a page leads to another one.
func linksToPage(p *page) bool {
	return slices.ContainsFunc(p.links(), func(l link) bool {
		file, _, ok := p.internal(l.target)
		return ok && file != p.path && filepath.Ext(file) == ".md"
	})
}

// TestShapeOfPages: each page begins with a title and a paragraph that says what it is
// about, leads to another one, and has more prose than code.
func TestShapeOfPages(t *testing.T) {
	t.Parallel()
	lead := regexp.MustCompile("^# [^\n]+\n\n[A-Z`*\\[][^\n]+\n")
	unused := maps.Clone(moreCode)
	for path, p := range pages(t) {
		if !lead.MatchString(p.prose) {
			t.Errorf("%s does not begin with a title and a paragraph", path)
		}
		if strings.HasPrefix(path, "docs/") && !linksToPage(p) {
			t.Errorf("%s has no link to a neighbour", path)
		}
		prose := len(strings.Join(strings.Fields(p.prose), " "))
		code := len(strings.Join(strings.Fields(p.blocks), " "))
		_, listed := moreCode[path]
		switch {
		case code <= prose:
		case filepath.Dir(path) == "docs/apis": // most of it is the configuration
		case listed:
			delete(unused, path)
		default:
			t.Errorf("%s has %d bytes of code and only %d of prose", path, code, prose)
		}
	}
	for path := range unused {
		t.Errorf("%s has more prose than code: it need not be in moreCode", path)
	}
}
