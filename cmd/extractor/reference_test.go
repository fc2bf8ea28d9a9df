package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keboola/configurable-extractor/internal/golden"
)

// TestCommandLinePage: docs/reference/command-line.md has every command and flag;
// -update writes it.
func TestCommandLinePage(t *testing.T) {
	golden.File(t, filepath.Join("..", "..", "docs", "reference", "command-line.md"), commandLinePage(newRoot()))
}

const pageBegin = `# Command line

This page lists every command of ` + "`extractor`" + ` with its flags, as ` + "`--help`" + ` shows them. It is generated: ` + "`go test ./cmd/extractor -run TestCommandLinePage -update`" + `.

See also: [exit codes](exit-codes.md), [files](files.md), [events](events.md), [how to run on the platform](../how-to/platform.md).

| command | purpose |
|---|---|
`

const pageFiles = `
## Arguments FILE and DIR

` + "`run`, `plan` and `validate`" + ` accept the same argument: a configuration or a directory.

| argument | configuration | data directory |
|---|---|---|
| none | ` + "`config.json`" + ` in the data directory | ` + "`--data`, otherwise `$KBC_DATADIR`, otherwise `/data`" + ` |
| ` + "`DIR`" + ` | ` + "`DIR/config.json`" + ` | ` + "`DIR`" + ` |
| ` + "`DIR/config.json`" + ` | that file | ` + "`--data`, otherwise `DIR`" + ` |
| ` + "`DIR/orders.json`" + `, any other name | that file | ` + "`--data`, which `run` requires, so that two configurations in one directory do not replace each other's tables" + ` |

A ` + "`DIR`" + ` together with ` + "`--data`" + ` is an error. ` + "`plan`" + ` reads the state of the previous run from the data directory. For a file with another name and without ` + "`--data`" + `, this is the directory of the file. ` + "`validate`" + ` accepts several files and directories, and reads only the configurations.

## Output of a run

| situation | stdout | stderr |
|---|---|---|
| stdout and stderr are a terminal | readable events; the last line lists the written files | live progress of the running jobs; a failure, once, with its line of the configuration |
| only stderr is a terminal | JSON lines | a failure with its line of the configuration; one line if a limit stopped the run |
| stderr is not a terminal | readable events at a terminal, otherwise JSON lines | one line if the run failed or a limit stopped it |
| ` + "`--log-format json`" + `, or the platform (` + "`KBC_RUNID`" + ` is set) | JSON lines | one line if the run failed or a limit stopped it |

With ` + "`--log-format console`" + ` the events are always readable, wherever stdout goes. On the platform, events may go to the log server, see [events](events.md#where-events-go).

Colours are used at a terminal unless ` + "`NO_COLOR`" + ` is set or ` + "`TERM`" + ` is ` + "`dumb`" + `.

## Settings of the platform commands

` + "`config` and `job`" + ` need the URL of the platform, a component ID and a token. A flag overrides the environment, and the environment overrides the file ` + "`.env`" + `:

| setting | flag | environment | file ` + "`.env`" + ` |
|---|---|---|---|
| URL | ` + "`--url`" + ` | ` + "`KBC_URL`" + ` | ` + "`KBC_URL`" + ` |
| URL of the job queue, optional | ` + "`--queue-url`" + ` | ` + "`KBC_QUEUE_URL`" + ` | ` + "`KBC_QUEUE_URL`" + ` |
| component ID | ` + "`--component`" + ` | ` + "`KBC_COMPONENTID`" + ` | ` + "`KBC_COMPONENTID`" + ` |
| token | ` + "`--token-file`, a file with the token" + ` | ` + "`KBC_TOKEN`" + ` | ` + "`KBC_TOKEN`" + ` |

No flag accepts the token itself, because every user of a computer can see the arguments of its processes. No command prints the token.

` + "`.env`" + ` is read from the working directory. Each line is ` + "`NAME=value`" + `, optionally with ` + "`export`" + ` before it. A value in single or double quotes may have several lines. Without quotes, a ` + "`#`" + ` after a space begins a comment. Nothing in a value is expanded. Other names are ignored. A line that is not a setting is an error. If the token comes from the file and other users can read the file, the command prints a warning. ` + "`run`" + `, ` + "`plan`" + ` and ` + "`validate`" + ` read from ` + "`.env`" + ` only the variables ` + "`EXTRACTOR_VAR_…`" + ` of ` + "`{\"env\": …}`" + ` that the environment does not have, see [Secrets](../how-to/secrets.md#the-environment).
`

