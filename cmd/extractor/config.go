package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/platform/control"
)

func newConfig() *cobra.Command {
	var c connection
	push, pull, list := newConfigPush(&c), newConfigPull(&c), newConfigList(&c)
	group := c.group("config", "Store, read and list configurations on the platform", `  extractor config push config.json
  extractor config list`,
		push, pull, list)
	hide("queue-url", push, pull, list)
	hide("json", pull) // it always prints JSON
	return group
}

func newConfigPush(c *connection) *cobra.Command {
	var p control.Push
	cmd := &cobra.Command{
		Use:   "push FILE",
		Short: "Store a new configuration, or a new version of one",
		Long: `Stores a new configuration or, with --config, a new version of a stored one. A new
version keeps the name and the variable configuration, unless a flag or the file
changes them. Earlier versions remain on the platform.`,
		Example: `  extractor config push config.json --name "Orders" --variables variables.json
  extractor config push config.json --config 123`,
		Args: exactly(1),

		ValidArgsFunction: shellcompletion.First(shellcompletion.Files("json")),
		RunE: c.runE(true, func(ctx context.Context, s *control.Session, args []string) (int, error) {
			p.File = args[0]
			return 0, s.Push(ctx, p)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&p.Configuration, "config", "", "`ID` of the configuration to update (default: create a new one)")
	flags.StringVar(&p.Name, "name", "", "`name` of the configuration (default: the stored name, otherwise the file name without .json)")
	flags.StringVar(&p.Variables, "variables", "", "`FILE` with the variable configuration; its id becomes variables_id")
	flags.StringVar(&p.VariablesComponent, "variables-component", variables.DefaultComponent, "`ID` of the component that has the variable configurations")
	return cmd
}

func newConfigPull(c *connection) *cobra.Command {
	var id, out string
	cmd := &cobra.Command{
		Use:   "pull --config ID",
		Short: "Print a stored configuration",
		Example: `  extractor config pull --config 123
  extractor config pull --config 123 --out config.json`,
		Args: noArguments,
		RunE: c.runE(true, func(ctx context.Context, s *control.Session, _ []string) (int, error) {
			return 0, s.Pull(ctx, id, out)
		}),
	}
	cmd.Flags().StringVar(&id, "config", "", "`ID` of the configuration (required)")
	cmd.Flags().StringVar(&out, "out", "", "write to this `FILE` instead of stdout, and replace an existing file")
	required(cmd, "config")
	return cmd
}

func newConfigList(c *connection) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the stored configurations of the component",
		Example: `  extractor config list
  extractor config list --json`,
		Args: noArguments,
		RunE: c.runE(true, func(ctx context.Context, s *control.Session, _ []string) (int, error) {
			return 0, s.List(ctx)
		}),
	}
}

func required(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err) // the flag is not declared
	}
}
