// Package shellcompletion completes command lines in a shell: values of flags, arguments
// and files. It does not depend on the commands of the program.
package shellcompletion

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// OneOf completes one of the values.
func OneOf(values ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// Files completes files with the extension, given without a dot, and directories.
func Files(extension string) cobra.CompletionFunc {
	return cobra.FixedCompletions([]cobra.Completion{extension}, cobra.ShellCompDirectiveFilterFileExt)
}

// AnyFile completes files of any name.
func AnyFile() cobra.CompletionFunc {
	return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
}

// Directories completes directories only.
func Directories() cobra.CompletionFunc {
	return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
}

// First completes the first argument. It offers no completions for further arguments.
func First(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, begun)
	}
}

// Install adds the command `completion`, which prints the script for a shell, and
// registers completions for flags by name. Other flags, and arguments of commands without
// arguments, get no completions. Call Install once, after all commands are added to root.
func Install(root *cobra.Command, flags map[string]cobra.CompletionFunc) {
	below(root, flags)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			describe(c, root.Name())
		}
	}
}

func below(c *cobra.Command, flags map[string]cobra.CompletionFunc) {
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { flag(c, f, flags) })
	c.PersistentFlags().VisitAll(func(f *pflag.Flag) { flag(c, f, flags) })
	if c.ValidArgsFunction == nil && c.ValidateArgs([]string{"any"}) != nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, child := range c.Commands() {
		below(child, flags)
	}
}

func flag(c *cobra.Command, f *pflag.Flag, flags map[string]cobra.CompletionFunc) {
	complete, known := flags[f.Name]
	if !known {
		complete = cobra.NoFileCompletions
	}
	if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
		panic(err) // two completions for one flag are a mistake in this program
	}
}

// describe gives the command `completion` help texts in the style of the other commands.
func describe(c *cobra.Command, program string) {
	c.Short = "Print a script that completes commands, flags and their values in a shell"
	c.Long = fmt.Sprintf("Prints a script that completes commands, flags and their values in your shell.\nSee '%s completion SHELL --help' for how to install it.", program)
	c.Example = fmt.Sprintf("  source <(%[1]s completion bash)\n  %[1]s completion zsh > _%[1]s", program)
	for _, shell := range c.Commands() {
		shell.Short = "Print the script for " + shell.Name()
		shell.Example = fmt.Sprintf("  %[1]s completion %[2]s\n  %[1]s completion %[2]s --no-descriptions", program, shell.Name())
	}
}
