package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/diff"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// The exit codes of the command diff, the same as for diff(1).
const (
	exitDifferent = 1
	exitTrouble   = 2
)

// newDiff returns the command that compares the tables of two runs.
func newDiff() *cobra.Command {
	var o diff.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff DIR1 DIR2",
		Short: "Compare the tables of two runs",
		Long: `Compares the tables in out/tables of two data directories, or two directories of
tables: their names, columns, manifests and rows. The order of rows does not
matter. If both manifests of a table have the same primary key, rows are matched
by it. Otherwise complete rows are compared.

It shows the data of some rows that differ, unless you set --samples 0. The
secrets in config.json of a data directory are masked. Rows are sorted in files in
$TMPDIR, which needs space for both tables.

Exit codes: 0 the tables are equal, 1 they differ, 2 they cannot be compared.`,
		Example: `  extractor diff expected shop
  extractor diff before/out/tables after/out/tables --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := exactly(2)(cmd, args); err != nil {
				return exit(exitTrouble, err)
			}
			return nil
		},
		ValidArgsFunction: shellcompletion.Directories(),
		RunE: func(cmd *cobra.Command, args []string) error {
			equal, err := compare(cmd, args[0], args[1], o, asJSON)
			switch {
			case err != nil:
				return exit(exitTrouble, err)
			case !equal:
				return exit(exitDifferent, nil)
			default:
				return nil
			}
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return exit(exitTrouble, wrongFlag(cmd, err)) })
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the differences as one JSON document")
	cmd.Flags().IntVar(&o.Samples, "samples", 5, "show at most `N` rows for each kind of difference in a table")
	return cmd
}

func compare(cmd *cobra.Command, one, other string, o diff.Options, asJSON bool) (equal bool, err error) {
	secrets := &secret.Registry{}
	for _, dir := range []string{one, other} {
		if err := addSecrets(secrets, dir); err != nil {
			return false, err
		}
	}
	o.Redact = secrets.Mask
	report, err := diff.Directories(cmd.Context(), one, other, o)
	if err != nil {
		return false, errors.New(secrets.Mask(err.Error()))
	}
	if asJSON {
		err = textfmt.WriteJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.WriteText(cmd.OutOrStdout(), one, other)
	}
	return report.Equal, err
}

// addSecrets registers the secrets in the configuration of a data directory, if it has one.
// Tables may contain them, because an API may return them as data.
func addSecrets(secrets *secret.Registry, dir string) error {
	path := filepath.Join(dir, "config.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the secrets to mask: %w", err)
	}
	document, err := config.Parse(text)
	if err != nil {
		return fmt.Errorf("cannot find the secrets to mask in %s: %w", path, err)
	}
	variables.AddSecrets(secrets, document, true)
	return nil
}
