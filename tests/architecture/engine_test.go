package architecture

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checked is a package with the types of its expressions.
type checked struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	pkg   *types.Package
}

// checkPackage reads and type-checks a package of this module, without its tests.
func checkPackage(t *testing.T, path string) checked {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", module+path)
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	type listed struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	c := checked{fset: token.NewFileSet(), info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	own := packages[module+path]
	for _, name := range own.GoFiles {
		file, err := parser.ParseFile(c.fset, filepath.Join(own.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		c.files = append(c.files, file)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) }
	config := types.Config{Importer: importer.ForCompiler(c.fset, "gc", lookup)}
	if c.pkg, err = config.Check(module+path, c.fset, c.files, c.info); err != nil {
		t.Fatal(err)
	}
	return c
}

// file returns the name of the file of a position.
func (c checked) file(at token.Pos) string { return filepath.Base(c.fset.Position(at).Filename) }

// calls returns the graph of files: an edge for each function that a function of another
// file uses. The values are an example of a use.
func (c checked) calls() map[string]map[string]string {
	calls := map[string]map[string]string{}
	for ident, used := range c.info.Uses {
		function, ok := used.(*types.Func)
		if !ok || function.Pkg() != c.pkg {
			continue
		}
		from, to := c.file(ident.Pos()), c.file(function.Pos())
		if from == to {
			continue
		}
		if calls[from] == nil {
			calls[from] = map[string]string{}
		}
		calls[from][to] = max(calls[from][to], c.fset.Position(ident.Pos()).String()+" "+function.Name())
	}
	return calls
}

// TestEngine checks the structure of package engine.
func TestEngine(t *testing.T) {
	c := checkPackage(t, "pkg/engine")
	t.Run("calls", c.testCalls)
	t.Run("parts", c.testParts)
	t.Run("fields", c.testFields)
}

// testCalls checks that no file of the engine calls a file that calls it back,
// directly or through other files. A call through an interface or a function value is a call
// of the file that declares the interface or the type.
func (c checked) testCalls(t *testing.T) {
	calls := c.calls()
	var path []string
	done := map[string]bool{}
	var visit func(string)
	visit = func(file string) {
		if at := slices.Index(path, file); at >= 0 {
			circle := append(slices.Clone(path[at:]), file)
			t.Errorf("the calls form a circle: %s; the last call is %s", strings.Join(circle, " -> "), calls[path[len(path)-1]][file])
			return
		}
		if done[file] {
			return
		}
		path = append(path, file)
		for _, to := range slices.Sorted(maps.Keys(calls[file])) {
			visit(to)
		}
		path = path[:len(path)-1]
		done[file] = true
	}
	for _, file := range slices.Sorted(maps.Keys(calls)) {
		visit(file)
	}
}

// partsOfTheEngine are the parts of a run of a job, with the types that belong to each.
var partsOfTheEngine = map[string]string{
	"stream": "stream", "serial": "stream", "jobStream": "stream", "parallel": "stream",
	"pipeline": "pipeline",
	"ledger":   "ledger", "jobsLedger": "ledger", "runLedger": "ledger", "finishedRun": "ledger", "evidence": "ledger",
}

// testParts checks that no method of a part uses a field of another part.
func (c checked) testParts(t *testing.T) {
	for _, file := range c.files {
		for _, d := range file.Decls {
			method, ok := d.(*ast.FuncDecl)
			if !ok || method.Recv == nil {
				continue
			}
			own := partsOfTheEngine[strings.TrimPrefix(types.ExprString(method.Recv.List[0].Type), "*")]
			ast.Inspect(method, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok || own == "" {
					return true
				}
				for _, owner := range owners(c.info.Selections[selector]) {
					if part := partsOfTheEngine[owner]; part != "" && part != own {
						t.Errorf("%s: the %s uses a field of the %s: %s", c.fset.Position(n.Pos()), own, part, types.ExprString(selector))
					}
				}
				return true
			})
		}
	}
}

// owners returns the names of the types that have the field of a selection, and the embedded
// fields on the way to it. It returns nil for a method.
func owners(s *types.Selection) []string {
	if s == nil || s.Kind() != types.FieldVal {
		return nil
	}
	var names []string
	at := s.Recv()
	for _, i := range s.Index() {
		if pointer, ok := at.Underlying().(*types.Pointer); ok {
			at = pointer.Elem()
		}
		if named, ok := types.Unalias(at).(*types.Named); ok {
			names = append(names, named.Obj().Name())
		}
		at = at.Underlying().(*types.Struct).Field(i).Type()
	}
	return names
}

// testFields checks that the types of the parts, and the types embedded in them,
// have no fields of what a part must not know. The job and its input are left out: all parts
// have them.
func (c checked) testFields(t *testing.T) {
	for part, unknown := range map[string][]string{
		"stream":   {"state.", "mapping.", "csvtable.", "engine.bucket", "engine.tables", "engine.statistics", "edger"},
		"pipeline": {"pagination.Scroller", "pagination.State", "engine.permit", "engine.admission", "engine.stream", "httpclient.Client"},
		"ledger":   {"httpclient.Client", "config.RequestSpec", "mapping.", "csvtable.", "engine.bucket", "engine.tables", "engine.stream", "engine.pipeline"},
	} {
		var check func(at types.Type)
		check = func(at types.Type) {
			fields := at.Underlying().(*types.Struct)
			for i := range fields.NumFields() {
				f := fields.Field(i)
				of := types.TypeString(f.Type(), func(p *types.Package) string { return p.Name() })
				if slices.ContainsFunc(unknown, func(name string) bool { return strings.Contains(of, name) }) {
					t.Errorf("the %s has a field %s of type %s", part, f.Name(), of)
				}
				if pointer, ok := f.Type().(*types.Pointer); ok && f.Embedded() && f.Name() != "job" && f.Name() != "invocation" {
					check(pointer.Elem())
				}
			}
		}
		check(c.pkg.Scope().Lookup(part).Type())
	}
}
