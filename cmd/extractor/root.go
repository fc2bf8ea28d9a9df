package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
)

// The groups of commands in the help.
const (
	groupAuthor   = "author"
	groupRun      = "run"
	groupPlatform = "platform"
)

// newRoot returns the root command. Without a subcommand it behaves like run.
//
// To add a command, write it in a file of its own with an example, and add it to a group
// here. To add a flag, add it in the file of its command, and its values to flagValues in
// completion.go. Both need a script below cmd/extractor/testdata. `go test ./cmd/extractor
// -run 'TestScripts|TestCommandLinePage' -update` writes the expected output and
// docs/reference/command-line.md.
func newRoot() *cobra.Command {
	var o app.Options
	var version bool
	root := &cobra.Command{
		Use:   "extractor",
		Short: "Extract data from an HTTP API, described by a configuration",
		Long: `Extracts data from an HTTP API, as a configuration describes, and writes tables.

Without a command it runs the configuration in the data directory, as 'extractor
run' does, and accepts the same flags. The data directory is --data, otherwise
$KBC_DATADIR, otherwise /data.

See docs/reference/exit-codes.md for the exit codes.`,
		Example: `  extractor init https://api.example.com/v1/orders --out my-data/config.json
  extractor validate my-data
  extractor run my-data
  extractor --data my-data`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printVersion(cmd)
			}
			return run(cmd, o)
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(wrongFlag)
	runFlags(root.Flags(), &o)
	root.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // 'extractor run --help' lists them
	// The version flag of the library needs text/template, which prevents the linker from
	// removing unused methods: the program would grow by four megabytes.
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.AddGroup(
		&cobra.Group{ID: groupAuthor, Title: "Write a configuration:"},
		&cobra.Group{ID: groupRun, Title: "Run it on this computer:"},
		&cobra.Group{ID: groupPlatform, Title: "Run it on the platform:"},
	)
	inGroup(root, groupAuthor, newInit(), newValidate(), newExplain(), newPlan(), newSchema())
	inGroup(root, groupRun, newRun(), newDiff())
	inGroup(root, groupPlatform, newConfig(), newJob())
	root.AddCommand(newVersion())
	shellcompletion.Install(root, flagValues())
	describeHelp(root)
	return root
}

func inGroup(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
	}
	root.AddCommand(commands...)
}

// describeHelp describes the flag --help and the command help in the style of the other
// texts. The command library adds both.
func describeHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	helpFlags(root)
}

func helpFlags(c *cobra.Command) {
	c.InitDefaultHelpFlag()
	c.Flags().Lookup("help").Usage = fmt.Sprintf("show the help of '%s'", c.CommandPath())
	for _, child := range c.Commands() {
		helpFlags(child)
	}
}
