package commandtree

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// house is a program with one command and all kinds of flags.
func house(example string) func() *cobra.Command {
	return func() *cobra.Command {
		run := func(*cobra.Command, []string) {}
		root := &cobra.Command{Use: "house", Example: "  house paint red"}
		root.PersistentFlags().Bool("quick", false, "")
		paint := &cobra.Command{Use: "paint COLOUR", Example: example, Args: cobra.ExactArgs(1), Run: run}
		paint.Flags().Int("coats", 1, "")
		paint.Flags().Int("secret", 1, "")
		if err := paint.Flags().MarkHidden("secret"); err != nil {
			panic(err)
		}
		root.AddCommand(paint, &cobra.Command{Use: "ghost", Hidden: true, Run: run})
		return root
	}
}

func TestExamples(t *testing.T) {
	for _, tc := range []struct {
		name, example string
		missing       []string
	}{
		{"good", "  house paint 'dark red' --coats 2 > log # twice\n  cat x | house paint red", nil},
		{"none", "", []string{"'house paint --help' shows no example of it"}},
		{"of another command", "  house --quick", []string{"'house paint --help' shows no example of it"}},
		{"unknown flag", "  house paint red --layers 2\n  house paint red", []string{"the example of 'house paint' does not work: house paint red --layers 2: unknown flag: --layers"}},
		{"wrong value", "  house paint red --coats two\n  house paint red", []string{"invalid argument \"two\""}},
		{"too few arguments", "  house paint\n  house paint red", []string{"accepts 1 arg(s), received 0"}},
		{"another program", "  hut paint red", []string{"it does not run the program", "shows no example of it"}},
	} {
		t.Run(tc.name, func(t *testing.T) { compare(t, Examples(house(tc.example)), tc.missing) })
	}
}

func TestScripts(t *testing.T) {
	for _, tc := range []struct {
		name, script string
		missing      []string
	}{
		{"all", "exec house paint red --coats=2\nexec house paint red --quick", nil},
		{"in pieces", "! exec house paint \\\n  --coats 2 --quick &stopped&", nil},
		{"nothing", "# house paint red", []string{"no script runs 'house --quick'", "no script runs 'house paint'", "no script runs 'house paint --coats'"}},
		{"the flags of another program", "exec house paint red > file --coats 2\nexec hut --quick", []string{"no script runs 'house --quick'", "no script runs 'house paint --coats'"}},
	} {
		t.Run(tc.name, func(t *testing.T) { compare(t, Scripts(house(""), []string{tc.script}), tc.missing) })
	}
}

// compare wants each of the texts in that place.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, strings.Contains) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
