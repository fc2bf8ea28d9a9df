package main

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// unreleased is the version of a program that was built without a version.
const unreleased = "dev"

// version is set at build time for a release: -ldflags "-X main.version=1.2.3".
var version = unreleased

func programVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf returns the version of a program: linked if it was set at build time, otherwise
// the version of the module (`go install …@v1.2.3`), otherwise the commit.
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

// newVersion returns the command that prints the version, like --version.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  extractor version`,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return printVersion(cmd) },
	}
}

func printVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprintln(cmd.OutOrStdout(), "configurable-extractor", programVersion())
	return err
}
