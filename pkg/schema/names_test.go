package schema_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
)

// compound matches names that Go code does not have by chance. Simple words (type, limit,
// query) are not checked.
var compound = regexp.MustCompile(`[A-Z_#]`)

// otherwise are files in which the name of a setting means something else, or is
// declared again, and why.
var otherwise = map[string]map[string]string{
	"../config/job.go": {
		"userData":  "a setting of a job, too",
		"rateLimit": "a setting of a job, too",
	},
	"../config/retry.go": {
		"retryConfig": "the name of the type",
	},
	"../platform/job.go": {
		"variableValuesData": "a key of the platform's record of a job",
		"variableValuesId":   "a key of the platform's record of a job",
	},
}

// TestOneFileKnowsASetting: only the file that declares a setting has its name; others
// use the declaration.
func TestOneFileKnowsASetting(t *testing.T) {
	where := map[string][]string{}
	for _, name := range settingNames(schema.Default().Tree.Root()) {
		where[name] = nil
	}
	count := len(where)
	all := literals(t, "..", "../../cmd")
	for file, names := range otherwise {
		for name := range names {
			if !slices.Contains(all[file], name) {
				t.Errorf("%s is no longer in %s", name, file)
			}
		}
	}
	for file, texts := range all {
		for _, text := range texts {
			names := []string{text}
			if strings.HasPrefix(text, "/") {
				names = failure.PointerSplit(text)
			}
			for _, name := range names {
				if files, ok := where[name]; ok && !slices.Contains(files, file) && otherwise[file][name] == "" {
					where[name] = append(files, file)
				}
			}
		}
	}
	for name, files := range where {
		if len(files) != 1 {
			t.Errorf("%s is in %v, want one file that declares it", name, files)
		}
	}
	if count < 60 {
		t.Errorf("only %d settings", count)
	}
}

// settingNames are the compound names of the fields of a type and of those below it.
func settingNames(root *field.Type) []string {
	var names []string
	seen := map[*field.Type]bool{nil: true}
	for queue := []*field.Type{root}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		for _, f := range at.Fields {
			if compound.MatchString(f.Name) {
				names = append(names, f.Name)
			}
			queue = append(queue, f.Type)
		}
		queue = append(queue, at.Base, at.Items, at.Others)
	}
	return names
}

// literals are the string literals of the Go files below some folders, by file:
// of all but tests and pkg/devstack, which is another program that writes documents
// of the platform. Names inside of longer texts (messages, example documents) do not
// count.
func literals(t *testing.T, folders ...string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			name := entry.Name()
			switch {
			case err != nil:
				return err
			case entry.IsDir() && name == "devstack":
				return fs.SkipDir
			case !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if _, ok := n.(*ast.ImportSpec); ok {
					return false
				}
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					all[filepath.ToSlash(path)] = append(all[filepath.ToSlash(path)], text)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
