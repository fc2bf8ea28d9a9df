package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/failure"
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
		Args:              atMost(1),
		ValidArgsFunction: shellcompletion.First(shellcompletion.OneOf(codes()...)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diagnostic.List(cmd.OutOrStdout())
			}
			name := strings.ToLower(args[0])
			if entry, ok := diagnostic.Lookup(name); ok {
				return diagnostic.Explain(cmd.OutOrStdout(), entry)
			}
			if entry, ok := diagnostic.LookupEvent(name); ok {
				return diagnostic.ExplainEvent(cmd.OutOrStdout(), entry)
			}
			hint := "'extractor explain' lists all codes and events"
			if near, ok := failure.Nearest(name, append(diagnostic.Codes(), diagnostic.EventKinds()...)); ok {
				hint = "did you mean " + near + "?"
			}
			return failure.Userf("there is no code and no event '%s'; %s", args[0], hint)
		},
	}
}
