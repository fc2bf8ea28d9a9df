package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/devstack"
)

// newHealthy is how a container tells that its server answers: beside this
// program there is none in the image that could ask.
func newHealthy() *cobra.Command {
	return &cobra.Command{
		Use:    "healthy URL",
		Short:  "Tell by the exit code whether a server answers",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return devstack.Healthy(cmd.Context(), args[0])
		},
	}
}
