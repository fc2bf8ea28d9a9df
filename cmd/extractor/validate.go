package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/completion"
	"github.com/keboola/configurable-extractor/pkg/authoring/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/load"
)

// newValidate makes the command that finds all problems of configurations. It uses the
// flags of a run too.
func newValidate(code *int, o *app.Options) *cobra.Command {
	var asJSON, asSARIF bool
	cmd := &cobra.Command{
		Use:   "validate [FILE|DIR]...",
		Short: "Look for everything that is wrong with a configuration, without a network",
		Long: `Reads configurations, or config.json in directories (default: the data
directory), and shows every problem with its place. Nothing is sent.

Exit codes: 0 nothing or warnings only, 1 errors in any of them.`,
		Example: `  extractor validate config.json
  extractor validate ./data --strict --var region=eu
  extractor validate configurations/*.json --json
  extractor validate config.json --sarif > findings.sarif`,
		ValidArgsFunction: completion.Files("json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			texts, err := configurations(args, o.DataDir)
			if err != nil {
				return err
			}
			options, err := loadOptions(o)
			if err != nil {
				return err
			}
			var reports []*diagnostic.Report
			for _, t := range texts {
				report := diagnostic.Check(cmd.Context(), t.file, t.text, options)
				if report.Failed() {
					*code = failure.ExitUser
				}
				reports = append(reports, report)
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				return diagnostic.WriteJSON(out, reports)
			case asSARIF:
				return diagnostic.WriteSARIF(out, reports, version)
			default:
				return diagnostic.WriteText(out, reports, app.Colours(out, os.Getenv))
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the findings as a JSON list")
	cmd.Flags().BoolVar(&asSARIF, "sarif", false, "write the findings as SARIF 2.1.0")
	cmd.MarkFlagsMutuallyExclusive("json", "sarif")
	return cmd
}

type configuration struct {
	file string
	text []byte
}

// configurations reads the files of the arguments, or config.json in their directories;
// without arguments that of the data directory.
func configurations(args []string, dataDir string) ([]configuration, error) {
	if len(args) == 0 {
		args = []string{app.DataDir(dataDir, os.Getenv)}
	}
	var all []configuration
	for _, file := range args {
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			file = filepath.Join(file, "config.json")
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, failure.Userf("cannot read the configuration: %w", err)
		}
		all = append(all, configuration{file, text})
	}
	return all, nil
}

// loadOptions makes the options of load from the flags of a run.
func loadOptions(o *app.Options) (load.Options, error) {
	values, err := variables.Flags(o.Variables)
	if err != nil {
		return load.Options{}, err
	}
	typed, err := app.TypedTables(os.Getenv)
	return load.Options{Variables: variables.Inputs{Flags: values}, Strict: o.Strict, Typed: typed, Now: time.Now, Getenv: os.Getenv}, err
}
