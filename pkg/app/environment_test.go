package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/expr"
)

// TestEnvironmentOfTheReference: the environment variables in the table of
// docs/reference/platform-api.md are those whose names the code passes to a function that
// reads the environment.
func TestEnvironmentOfTheReference(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/platform-api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Environment variables\n")
	table, _, _ = strings.Cut(table, "\n\nThe system's")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\| ").FindAllStringSubmatch(table, -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			listed = append(listed, strings.TrimSuffix(strings.Trim(name, "`"), "…"))
		}
	}
	read := []string{expr.EnvPrefix} // a name of the configuration follows it
	for _, root := range []string{"../../pkg", "../../cmd/extractor"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "devstack":
				return fs.SkipDir // another program
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			names, err := variablesIn(path)
			read = append(read, names...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(listed)
	slices.Sort(read)
	if read = slices.Compact(read); len(read) < 15 || !slices.Equal(listed, read) {
		t.Errorf("the page lists %q\nthe code reads %q", listed, read)
	}
}

// variablesIn are the names of environment variables that a file reads, as literals or as
// constants of the file.
func variablesIn(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	constants := map[string]ast.Expr{}
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == 1 && len(spec.Values) == 1 {
			constants[spec.Names[0].Name] = spec.Values[0] // it is declared before it is used
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || !readsEnvironment(call) {
			return true
		}
		for _, argument := range call.Args {
			if id, ok := argument.(*ast.Ident); ok && constants[id.Name] != nil {
				argument = constants[id.Name]
			}
			if literal, ok := argument.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if name, err := strconv.Unquote(literal.Value); err == nil && name != "" {
					names = append(names, name)
				}
			}
		}
		return true
	})
	return names, nil
}

// readsEnvironment reports whether a call is one of the functions through which the code
// reads environment variables.
func readsEnvironment(call *ast.CallExpr) bool {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if x, ok := f.X.(*ast.Ident); ok && x.Name == "env" && name == "get" {
			return true // the environment with that of the file .env below it
		}
		if strings.EqualFold(name, "first") || strings.EqualFold(name, "env") || strings.EqualFold(name, "missing") {
			return false // these are local functions
		}
	}
	return slices.Contains([]string{"Getenv", "getenv", "LookupEnv", "boolVariable", "env", "first", "missing"}, name)
}
