package gallery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Recipe describes a recipe.
type Recipe struct {
	Name string
	// Summary describes, in one line, the kind of API that the recipe fits.
	Summary string
}

// String returns the line of the recipe in a list.
func (r Recipe) String() string { return fmt.Sprintf("%-18s  %s", r.Name, r.Summary) }

// Recipes returns all recipes, simple recipes first.
//
// To add a recipe, add a directory to pkg/gallery/recipes with config.json and the
// other files of a case (tests/functional/README.md), list it here, and describe it on a page
// in docs/recipes with the sections of the other pages. TestRecipes in tests/functional runs
// the recipe, and recipe_pages_test.go compares the page with its files.
func Recipes() []Recipe {
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

// RecipeConfig returns the configuration of a recipe as JSON text. An unknown name is a user
// error with suggestions.
func RecipeConfig(name string) ([]byte, error) {
	all := Recipes()
	if !slices.ContainsFunc(all, func(r Recipe) bool { return r.Name == name }) {
		return nil, failure.Userf("there is no recipe %q, %s", name, suggestion(name, all, func(r Recipe) string { return r.Name }))
	}
	return read("recipes", name, "config.json"), nil
}

// suggestion suggests names that are similar or have a word in common. Otherwise it lists
// all names.
func suggestion[T any](name string, all []T, nameOf func(T) string) string {
	var names, meant []string
	for _, one := range all {
		names = append(names, nameOf(one))
	}
	nearest, _ := failure.Nearest(name, names)
	for _, n := range names {
		if n == nearest || sharesWord(name, n) {
			meant = append(meant, fmt.Sprintf("%q", n))
		}
	}
	switch last := len(meant) - 1; last {
	case -1:
		return "expected one of " + strings.Join(names, ", ")
	case 0:
		return "did you mean " + meant[0] + "?"
	default:
		return "did you mean " + strings.Join(meant[:last], ", ") + " or " + meant[last] + "?"
	}
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
