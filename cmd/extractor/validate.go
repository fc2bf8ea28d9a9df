package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// newValidate returns the command that finds all problems of configurations.
func newValidate() *cobra.Command {
	var o app.Options
	var asJSON, asSARIF bool
	cmd := &cobra.Command{
		Use:   "validate [FILE|DIR]...",
		Short: "Find all problems in a configuration, without a network",
		Long: `Reads configurations and shows every problem with its line. An argument is a
configuration or a directory with config.json. Without an argument it reads the
data directory. It sends no requests.

Exit codes: 0 no problems or only warnings, 1 errors.`,
		Example: `  extractor validate config.json
  extractor validate my-data --strict --var region=eu
  extractor validate configurations/*.json --json
  extractor validate config.json --sarif > findings.sarif`,
		ValidArgsFunction: shellcompletion.Files("json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			texts, err := configurations(cmd, args, o.DataDir)
			if err != nil {
				return err
			}
			options, err := loadOptions(cmd, &o)
			if err != nil {
				return err
			}
			options.Variables.UsedElsewhere = usedIn(texts)
			code := failure.ExitOK
			var reports []*diagnostic.Report
			for _, t := range texts {
				report := diagnostic.Check(cmd.Context(), t.file, t.text, options)
				if report.Failed() {
					code = failure.ExitUser
				}
				reports = append(reports, report)
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				err = diagnostic.WriteJSON(out, reports)
			case asSARIF:
				err = diagnostic.WriteSARIF(out, reports, programVersion())
			default:
				err = diagnostic.WriteText(out, reports, app.Colours(out, os.Getenv))
			}
			if err != nil {
				return err
			}
			return exit(code, nil)
		},
	}
	dataFlags(cmd.Flags(), &o)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the findings as a JSON list")
	cmd.Flags().BoolVar(&asSARIF, "sarif", false, "write the findings as SARIF 2.1.0")
	cmd.MarkFlagsMutuallyExclusive("json", "sarif")
	return cmd
}

// usedIn returns the names of the variables in all configurations if there are several,
// because --var sets its values for all of them. It returns nil for a single configuration.
func usedIn(all []configuration) []string {
	var names []string
	for _, c := range all {
		if doc, err := config.Parse(c.text); err == nil && len(all) > 1 {
			names = append(names, variables.Placeholders(doc)...)
		}
	}
	return names
}

// loadOptions returns the options of package load for the flags of dataFlags.
func loadOptions(cmd *cobra.Command, o *app.Options) (load.Options, error) {
	values, err := variables.Flags(o.Variables)
	if err != nil {
		return load.Options{}, err
	}
	typed, err := app.TypedTables(os.Getenv)
	lookup := environment(cmd.ErrOrStderr())
	getenv := func(name string) string {
		text, _ := lookup(name)
		return text
	}
	return load.Options{Variables: variables.Inputs{Flags: values}, Strict: o.Strict, Typed: typed, Now: time.Now, Getenv: getenv}, err
}
