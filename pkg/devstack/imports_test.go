package devstack

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyDevstackImportsThis keeps what only a developer needs out of the
// component's binary; tests may use it.
func TestOnlyDevstackImportsThis(t *testing.T) {
	const self = `"github.com/keboola/configurable-extractor/pkg/devstack`
	files := 0
	for _, tree := range []string{"cmd", "pkg"} {
		err := filepath.WalkDir(filepath.Join("..", "..", tree), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "devstack" {
				return fs.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			files++
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, imported := range file.Imports {
				if strings.HasPrefix(imported.Path.Value, self) {
					t.Errorf("%s imports %s", path, imported.Path.Value)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		t.Error("no file was looked at")
	}
}
