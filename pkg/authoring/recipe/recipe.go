// Package recipe provides complete configurations for common kinds of APIs, as a start.
// Each recipe has a directory below recipes with a mock API and the resulting tables. The
// functional tests run each recipe unchanged. docs/recipes explains the recipes.
package recipe

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

//go:embed recipes/*/config.json
var files embed.FS

// Recipe describes a recipe.
type Recipe struct {
	Name string
	// Summary describes, in one line, the kind of API that the recipe fits.
	Summary string
}

// All returns all recipes, simple recipes first.
//
// To add a recipe, add a directory to pkg/authoring/recipe/recipes with config.json and the
// other files of a case (tests/functional/README.md), list it here, and describe it on a page
// in docs/recipes with the sections of the other pages. TestRecipes in tests/functional runs
// the recipe, and pages_test.go compares the page with its files.
func All() []Recipe {
	return []Recipe{
		{"offset", "paging by offset and limit, the response has the total"},
		{"page-number", "paging by page number"},
		{"next-url", "the response has the address of the next page"},
		{"link-header", "the header Link has the address of the next page"},
		{"cursor-token", "the response has a token for the next page"},
		{"last-id", "the next page begins after the id of the last item"},
		{"newest-first", "newest items first, older ones by their id"},
		{"api-key", "an API key in the query of every request"},
		{"client-credentials", "OAuth 2.0 with client id and secret"},
		{"refresh-token", "OAuth 2.0, a refresh token exchanged before every request"},
		{"signed-requests", "every request carries a signature of itself"},
		{"parent-children", "a list, and for each of its items another list"},
		{"incremental", "only what has changed since the previous run"},
		{"graphql", "GraphQL: a query in the body of a POST, paging by cursor"},
		{"csv-report", "the response is a report in CSV"},
		{"zipped-lines", "the response is a zip of files with one JSON value a line"},
		{"xml-feed", "the response is XML"},
	}
}

// Config returns the configuration of a recipe as JSON text. An unknown name is a user
// error with suggestions.
func Config(name string) ([]byte, error) {
	all := All()
	if !slices.ContainsFunc(all, func(r Recipe) bool { return r.Name == name }) {
		return nil, failure.Userf("there is no recipe %q, %s", name, hint(name, all))
	}
	text, err := files.ReadFile("recipes/" + name + "/config.json")
	if err != nil {
		return nil, failure.Applicationf("cannot read the recipe %s: %w", name, err)
	}
	return text, nil
}

// hint suggests recipes with a similar name or with a word in common. If there are none,
// it lists all recipes.
func hint(name string, all []Recipe) string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.Name
	}
	near := func(r string) bool { return sharesWord(name, r) }
	if nearest, ok := failure.Nearest(name, names); ok {
		near = func(r string) bool { return r == nearest || sharesWord(name, r) }
	}
	meant := slices.DeleteFunc(slices.Clone(names), func(r string) bool { return !near(r) })
	if len(meant) == 0 {
		return "expected one of " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("did you mean %s?", quoted(meant))
}

// sharesWord reports whether two names have a word in common. It tolerates typing errors.
func sharesWord(a, b string) bool {
	for _, word := range words(a) {
		if _, ok := failure.Nearest(word, words(b)); ok {
			return true
		}
	}
	return false
}

func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' || r == '.' })
}

// quoted formats names as "a", "b" or "c".
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
