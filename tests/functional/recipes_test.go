package functional

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recipes is where the recipes are: cases like those below cases, whose
// configurations are embedded in the program.
const recipes = "../../pkg/gallery/recipes"

// recipeNames returns the names of all recipes.
func recipeNames(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(recipes)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// recipeOf reads the case of a recipe, without TLS.
func recipeOf(t *testing.T, name string) *testCase {
	t.Helper()
	dir := filepath.Join(recipes, name)
	c, err := newCase(name, os.DirFS(dir))
	if err != nil {
		t.Fatalf("the recipe %s: %v", name, err)
	}
	c.dir = dir
	c.talkPlainly()
	return c
}

// TestRecipes runs every recipe against its canned API.
func TestRecipes(t *testing.T) {
	eachCase(t, recipeNames(t), recipeOf, func(t *testing.T, c *testCase) { c.run(t) })
}

// talkPlainly takes TLS out of a case. A recipe is a model, so its addresses
// are https; the API of a test has no certificate for them.
func (c *testCase) talkPlainly() {
	c.plain = true
	for i := range c.exchanges {
		response := &c.exchanges[i].response
		response.body = plain(response.body)
		for at := range response.headers {
			response.headers[at].value = plain(response.headers[at].value)
		}
	}
}

func plain(text string) string {
	return strings.ReplaceAll(text, "https://", "http://")
}
