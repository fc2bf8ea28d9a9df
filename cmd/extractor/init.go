package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/keboola/configurable-extractor/pkg/authoring/scaffold"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/gallery"
)

// listRecipes is the argument that lists all recipes or APIs.
const listRecipes = "list"

// newInit returns the command that creates a configuration.
func newInit() *cobra.Command {
	var name string
	var yes bool
	o := scaffold.Options{Getenv: os.Getenv, Version: programVersion()}
	cmd := &cobra.Command{
		Use:   "init [URL]",
		Short: "Create a configuration from an example request or a recipe",
		Long: `Creates a configuration from one example request and its response: it infers where
the data is, how the API pages, and which parts are credentials. The example is a
URL, a curl command, or a HAR file saved by your browser. Each guess is shown with
its evidence. At a terminal you choose if there is more than one option.

With --api it writes a complete configuration for a well-known API, with the
credentials of the example if you give one. At a terminal it prompts for the
values that only you know, and writes secrets to the file .env, where a run finds
them. Otherwise it lists the values that you must fill in. With --recipe it writes
a complete configuration for a common kind of API, which you then change. Without
an example, --api and --recipe it lists the recipes.

It never overwrites a file. Credentials of the example are written to the file,
under keys that begin with #, and are hidden in all other output.`,
		Example: `  extractor init https://api.example.com/v1/orders --out data/config.json
  extractor init --curl "curl -H 'X-Api-Key: 123' 'https://api.example.com/v1/orders?page=1'" --out data/config.json
  pbpaste | extractor init --curl - --out data/config.json
  extractor init --har browser.har --url-contains /orders --out data/config.json
  extractor init --api stripe --out data/config.json
  extractor init --recipe offset --out data/config.json`,
		Args: atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.URL = args[0]
			}
			o.Stdin, o.Stdout, o.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			o.Ask = !yes && terminal(o.Stdin) && terminal(o.Stderr)
			o.ReadSecret = secretReader(o.Stdin, o.Stderr)
			err := runInit(cmd.Context(), name, cmd.Flags().Changed("recipe"), o)
			return exit(failure.ExitCode(err), err)
		},
	}
	f := cmd.Flags()
	f.StringVar(&name, "recipe", listRecipes, "`name` of the recipe; use list to list them")
	f.StringVar(&o.API, "api", "", "`name` of a well-known API; use list to list them")
	f.StringVar(&o.Curl, "curl", "", "the example as a curl `command`; use - to read it from standard input")
	f.StringVar(&o.HAR, "har", "", "HTTP archive `FILE` with the example; the exchange with the largest list is used")
	f.StringVar(&o.URLContains, "url-contains", "", "use only exchanges of the archive with this `text` in their URL")
	f.StringVar(&o.Choice.DataField, "data-field", "", "`path` of the data in the response, instead of the inferred one")
	f.StringVar(&o.Choice.Paging, "paging", "", "paging `method`, instead of the inferred one; none for a single request")
	f.StringVar(&o.Choice.PrimaryKey, "primary-key", "", "`property` of the items to use as the primary key, in a mapping")
	f.BoolVar(&yes, "yes", false, "accept all guesses without questions")
	f.StringVar(&o.Out, "out", "", "write to this new `FILE` instead of stdout; its directory is created")
	return cmd
}

// runInit creates the configuration that the flags describe.
func runInit(ctx context.Context, name string, byRecipe bool, o scaffold.Options) error {
	sources := 0
	for _, given := range []bool{byRecipe, o.URL != "", o.Curl != "", o.HAR != ""} {
		if given {
			sources++
		}
	}
	isRecipe := func(r gallery.Recipe) bool { return r.Name == o.URL }
	switch {
	case sources > 1:
		return failure.Userf("expected only one of a URL, --curl, --har and --recipe")
	case byRecipe && o.API != "":
		return failure.Userf("expected --api or --recipe, not both")
	case o.URLContains != "" && o.HAR == "":
		return failure.Userf("--url-contains needs --har FILE")
	case slices.ContainsFunc(gallery.Recipes(), isRecipe):
		return failure.Userf("%s is a recipe; use --recipe %s", o.URL, o.URL)
	case o.Curl == "-":
		text, err := io.ReadAll(o.Stdin)
		if err != nil {
			return failure.Userf("cannot read the curl command: %w", err)
		}
		o.Curl, o.Ask = string(text)+"\n", false
	}
	switch {
	case o.API == listRecipes:
		return printLines(o.Stdout, gallery.All())
	case o.API != "" || sources == 1 && !byRecipe:
		return scaffold.Example(ctx, o)
	case name != listRecipes:
		return scaffold.Recipe(o.Stdout, o.Stderr, name, o.Out)
	case o.Out != "":
		return failure.Userf("--out needs a URL, --curl, --har, --api NAME or --recipe NAME")
	default:
		return printLines(o.Stdout, gallery.Recipes())
	}
}

func printLines[T fmt.Stringer](out io.Writer, all []T) error {
	for _, one := range all {
		if _, err := fmt.Fprintln(out, one); err != nil {
			return err
		}
	}
	return nil
}

func terminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// secretReader returns a function that shows a question on a terminal and reads a line
// without echo. The function returns an error if in is not a terminal.
func secretReader(in io.Reader, out io.Writer) func(question string) (string, error) {
	file, ok := in.(*os.File)
	lines := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "")
	return func(question string) (text string, err error) {
		if !ok {
			return "", failure.Applicationf("a secret can be read from a terminal only")
		}
		before, err := term.MakeRaw(int(file.Fd()))
		if err == nil {
			text, err = lines.ReadPassword(question)
			err = errors.Join(err, term.Restore(int(file.Fd()), before))
		}
		if err != nil {
			return "", failure.Userf("the question was not answered: %w", err)
		}
		return text, nil
	}
}
