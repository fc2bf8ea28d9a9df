package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/devstack"
)

// newComponent is the command that runs the extractor. The local platform starts it
// as a process.
func newComponent() *cobra.Command {
	return &cobra.Command{
		Use:    devstack.ComponentCommand,
		Short:  "Run the component, as the local platform does",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			code := app.Run(cmd.Context(), app.Options{
				Version: "dev",
				Stdout:  cmd.OutOrStdout(),
				Stderr:  cmd.ErrOrStderr(),
			})
			if code != 0 {
				return exitCode(code)
			}
			return nil
		},
	}
}
