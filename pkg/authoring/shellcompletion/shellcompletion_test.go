package shellcompletion

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
)

func TestInstall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"values", []string{"--colour", ""}, "red\ngreen\n:4\n"},
		{"a flag for all commands", []string{"paint", "--room", ""}, ":16\n"},
		{"files", []string{"paint", "--plan", ""}, "json\n:8\n"},
		{"any file", []string{"paint", "--note", ""}, ":0\n"},
		{"a flag that takes anything", []string{"paint", "--name", ""}, ":4\n"},
		{"the first argument", []string{"paint", ""}, "wall\ndoor\n:4\n"},
		{"the second argument", []string{"paint", "wall", ""}, ":4\n"},
		{"no argument at all", []string{"look", ""}, ":4\n"},
		{"an argument no one knows", []string{"carry", ""}, ":0\n"},
		{"shells", []string{"completion", "p"}, "powershell\tPrint the script for powershell\n:4\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			run := func(*cobra.Command, []string) {}
			root := &cobra.Command{Use: "house", Args: cobra.NoArgs, Run: run}
			root.Flags().String("colour", "", "")
			root.PersistentFlags().String("room", "", "")
			paint := &cobra.Command{Use: "paint", ValidArgsFunction: First(OneOf("wall", "door")), Run: run}
			for _, name := range []string{"plan", "note", "name"} {
				paint.Flags().String(name, "", "")
			}
			root.AddCommand(paint, &cobra.Command{Use: "look", Args: cobra.NoArgs, Run: run}, &cobra.Command{Use: "carry", Args: cobra.ExactArgs(1), Run: run})
			Install(root, map[string]cobra.CompletionFunc{
				"colour": OneOf("red", "green"), "room": Directories(), "plan": Files("json"), "note": AnyFile(),
			})
			var out, rest bytes.Buffer
			root.SetOut(&out)
			root.SetErr(&rest)
			root.SetArgs(append([]string{cobra.ShellCompRequestCmd}, tc.args...))
			if err := root.Execute(); err != nil || out.String() != tc.want {
				t.Errorf("%q, want %q; %v, %s", &out, tc.want, err, &rest)
			}
		})
	}
}
