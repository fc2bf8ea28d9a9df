package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/completion"
	"github.com/keboola/configurable-extractor/pkg/component"
	"github.com/keboola/configurable-extractor/pkg/diagnostic"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/variables"
)

// newValidate is the command that looks for everything wrong with a
// configuration. The flags of the run count here too.
func newValidate(code *int, o *component.Options) *cobra.Command {
	var asJSON, asSARIF bool
	cmd := &cobra.Command{
		Use:   "validate [FILE|DIR]",
		Short: "Look for everything that is wrong with a configuration, without a network",
		Long: `Reads a configuration, or config.json in a directory (default: the data
directory), and shows every problem with its place. Nothing is sent.

Exit codes: 0 nothing or warnings only, 1 errors.`,
		Example: `  extractor validate config.json
  extractor validate ./data --strict --var region=eu
  extractor validate config.json --sarif > findings.sarif`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completion.First(completion.Files("json")),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, text, err := configuration(args, o.DataDir)
			if err != nil {
				return err
			}
			values, err := flagVariables(o.Variables)
			if err != nil {
				return err
			}
			typed, err := component.TypedTables(os.Getenv)
			if err != nil {
				return err
			}
			report := diagnostic.Check(cmd.Context(), text, diagnostic.Options{Variables: values, Strict: o.Strict, Typed: typed, Now: time.Now})
			if report.Failed() {
				*code = failure.ExitUser
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON:
				return report.WriteJSON(out)
			case asSARIF:
				return report.WriteSARIF(out, file, version)
			default:
				return report.WriteText(out, file, component.Colours(out, os.Getenv))
			}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the findings as a JSON list")
	cmd.Flags().BoolVar(&asSARIF, "sarif", false, "write the findings as SARIF 2.1.0")
	cmd.MarkFlagsMutuallyExclusive("json", "sarif")
	return cmd
}

// configuration reads the file that the arguments name, or config.json in the
// directory they name, or in the data directory.
func configuration(args []string, dataDir string) (file string, text []byte, err error) {
	switch {
	case len(args) > 0:
		file = args[0]
	case dataDir != "":
		file = dataDir
	case os.Getenv("KBC_DATADIR") != "":
		file = os.Getenv("KBC_DATADIR")
	default:
		file = "/data"
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, "config.json")
	}
	if text, err = os.ReadFile(file); err != nil {
		return "", nil, failure.Userf("cannot read the configuration: %w", err)
	}
	return file, text, nil
}

// flagVariables are the values of --var.
func flagVariables(pairs []string) ([]variables.Value, error) {
	var all []variables.Value
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, failure.Userf("--var expects name=value, found '%s'", name)
		}
		all = append(all, variables.Value{Name: name, Text: text})
	}
	return all, nil
}
