// Package architecture draws the packages of this module and their imports in
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

// graph has the imports of each box, without itself.
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

// TestOnlyDevstackImportsDevstack: the local platform could be a module of its own. No other
// package imports it, tests included. The programs' tests may run it.
func TestOnlyDevstackImportsDevstack(t *testing.T) {
	files := 0
	for _, top := range []string{"cmd", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "devstack":
				return fs.SkipDir
			case filepath.Ext(path) != ".go" || top == "cmd" && strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files++
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range file.Imports {
				if strings.HasPrefix(spec.Path.Value, `"`+module+"pkg/devstack") {
					t.Errorf("%s imports %s", path, spec.Path.Value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		t.Error("no file was read")
	}
}

// boxOf returns the box of a package, or of the nearest directory above it with a box.
func boxOf(t *testing.T, dir string) string {
	t.Helper()
	for name := strings.TrimPrefix(dir, "pkg/"); name != "."; name = filepath.ToSlash(filepath.Dir(name)) {
		if slices.Contains(usedByAll, name) {
			return name
		}
		if slices.ContainsFunc(groups, func(g group) bool { return slices.Contains(g.boxes, name) }) {
			return name
		}
	}
	t.Fatalf("%s is not in the diagram: add it to groups or usedByAll in boxes_test.go", dir)
	return ""
}

// without leaves out boxes and the arrows to them.
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

// checkAcyclic fails the test if imports form a circle.
func (g graph) checkAcyclic(t *testing.T) {
	t.Helper()
	done := map[string]bool{}
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		if slices.Contains(path, name) {
			t.Fatalf("the imports form a circle: %s", strings.Join(append(path, name), " -> "))
		}
		if done[name] {
			return
		}
		for to := range g[name] {
			visit(to, append(slices.Clone(path), name))
		}
		done[name] = true
	}
	for name := range g {
		visit(name, nil)
	}
}

// reduced leaves out each import that other imports imply. It fails the test if imports
// form a circle.
func (g graph) reduced(t *testing.T) graph {
	t.Helper()
	g.checkAcyclic(t)
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
