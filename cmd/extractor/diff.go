package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/completion"
	"github.com/keboola/configurable-extractor/pkg/authoring/diff"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// The exit codes of the command diff are those of diff(1).
const (
	exitDifferent = 1
	exitTrouble   = 2
)

// newDiff makes the command that compares the tables of two runs.
func newDiff(code *int) *cobra.Command {
	var o diff.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff DIR1 DIR2",
		Short: "Compare the tables of two runs",
		Long: `Compares the tables in out/tables of two data directories, or two directories of
tables: which are there, their columns, what their manifests say, and their rows,
whatever the order of the rows. Where both manifests name the same primary key
rows are compared by it, else as a whole.

Some of the rows that differ are shown, with the data that is in them; --samples 0
shows none. The secrets in config.json of a data directory are masked. Rows are sorted in files in $TMPDIR, which needs room for both tables.

Exit codes: 0 the tables are equal, 1 they are not, 2 they cannot be compared.`,
		Example: `  extractor diff expected shop
  extractor diff before/out/tables after/out/tables --json`,
		ValidArgsFunction: completion.Directories(),
		RunE: func(cmd *cobra.Command, args []string) error {
			*code = exitTrouble // unless the comparison succeeds
			if len(args) != 2 {
				return errors.New("expected two directories: extractor diff DIR1 DIR2")
			}
			secrets := &secret.Registry{}
			for _, dir := range args {
				if err := addSecrets(secrets, dir); err != nil {
					return err
				}
			}
			o.Redact = secrets.Redact
			report, err := diff.Directories(cmd.Context(), args[0], args[1], o)
			if err != nil {
				return errors.New(secrets.Redact(err.Error()))
			}
			out := cmd.OutOrStdout()
			if asJSON {
				err = report.WriteJSON(out)
			} else {
				err = report.WriteText(out, args[0], args[1])
			}
			if err == nil && report.Equal {
				*code = 0
			} else if err == nil {
				*code = exitDifferent
			}
			return err
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		*code = exitTrouble
		return err
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the differences as one JSON document")
	cmd.Flags().IntVar(&o.Samples, "samples", 5, "how many rows of each kind of difference are shown of a table")
	return cmd
}

// addSecrets adds the secrets of a data directory's configuration, if there is one: an
// API may have returned them as data.
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
		return fmt.Errorf("cannot tell which secrets to mask, %s: %w", path, err)
	}
	secrets.AddDocument(document)
	return nil
}
