package propose

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/example"
)

// recipes is where complete configurations and the APIs they were written for
// are.
const recipes = "../recipe/recipes"

// recipeExchange is one exchange of a recipe's canned API.
func recipeExchange(t *testing.T, name, file string) example.Exchange {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recipes, name, "api", file))
	if err != nil {
		t.Fatal(err)
	}
	request, answer, _ := strings.Cut(string(text), "\n---\n")
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, target, _ := strings.Cut(lines[0], " ")
	x := example.Exchange{Request: example.Request{Method: method, URL: "https://api.example.com" + target, Header: http.Header{}, Body: []byte(body)}, Status: 200}
	for _, line := range lines[1:] {
		name, text, _ := strings.Cut(line, ": ")
		x.Header.Set(name, text)
	}
	_, text2, _ := strings.Cut(answer, "\n\n")
	x.Answer = []byte(text2)
	return x
}

func TestX(t *testing.T) {
	entries, _ := os.ReadDir(recipes)
	for _, e := range entries {
		file := "1.txt"
		if e.Name() == "client-credentials" || e.Name() == "refresh-token" {
			file = "2.txt"
		}
		p, err := Propose(recipeExchange(t, e.Name(), file), Choice{})
		if err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		t.Logf("=== %s\n%s", e.Name(), p.Config)
		for _, g := range p.Guesses {
			t.Logf("%+v", g)
		}
		for _, g := range p.Notes {
			t.Logf("NOTE %s", g)
		}
	}
}
