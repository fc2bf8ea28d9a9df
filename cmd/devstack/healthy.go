package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/devstack"
)

// newHealthy returns the health check of a container. It is a command because the image
// contains no other program that could send a request.
func newHealthy() *cobra.Command {
	return &cobra.Command{
		Use:    "healthy URL",
		Short:  "Report by the exit code whether a server responds",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return devstack.Healthy(cmd.Context(), args[0])
		},
	}
}