// commandLinePage is the page docs/reference/command-line.md.
func commandLinePage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(pageBegin)
	all := documented(root)
	for _, c := range all {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	b.WriteString(pageFiles)
	for _, c := range all {
		commandSection(&b, c)
	}
	return b.String()
}

// documented are the commands on the page: those of the program, in the order of its
// help, and of the command completion the one for all shells.
func documented(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	if c.Name() == "completion" {
		return all
	}
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() && child.Name() != "help" {
			all = append(all, documented(child)...)
		}
	}
	return all
}

func commandSection(b *strings.Builder, c *cobra.Command) {
	usage := strings.TrimSuffix(c.UseLine(), " [flags]")
	if c.HasAvailableSubCommands() && c.HasParent() {
		usage += " COMMAND"
	}
	fmt.Fprintf(b, "\n## %s\n\n`%s`\n\n", c.CommandPath(), usage)
	if c.Long == "" {
		fmt.Fprintf(b, "%s.\n", c.Short)
	} else {
		b.WriteString(inMarkdown(c.Long))
	}
	var flags []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			flags = append(flags, fmt.Sprintf("| %s | %s |\n", flagName(f), flagMeaning(f)))
		}
	})
	if flags != nil {
		fmt.Fprintf(b, "\n| flag | meaning |\n|---|---|\n%s", strings.Join(flags, ""))
	}
	fmt.Fprintf(b, "\n```bash\n%s\n```\n", unindented(c.Example))
}

// inMarkdown is a help text as Markdown: what is indented there is a block of text.
func inMarkdown(help string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimSpace(help), "\n\n") {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		if strings.HasPrefix(part, "  ") {
			fmt.Fprintf(&b, "```text\n%s\n```\n", unindented(part))
		} else {
			b.WriteString(literals(strings.ReplaceAll(part, "\n", " ")) + "\n")
		}
	}
	return b.String()
}

var (
	literal  = regexp.MustCompile(`'(extractor [^']*)'|(--[a-z][a-z-]*)|(\$[A-Z_]+)|(\b(?:in|out)/[a-z]+(?:\.json)?|[a-z]+\.(?:json|html)|\.env\b)`)
	pageName = regexp.MustCompile(`docs/([a-z-]+)/([a-z-]+)\.md`)
)

// literals marks commands, flags, variables and files, and links pages.
func literals(text string) string {
	text = literal.ReplaceAllString(text, "`$1$2$3$4`")
	return pageName.ReplaceAllString(text, "[docs/$1/$2.md](../$1/$2.md)")
}

func flagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind, _ := pflag.UnquoteUsage(f); kind != "" {
		name += " " + kind
	}
	return "`" + name + "`"
}

// flagMeaning is the text of a flag, and its default unless the text has it.
func flagMeaning(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	text = literals(strings.ReplaceAll(text, "|", `\|`))
	switch {
	case strings.Contains(text, "(default"), f.DefValue == "", f.DefValue == "[]", f.DefValue == "false", f.DefValue == "0", f.DefValue == "0s":
		return text
	default:
		return fmt.Sprintf("%s (default `%s`)", text, f.DefValue)
	}
}

func unindented(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		lines = append(lines, strings.TrimPrefix(line, "  "))
	}
	return strings.Join(lines, "\n")
}
