package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set when a release is built: -ldflags "-X main.version=1.2.3".
var version = "dev"

// programVersion is the version of a release, else that of `go install …@v1.2.3`, else
// dev.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if version != "dev" || !ok {
		return version
	}
	return moduleVersion(info)
}

// moduleVersion is the version of the module that was installed. A build in a clone
// has the settings of version control, and no version of its own.
func moduleVersion(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs") {
			return "dev"
		}
	}
	if number, ok := strings.CutPrefix(info.Main.Version, "v"); ok {
		return number
	}
	return "dev" // "(devel)"
}

const versionLine = "configurable-extractor {{.Version}}\n"

// newVersion makes the command that prints what --version prints.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  extractor version`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "configurable-extractor", programVersion())
			return err
		},
	}
}
