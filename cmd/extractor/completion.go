package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/gallery"
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
	for _, r := range gallery.Recipes() {
		all = append(all, cobra.CompletionWithDesc(r.Name, r.Summary))
	}
	return all
}

func apis() []cobra.Completion {
	all := []cobra.Completion{cobra.CompletionWithDesc(listRecipes, "all APIs")}
	for _, api := range gallery.All() {
		all = append(all, cobra.CompletionWithDesc(api.Name, api.Summary))
	}
	return all
}

func codes() []cobra.Completion {
	var all []cobra.Completion
	for _, t := range diagnostic.Topics() {
		all = append(all, cobra.CompletionWithDesc(t.Name, t.Title))
	}
	return all
}
