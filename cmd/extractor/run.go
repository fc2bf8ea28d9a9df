package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/component"
)

// newRoot is the command line. The exit code of what ran goes to code.
func newRoot(code *int) *cobra.Command {
	o := component.Options{Version: version, Stdout: os.Stdout, Stderr: os.Stderr}
	run := func(cmd *cobra.Command, _ []string) error {
		*code = component.Run(cmd.Context(), o)
		return nil
	}
	root := &cobra.Command{
		Use:   "extractor",
		Short: "Pull data out of an HTTP API by configuration alone",
		Long: `Reads config.json in the data directory, sends the requests it describes, and
writes tables to out/tables. Events go to stdout; after a failure one line on
stderr says why.

Exit codes: 0 success, 1 something the user can mend, 2 an internal fault.`,
		Example: `  extractor --data ./data
  extractor run --data ./data --var id=42 --log-format console`,
		Args:              cobra.NoArgs,
		RunE:              run,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&o.DataDir, "data", "", "data directory (default $KBC_DATADIR, else /data)")
	flags.StringArrayVar(&o.Variables, "var", nil, "value of a {{variable}} as name=value; repeatable")
	flags.StringVar(&o.LogFormat, "log-format", "auto", "auto, json or console")
	flags.BoolVar(&o.Strict, "strict", false, "treat unknown keys of the configuration as errors")
	root.AddCommand(
		newConfig(code),
		newExplain(),
		newInit(code),
		newJob(code),
		newPlan(code, &o),
		newRun(&o, run),
		newSchema(),
		newValidate(code, &o),
		&cobra.Command{
			Use:   "version",
			Short: "Print the version",
			Args:  cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "configurable-extractor", version)
				return err
			},
		},
	)
	return root
}

// newRun is the command that may stand for no command, and records and replays.
func newRun(o *component.Options, run func(*cobra.Command, []string) error) *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the data directory (the same as no command), record it or replay a recording",
		Example: `  extractor run --data ./data
  extractor run --data ./data --record shop.har
  extractor run --data ./data --replay shop.har`,
		Args: cobra.NoArgs,
		RunE: run,
	}
	flags := c.Flags()
	flags.StringVar(&o.Record, "record", "", "keep every exchange in this file (HAR 1.2, secrets masked)")
	flags.Int64Var(&o.RecordMaxBody, "record-max-body", 0, "keep at most so many bytes of each answer's body (default: all); such a recording cannot be replayed")
	flags.StringVar(&o.Replay, "replay", "", "let this recording answer instead of the network")
	return c
}
