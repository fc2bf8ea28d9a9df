// Package commandtree finds commands of a program that lack what every command
// must have: an example in its help that really works, and scripts that run it
// with each of its flags. It is for the tests of the programs.
package commandtree

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Examples wants for each visible command an example that begins with the
// command, and of each example that all its commands, flags and arguments exist.
// root makes the program again for each of them. What is missing comes in words.
func Examples(root func() *cobra.Command) (missing []string) {
	for _, c := range visible(root()) {
		path, own := c.CommandPath(), false
		for _, line := range lines(strings.TrimSpace(c.Example)) {
			if line == "" {
				break
			}
			ran, err := parse(root(), line)
			if err != nil {
				missing = append(missing, fmt.Sprintf("the example of '%s' does not work: %s: %v", path, strings.TrimSpace(line), err))
				continue
			}
			own = own || strings.HasPrefix(ran, path)
		}
		if !own {
			missing = append(missing, fmt.Sprintf("'%s --help' shows no example of it", path))
		}
	}
	return missing
}

// Scripts wants each visible command of a program, and each of its flags, to be
// used by one of the texts, which are scripts for testscript or shells. A flag
// that a command inherits counts wherever it is used.
func Scripts(root func() *cobra.Command, scripts []string) (missing []string) {
	used := map[string]bool{}
	program := root()
	for _, script := range scripts {
		for _, line := range lines(script) {
			if c, args, err := find(program, line); err == nil {
				used[c.CommandPath()] = true
				for _, f := range flagsIn(c, args) {
					used[owner(c, f)+" --"+f.Name] = true
				}
			}
		}
	}
	for _, c := range visible(program) {
		path := c.CommandPath()
		if c.Runnable() && !used[path] {
			missing = append(missing, fmt.Sprintf("no script runs '%s'", path))
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name := path + " --" + f.Name; owner(c, f) == path && f.Name != "help" && !f.Hidden && !used[name] {
				missing = append(missing, fmt.Sprintf("no script runs '%s'", name))
			}
		})
	}
	return missing
}

// visible are the commands that a user sees, but for cobra's help.
func visible(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, child := range c.Commands() {
		if !child.Hidden && child.Name() != "help" {
			all = append(all, visible(child)...)
		}
	}
	return all
}

// lines are the lines of a text, those that a backslash parts joined.
func lines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")
}

// word is one word of a shell, in quotes or not.
var word = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)

// find is the command that a line runs, and its arguments. What comes before the
// program and after the command is not looked at.
func find(root *cobra.Command, line string) (*cobra.Command, []string, error) {
	words := word.FindAllString(strings.TrimSpace(line), -1)
	if len(words) > 0 && strings.HasPrefix(words[0], "#") {
		return nil, nil, errNoCommand
	}
	at := slices.IndexFunc(words, func(w string) bool { return strings.TrimPrefix(w, "<(") == root.Name() })
	if at < 0 {
		return nil, nil, errNoCommand
	}
	words = words[at+1:]
	if end := slices.IndexFunc(words, endsCommand); end >= 0 {
		words = words[:end]
	}
	for i, w := range words {
		words[i] = strings.NewReplacer(`'`, "", `"`, "", ")", "").Replace(w)
	}
	return root.Find(words)
}

// endsCommand reports whether a word belongs to the shell.
func endsCommand(w string) bool {
	return strings.ContainsAny(w[:1], "&|>#")
}

var errNoCommand = errors.New("it does not run the program")

// parse reads a line as the program would, up to running it, and returns the path
// of its command.
func parse(root *cobra.Command, line string) (path string, err error) {
	c, args, err := find(root, line)
	if err == nil {
		err = c.ParseFlags(args)
	}
	if err == nil {
		err = c.ValidateRequiredFlags()
	}
	if err == nil {
		err = c.ValidateFlagGroups()
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil {
		return "", err
	}
	return c.CommandPath(), nil
}

// flagsIn are the flags of a command that its arguments name.
func flagsIn(c *cobra.Command, args []string) []*pflag.Flag {
	var found []*pflag.Flag
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if f := c.Flag(name); f != nil && strings.HasPrefix(arg, "--") {
			found = append(found, f)
		}
	}
	return found
}

// owner is the path of the command that declares a flag: the one itself or one
// above it.
func owner(c *cobra.Command, f *pflag.Flag) string {
	for at := c.Parent(); at != nil; at = at.Parent() {
		if at.PersistentFlags().Lookup(f.Name) == f {
			return at.CommandPath()
		}
	}
	return c.CommandPath()
}
