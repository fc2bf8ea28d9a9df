package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/completion"
	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/authoring/gallery"
	"github.com/keboola/configurable-extractor/pkg/authoring/recipe"
)

// flagValues completes the values of flags, by name. Flags with any value are left out.
func flagValues() map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"api":        completion.OneOf(apis()...),
		"data":       completion.Directories(),
		"har":        completion.Files("har"),
		"paging":     completion.OneOf("none", "offset", "pagenum", "response.url", "response.param", "link", "cursor"),
		"log-format": completion.OneOf("auto", "json", "console"),
		"out":        completion.Files("json"),
		"recipe":     completion.OneOf(recipes()...),
		"record":     completion.Files("har"),
		"replay":     completion.Files("har"),
		"report":     completion.Directories(),
		"split":      completion.OneOf("iterations", "windows"),
		"token-file": completion.AnyFile(),
		"variables":  completion.Files("json"),
	}
}

func recipes() []cobra.Completion {
	all := []cobra.Completion{cobra.CompletionWithDesc(listRecipes, "all recipes")}
	for _, r := range recipe.All() {
		all = append(all, cobra.CompletionWithDesc(r.Name, r.Summary))
	}
	return all
}

// apis are the APIs of the gallery. A test proves that it can be read.
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
