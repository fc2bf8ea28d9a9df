package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/devstack"
)

func newDemo() *cobra.Command {
	var o devstack.DemoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the extractor against the sample web shop and show the tables",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Stdout, o.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			code, err := devstack.Demo(cmd.Context(), o)
			if err == nil && code != 0 {
				return exitCode(code)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.DataDir, "data", "", "data directory to make and fill (default a new temporary one)")
	return cmd
}
