package gallery

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func names() []string {
	var all []string
	for _, r := range Recipes() {
		all = append(all, r.Name)
	}
	return all
}

// TestAll: the list names every directory below recipes and nothing else, and
// what is embedded is the file that the functional tests run.
func TestRecipes(t *testing.T) {
	var directories []string
	entries, err := os.ReadDir("recipes")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		directories = append(directories, entry.Name())
	}
	if got := slices.Sorted(slices.Values(names())); !slices.Equal(got, directories) {
		t.Errorf("the list and the directories differ:\n%v\n%v", got, directories)
	}
	for _, name := range names() {
		want, err := os.ReadFile(filepath.Join("recipes", name, "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := RecipeConfig(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %s", name, err, got)
		}
	}
}

// TestRecipesFailIncomplete: with every recipe missing data is an error.
func TestRecipesFailIncomplete(t *testing.T) {
	for _, name := range names() {
		text, err := RecipeConfig(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Field("parameters").Field("config").Field("onIncomplete").Raw(); got != "fail" {
			t.Errorf("%s: config.onIncomplete is %q", name, got)
		}
	}
}

func TestConfigUnknown(t *testing.T) {
	tests := []struct{ name, asked, want string }{
		{"a letter missing", "ofset", `there is no recipe "ofset", did you mean "offset"?`},
		{"another case", "GraphQL", `there is no recipe "GraphQL", did you mean "graphql"?`},
		{"one word of two", "cursor", `there is no recipe "cursor", did you mean "cursor-token"?`},
		{"a word of two recipes", "token", `there is no recipe "token", did you mean "cursor-token" or "refresh-token"?`},
		{"other separators", "parent_child", `there is no recipe "parent_child", did you mean "parent-children"?`},
		{"words of three recipes", "next-page-token", `there is no recipe "next-page-token", did you mean "page-number", "next-url", "cursor-token" or "refresh-token"?`},
		{"nothing like it", "soap", `there is no recipe "soap", expected one of offset, page-number, next-url, link-header, cursor-token, last-id, newest-first, api-key, client-credentials, refresh-token, signed-requests, parent-children, incremental, graphql, csv-report, zipped-lines, xml-feed`},
		{"a path", "../recipes/offset", `there is no recipe "../recipes/offset", expected one of offset, page-number, next-url, link-header, cursor-token, last-id, newest-first, api-key, client-credentials, refresh-token, signed-requests, parent-children, incremental, graphql, csv-report, zipped-lines, xml-feed`},
		{"nothing", "", `there is no recipe "", expected one of offset, page-number, next-url, link-header, cursor-token, last-id, newest-first, api-key, client-credentials, refresh-token, signed-requests, parent-children, incremental, graphql, csv-report, zipped-lines, xml-feed`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := RecipeConfig(tt.asked)
			if err == nil || err.Error() != tt.want || text != nil {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if failure.KindOf(err) != failure.User {
				t.Errorf("kind %s", failure.KindOf(err))
			}
		})
	}
}
