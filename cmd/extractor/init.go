package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/recipe"
)

// listRecipes stands for the list where a name is expected.
const listRecipes = "list"

// newInit is the command that begins a configuration. The exit code of what
// failed goes to code.
func newInit(code *int) *cobra.Command {
	var name, file string
	cmd := &cobra.Command{
		Use:   "init [--recipe NAME]",
		Short: "Begin a configuration from a recipe",
		Long: `Writes a complete configuration for a common kind of API, to be changed into
your own. Without --recipe the recipes are listed; docs/recipes explains each.
A file that exists is never overwritten.`,
		Example: `  extractor init
  extractor init --recipe offset
  extractor init --recipe client-credentials --out data/config.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := begin(cmd.OutOrStdout(), cmd.ErrOrStderr(), name, file)
			if err != nil {
				*code = failure.ExitCode(err)
				_, err = fmt.Fprintln(cmd.ErrOrStderr(), err)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&name, "recipe", listRecipes, "name of the recipe, or list")
	cmd.Flags().StringVar(&file, "out", "", "new file to write instead of printing")
	return cmd
}

// begin writes a recipe to a new file, or without one to out; or lists all of
// them.
func begin(out, progress io.Writer, name, file string) error {
	if name == listRecipes {
		if file != "" {
			return failure.Userf("--out needs --recipe NAME")
		}
		return list(out)
	}
	text, err := recipe.Config(name)
	if err != nil {
		return err
	}
	if file == "" {
		_, err = out.Write(text)
		return err
	}
	if err := create(file, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(progress, "the recipe %s is in %s\n", name, file)
	return err
}

func list(out io.Writer) error {
	for _, r := range recipe.All() {
		if _, err := fmt.Fprintf(out, "%-18s  %s\n", r.Name, r.Summary); err != nil {
			return err
		}
	}
	return nil
}

// create writes a file that must not exist yet. Secrets will be put there, so
// it is its owner's only.
func create(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return failure.Userf("%s exists already and is left alone, choose another file", path)
	case err != nil:
		return failure.Userf("cannot write the configuration: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return failure.Userf("cannot write the configuration: %w", errors.Join(err, os.Remove(path)))
	}
	return nil
}
