package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/schema"
)

// newSchema returns the command that prints the JSON Schema of configurations.
func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of configurations, for editors",
		Example: `  extractor schema > extractor.schema.json`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(schema.Default().Schema())
			return err
		},
	}
}
