package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/devstack"
)

// newComponent returns the hidden command that runs the extractor. The local platform
// starts it as a process.
func newComponent() *cobra.Command {
	var o app.Options
	c := &cobra.Command{
		Use:    devstack.ComponentCommand,
		Short:  "Run the component, as the local platform does",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Version, o.Stdout, o.Stderr = "dev", cmd.OutOrStdout(), cmd.ErrOrStderr()
			code := app.Run(cmd.Context(), o)
			if code != 0 {
				return exitCode(code)
			}
			return nil
		},
	}
	// The subset of the flags of 'extractor run' that a try in the web UI uses.
	flags := c.Flags()
	flags.IntVar(&o.Sample, "sample", 0, "keep only the first `N` items of every run of a job")
	flags.IntVar(&o.Limits.Requests, "max-requests", 0, "stop after `N` requests")
	flags.DurationVar(&o.Limits.Time, "max-time", 0, "stop after this `time`")
	flags.Int64Var(&o.Limits.Bytes, "max-bytes", 0, "stop after `N` bytes of responses")
	flags.StringVar(&o.Record, "record", "", "keep every exchange in this `FILE`")
	flags.StringVar(&o.Replay, "replay", "", "run from this recording")
	flags.StringVar(&o.Report, "report", "", "write the report into `DIR`")
	return c
}
