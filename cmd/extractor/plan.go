package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/completion"
	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// newPlan makes the command that shows what a run would send. It sets code after an
// error.
func newPlan(code *int, o *app.Options) *cobra.Command {
	var asJSON, asCurl, full bool
	cmd := &cobra.Command{
		Use:   "plan [FILE|DIR]",
		Short: "Show the requests that a run would begin with, without a network",
		Long: `Reads a configuration, or config.json in a directory (default: the data
directory), and shows for each job the first request exactly as it would be
sent, where its parts come from, how paging goes on and stops, and what child
jobs would be called with. The state of the previous run is in/state.json beside
the configuration, or else, as for a run outside of the platform, out/state.json.
Nothing is sent; secrets are masked.

Exit codes: 0 all is shown, 1 the configuration has errors or a request cannot be
made; stderr says why.`,
		Example: `  extractor plan config.json
  extractor plan ./data --var region=eu --curl
  extractor plan ./data --full
  extractor plan config.json --json | jq -r '.requests[0].url'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completion.First(completion.Files("json")),
		RunE: func(cmd *cobra.Command, args []string) error {
			texts, err := configurations(args, o.DataDir)
			if err != nil {
				return err
			}
			p, err := planned(cmd, o, texts[0].file, texts[0].text, full)
			if err != nil {
				*code = failure.ExitCode(err)
				if !errors.Is(err, errFindings) {
					fmt.Fprintln(cmd.ErrOrStderr(), err)
				}
			}
			switch {
			case p == nil:
				return nil
			case asJSON:
				return p.WriteJSON(cmd.OutOrStdout())
			case asCurl:
				return p.WriteCurl(cmd.OutOrStdout())
			default:
				return p.WriteText(cmd.OutOrStdout())
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the requests as JSON")
	cmd.Flags().BoolVar(&asCurl, "curl", false, "write the requests as commands of curl")
	cmd.Flags().BoolVar(&full, "full", false, "show the requests of a run without the state of the run before")
	cmd.MarkFlagsMutuallyExclusive("json", "curl")
	return cmd
}

// errFindings is the error for findings that are on stderr already.
var errFindings = failure.Userf("the configuration has errors")

// planned previews a configuration without errors. With an error of a request it may
// return a preview of those before it.
func planned(cmd *cobra.Command, o *app.Options, file string, text []byte, full bool) (*plan.Preview, error) {
	options, err := loadOptions(o)
	if err != nil {
		return nil, err
	}
	stderr := cmd.ErrOrStderr()
	report := diagnostic.Check(cmd.Context(), file, text, options)
	if report.Failed() {
		if err := diagnostic.WriteText(stderr, []*diagnostic.Report{report}, app.Colours(stderr, os.Getenv)); err != nil {
			return nil, err
		}
		return nil, errFindings
	}
	dir, err := datadir.Open(filepath.Dir(file)) // it has in/state.json and out/state.json
	if err != nil {
		return nil, err
	}
	previous, err := app.PreviousState(dir, os.Getenv, full)
	if err != nil {
		return nil, err
	}
	if previous.Warning != "" {
		fmt.Fprintln(stderr, "warning:", previous.Warning)
	}
	if previous.Path != "" {
		fmt.Fprintln(stderr, previous.Reused().Message())
	}
	return plan.Of(cmd.Context(), text, plan.Options{Options: options, State: previous.State, LoginsOnly: full, Version: version, Token: os.Getenv("KBC_TOKEN")})
}
