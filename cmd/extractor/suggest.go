package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// noArguments refuses arguments. For a group of commands an argument is reported as an
// unknown command.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasAvailableSubCommands():
		return fmt.Errorf("'%s' accepts no argument, found '%s'; see '%s --help'", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	text := fmt.Sprintf("unknown command '%s %s'", cmd.CommandPath(), args[0])
	if _, err := os.Stat(args[0]); err == nil && !cmd.HasParent() {
		return fmt.Errorf("%s; did you mean '%s run %s'?", text, cmd.CommandPath(), args[0])
	}
	if near, ok := failure.Nearest(args[0], commandNames(cmd)); ok {
		return fmt.Errorf("%s; did you mean '%s %s'?", text, cmd.CommandPath(), near)
	}
	return fmt.Errorf("%s; '%s --help' lists the commands", text, cmd.CommandPath())
}

// atMostOne refuses more than one argument.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("expected: %s, found %d arguments; see '%s --help'", strings.TrimSuffix(cmd.UseLine(), " [flags]"), len(args), cmd.CommandPath())
	}
	return nil
}

func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("expected: %s; see '%s --help'", strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.CommandPath())
		}
		return nil
	}
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

// wrongFlag adds a suggestion to the error of an unknown flag: a similar flag, or the
// command that has the flag.
func wrongFlag(cmd *cobra.Command, err error) error {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || missing.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())
	}
	name := missing.GetSpecifiedName()
	var own []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { own = append(own, f.Name) })
	if near, ok := failure.Nearest(name, own); ok {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	if other := withFlag(cmd.Root(), name); other != nil {
		return fmt.Errorf("%w; it is a flag of '%s'", err, other.CommandPath())
	}
	return fmt.Errorf("%w; '%s --help' lists the flags", err, cmd.CommandPath())
}

// withFlag returns the first command that has a flag, or nil.
func withFlag(cmd *cobra.Command, name string) *cobra.Command {
	if f := cmd.LocalFlags().Lookup(name); f != nil && !f.Hidden {
		return cmd
	}
	for _, c := range cmd.Commands() {
		if found := withFlag(c, name); found != nil {
			return found
		}
	}
	return nil
}
