package functional

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recipes is where the recipes are: cases like those below cases, whose
// configurations are embedded in the program.
const recipes = "../../pkg/authoring/recipe/recipes"

// TestRecipes runs every recipe against its canned API.
func TestRecipes(t *testing.T) {
	entries, err := os.ReadDir(recipes)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			t.Parallel()
			c, err := readCase(filepath.Join(recipes, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			c.talkPlainly()
			c.run(t)
		})
	}
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
