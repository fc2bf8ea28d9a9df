package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/completion"
	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// newExplain makes the command that explains the codes of validate.
func newExplain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Explain a code that validate shows, or list all codes",
		Example: `  extractor explain
  extractor explain unknown-key`,
		Args:              atMost(1),
		ValidArgsFunction: completion.First(completion.OneOf(codes()...)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diagnostic.List(cmd.OutOrStdout())
			}
			entry, ok := diagnostic.Lookup(strings.ToLower(args[0]))
			if !ok {
				hint := "'extractor explain' lists all codes"
				if near, ok := failure.Nearest(args[0], diagnostic.Codes()); ok {
					hint = "did you mean " + near + "?"
				}
				return failure.Userf("there is no code '%s'; %s", args[0], hint)
			}
			return diagnostic.Explain(cmd.OutOrStdout(), entry)
		},
	}
}
