package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// start is a declaration in the table "Adding things": a name and its file.
type start struct{ name, file string }

// starts returns the declarations in the table. A file without a directory is in the
// directory of the file before it.
func starts(t *testing.T) []start {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Adding things\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var all []start
	var dir string
	for _, m := range regexp.MustCompile("`([A-Za-z]+)` in `([a-z0-9_/]+\\.go)`").FindAllStringSubmatch(section, -1) {
		file := m[2]
		if !strings.Contains(file, "/") {
			file = path.Join(dir, file)
		}
		dir = path.Dir(file)
		all = append(all, start{m[1], file})
	}
	return all
}

// comment returns the comment of the declaration, or "".
func (s start) comment(t *testing.T) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, s.file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == s.name {
				return d.Doc.Text()
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.Name == s.name {
						return d.Doc.Text()
					}
				case *ast.ValueSpec:
					if spec.Names[0].Name == s.name {
						return d.Doc.Text()
					}
				}
			}
		}
	}
	return ""
}

// The words of a comment that are paths from the root, files of a directory, and names
// with a capital inside.
var (
	pathInComment = regexp.MustCompile(`(?:\./)?\b((?:pkg|cmd|docs|tests)/[A-Za-z0-9_/.*-]*[A-Za-z0-9_])`)
	fileInComment = regexp.MustCompile(`(?:^|[^/a-z0-9_*])([a-z0-9_*]+\.go)\b`)
	nameInComment = regexp.MustCompile(`\b[A-Za-z]+[a-z][A-Z][A-Za-z]*\b`)
)

// TestAdding: the comment of each list of the table says how to add an entry, and the
// files and names in it exist.
func TestAdding(t *testing.T) {
	all := starts(t)
	if len(all) < 20 {
		t.Fatalf("only %d declarations in the table", len(all))
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			comment := s.comment(t)
			_, guide, ok := strings.Cut(comment, "\n\nTo add ")
			if !ok || !strings.Contains(guide, "test") {
				t.Fatalf("the comment in %s does not say how to add an entry, and which tests it needs:\n%s", s.file, comment)
			}
			dirs := []string{path.Dir(s.file)}
			for _, m := range pathInComment.FindAllStringSubmatch(guide, -1) {
				found, err := filepath.Glob(filepath.Join(root, m[1]))
				if err != nil || len(found) == 0 {
					t.Errorf("there is no %s", m[1])
				}
				if dir := m[1]; path.Ext(dir) == "" {
					dirs = append(dirs, dir)
				} else {
					dirs = append(dirs, path.Dir(dir))
				}
			}
			var code strings.Builder
			files := map[string]bool{}
			for _, dir := range dirs {
				paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range paths {
					text, err := os.ReadFile(p)
					if err != nil {
						t.Fatal(err)
					}
					files[filepath.Base(p)] = true
					code.Write(text)
				}
			}
			for _, m := range fileInComment.FindAllStringSubmatch(guide, -1) {
				if !matches(files, m[1]) {
					t.Errorf("there is no file %s in %v", m[1], dirs)
				}
			}
			for _, name := range nameInComment.FindAllString(guide, -1) {
				if strings.Count(code.String(), name) <= strings.Count(guide, name) {
					t.Errorf("there is no %s in %v", name, dirs)
				}
			}
		})
	}
}

func matches(files map[string]bool, pattern string) bool {
	for name := range files {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}
