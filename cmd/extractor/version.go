package main

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// unreleased is the version of a program that was built without one.
const unreleased = "dev"

// versionOf is the version of this program: the one that the linker was given, else
// that of the module (`go install …@v1.2.3`), else the commit that it was built from.
func versionOf(linked string, info *debug.BuildInfo) string {
	if linked != unreleased || info == nil {
		return linked
	}
	if module := info.Main.Version; module != "" && module != "(devel)" {
		return strings.TrimPrefix(module, "v")
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += "+dirty"
	}
	return cmp.Or(commit, unreleased)
}
