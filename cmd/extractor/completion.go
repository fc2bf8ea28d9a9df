package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/authoring/gallery"
	"github.com/keboola/configurable-extractor/pkg/authoring/recipe"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
)

// flagValues returns the completion functions of flags, by name. Flags that accept any
// value have none.
func flagValues() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"api":        shellcompletion.OneOf(apis()...),
		"data":       shellcompletion.Directories(),
		"har":        shellcompletion.Files("har"),
		"paging":     shellcompletion.OneOf("none", "offset", "pagenum", "response.url", "response.param", "link", "cursor"),
		"log-format": shellcompletion.OneOf("auto", "json", "console"),
		"out":        shellcompletion.Files("json"),
		"recipe":     shellcompletion.OneOf(recipes()...),
		"record":     shellcompletion.Files("har"),
		"replay":     shellcompletion.Files("har"),
		"report":     shellcompletion.Directories(),
		"split":      shellcompletion.OneOf("iterations", "windows"),
		"token-file": shellcompletion.AnyFile(),
		"variables":  shellcompletion.Files("json"),
	}
}

func recipes() []cobra.Completion {
	all := []cobra.Completion{cobra.CompletionWithDesc(listRecipes, "all recipes")}
	for _, r := range recipe.All() {
		all = append(all, cobra.CompletionWithDesc(r.Name, r.Summary))
	}
	return all
}

// apis returns the APIs of the gallery. It ignores the error of the gallery, because a test
// ensures that the gallery can be read.
func apis() []cobra.Completion {
	all := []cobra.Completion{cobra.CompletionWithDesc(listRecipes, "all APIs")}
	known, _ := gallery.All()
	for _, api := range known {
		all = append(all, cobra.CompletionWithDesc(api.Name, api.Summary))
	}
	return all
}

func codes() []cobra.Completion {
	var all []cobra.Completion
	for _, e := range diagnostic.Catalogue() {
		all = append(all, cobra.CompletionWithDesc(string(e.Code), e.Title))
	}
	for _, e := range diagnostic.Events() {
		all = append(all, cobra.CompletionWithDesc(e.Kind(), e.Title))
	}
	return all
}
