// Package shellcompletion completes commands in a shell: the values of their flags,
// their arguments, and the files that they take. It does not know any command.
package shellcompletion

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// OneOf are the values to choose from.
func OneOf(values ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// Files are those with the extension, without its dot, and the directories they
// may lie in.
func Files(extension string) cobra.CompletionFunc {
	return cobra.FixedCompletions([]cobra.Completion{extension}, cobra.ShellCompDirectiveFilterFileExt)
}

// AnyFile is a file of any name.
func AnyFile() cobra.CompletionFunc {
	return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
}

// Directories are directories only.
func Directories() cobra.CompletionFunc {
	return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
}

// First completes the first argument, and none after it.
func First(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, begun)
	}
}

// Install adds the command that prints the script for a shell, and completes
// the values of flags, by the name of the flag. For a flag that is not among
// them nothing is offered, nor for an argument of a command that takes none. It
// is called once, when all commands are there.
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
		panic(err) // there are two for one flag: a mistake of ours, not of the user
	}
}

// describe words the command in the way of the others.
func describe(c *cobra.Command, program string) {
	c.Short = "Print the script that makes a shell complete commands, flags and their values"
	c.Long = fmt.Sprintf("Prints the script that makes a shell complete commands, flags and their values.\n'%s completion SHELL --help' explains where to put it.", program)
	c.Example = fmt.Sprintf("  source <(%[1]s completion bash)\n  %[1]s completion zsh > _%[1]s", program)
	for _, shell := range c.Commands() {
		shell.Short = "Print the script for " + shell.Name()
		shell.Example = fmt.Sprintf("  %[1]s completion %[2]s\n  %[1]s completion %[2]s --no-descriptions", program, shell.Name())
	}
}
