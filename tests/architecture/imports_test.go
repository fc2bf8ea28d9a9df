// Package architecture draws the packages of this module and their imports for
// docs/understand/architecture.md.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/keboola/configurable-extractor/"
)

// graph says what each box imports, itself not included.
type graph map[string]map[string]bool

// readImports reads the imports of both programs and all packages, without those of tests.
func readImports(t *testing.T) graph {
	t.Helper()
	g := graph{}
	for _, top := range []string{"cmd/extractor", "cmd/devstack", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			from := boxOf(t, filepath.ToSlash(dir))
			if g[from] == nil {
				g[from] = map[string]bool{}
			}
			for _, spec := range file.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return err
				}
				if ours, ok := strings.CutPrefix(imported, module); ok {
					if to := boxOf(t, ours); to != from {
						g[from][to] = true
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// boxOf is the box of a package: its own, or that of the nearest directory above that
// has one.
func boxOf(t *testing.T, dir string) string {
	t.Helper()
	for name := strings.TrimPrefix(dir, "pkg/"); name != "."; name = filepath.ToSlash(filepath.Dir(name)) {
		if slices.Contains(usedByAll, name) {
			return name
		}
		if slices.ContainsFunc(boxes, func(b box) bool { return b.name == name }) {
			return name
		}
	}
	t.Fatalf("%s is not in the diagram: add it to boxes or usedByAll in boxes_test.go", dir)
	return ""
}

// without leaves out the boxes that are drawn without arrows.
func (g graph) without(names []string) graph {
	rest := graph{}
	for from, tos := range g {
		if slices.Contains(names, from) {
			continue
		}
		rest[from] = map[string]bool{}
		for to := range tos {
			if !slices.Contains(names, to) {
				rest[from][to] = true
			}
		}
	}
	return rest
}

// heights is the length of the longest way down from each box. A circle of imports
// fails the test.
func (g graph) heights(t *testing.T) map[string]int {
	t.Helper()
	heights := map[string]int{}
	var visit func(name string, way []string) int
	visit = func(name string, way []string) int {
		if slices.Contains(way, name) {
			t.Fatalf("the imports form a circle: %s", strings.Join(append(way, name), " -> "))
		}
		if h, known := heights[name]; known {
			return h
		}
		h := 0
		for to := range g[name] {
			h = max(h, visit(to, append(slices.Clone(way), name))+1)
		}
		heights[name] = h
		return h
	}
	for name := range g {
		visit(name, nil)
	}
	return heights
}

// reduced leaves out each import that another way of imports implies. A circle of imports
// fails the test.
func (g graph) reduced(t *testing.T) graph {
	t.Helper()
	g.heights(t) // there is no circle
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		for next := range g[from] {
			if next == to || reaches(next, to) {
				return true
			}
		}
		return false
	}
	rest := graph{}
	for from, tos := range g {
		rest[from] = map[string]bool{}
		for to := range tos {
			implied := false
			for other := range tos {
				implied = implied || other != to && reaches(other, to)
			}
			if !implied {
				rest[from][to] = true
			}
		}
	}
	return rest
}
