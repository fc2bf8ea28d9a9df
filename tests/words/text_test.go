package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// text is a piece of a file that people read, and the line on which it begins.
type text struct {
	line int
	text string
}

// textsOf returns the texts of a file: comments and string literals of Go, the description
// of a functional case, and the whole of a page, a script and a document.
func textsOf(t *testing.T, file string, content []byte) []text {
	t.Helper()
	switch base := path.Base(file); {
	case strings.HasSuffix(base, ".go"):
		return goTexts(t, file, content)
	case strings.HasSuffix(base, ".txtar"):
		return []text{{1, string(txtar.Parse(content).Comment)}}
	}
	switch path.Ext(file) {
	case ".md", ".html", ".js", ".css", ".sh", ".yml", ".yaml":
		return []text{{1, string(content)}}
	}
	if strings.HasPrefix(string(content), "#!") || path.Base(file) == "Dockerfile" {
		return []text{{1, string(content)}}
	}
	return nil
}

func goTexts(t *testing.T, name string, content []byte) []text {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, content, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var all []text
	for _, group := range file.Comments {
		all = append(all, text{set.Position(group.Pos()).Line, group.Text()})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			unquoted, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text{set.Position(literal.Pos()).Line, unquoted})
		}
		return true
	})
	return all
}
