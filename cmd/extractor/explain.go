package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
)

// newExplain returns the command that explains the codes of validate and the events of
// runs.
func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE|EVENT]",
		Short: "Explain a code of validate or an event of a run, or list them all",
		Example: `  extractor explain
  extractor explain unknown-key
  extractor explain job.short`,
		Args:              atMostOne,
		ValidArgsFunction: shellcompletion.First(shellcompletion.OneOf(codes()...)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diagnostic.List(cmd.OutOrStdout())
			}
			return diagnostic.Explain(cmd.OutOrStdout(), args[0])
		},
	}
}
