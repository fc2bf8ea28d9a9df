package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/plan"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// newPlan returns the command that shows the requests of a run.
func newPlan() *cobra.Command {
	var o app.Options
	var asJSON, asCurl, full bool
	write := func(p *plan.Preview, to io.Writer) error {
		switch {
		case asJSON:
			return p.WriteJSON(to)
		case asCurl:
			return p.WriteCurl(to)
		default:
			return p.WriteText(to)
		}
	}
	cmd := &cobra.Command{
		Use:   "plan [FILE|DIR]",
		Short: "Show the first requests of a run, without a network",
		Long: `Shows the first request of each job exactly as a run would send it, where its
parts come from, how pagination continues and stops, and the values that child jobs
receive. It sends no requests and masks secrets.

The argument is a configuration or a directory with config.json. Without an argument
it is the data directory. The state of the previous run is read from in/state.json
in the data directory or, on your computer, from out/state.json. The data directory
of a file is --data, otherwise the directory of the file.

Exit codes: 0 all requests are shown, 1 the configuration has errors or a request
cannot be built.`,
		Example: `  extractor plan config.json
  extractor plan my-data --var region=eu --curl
  extractor plan my-data --full
  extractor plan config.json --json | jq -r '.requests[0].url'`,
		Args:              atMostOne,
		ValidArgsFunction: shellcompletion.First(shellcompletion.Files("json")),
		RunE: func(cmd *cobra.Command, args []string) error {
			texts, err := configurations(cmd, args, o.DataDir)
			if err != nil {
				return err
			}
			p, failed := planned(cmd, &o, texts[0], full)
			if p != nil {
				if err := write(p, cmd.OutOrStdout()); err != nil {
					return errors.Join(failed, err)
				}
			}
			if errors.Is(failed, errFindings) {
				return exit(failure.ExitUser, nil)
			}
			return exit(failure.ExitCode(failed), failed)
		},
	}
	dataFlags(cmd.Flags(), &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the requests as JSON")
	cmd.Flags().BoolVar(&asCurl, "curl", false, "write the requests as curl commands")
	cmd.Flags().BoolVar(&full, "full", false, "show the requests of a run with --full, without the state of the previous run")
	cmd.MarkFlagsMutuallyExclusive("json", "curl")
	return cmd
}

// errFindings is the error after the findings were printed to stderr.
var errFindings = failure.Userf("the configuration has errors")

// planned returns a preview of a configuration without errors. If a request fails, it may
// return a preview of the earlier requests together with the error.
func planned(cmd *cobra.Command, o *app.Options, c configuration, full bool) (*plan.Preview, error) {
	options, err := loadOptions(cmd, o)
	if err != nil {
		return nil, err
	}
	stderr := cmd.ErrOrStderr()
	report := diagnostic.Check(cmd.Context(), c.file, c.text, options)
	if report.Failed() {
		if err := diagnostic.WriteText(stderr, []*diagnostic.Report{report}, app.Colours(stderr, os.Getenv)); err != nil {
			return nil, err
		}
		return nil, errFindings
	}
	dir, err := datadir.Open(c.dataDir) // it has in/state.json and out/state.json
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
		fmt.Fprintln(stderr, event.MessageOf(previous.Reused()))
	}
	return plan.Of(cmd.Context(), c.text, plan.Options{Options: options, State: previous.State, LoginsOnly: full, Version: programVersion(), Token: os.Getenv("KBC_TOKEN")})
}
