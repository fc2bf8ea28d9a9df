package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/authoring/completion"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/platform/control"
)

// newConfig makes the commands for stored configurations.
func newConfig(code *int) *cobra.Command {
	var c connection
	return c.group("config", "Store, read and list configurations on the platform", `  extractor config push config.json
  extractor config list`,
		newConfigPush(code, &c), newConfigPull(code, &c), newConfigList(code, &c))
}

func newConfigPush(code *int, c *connection) *cobra.Command {
	var p control.Push
	cmd := &cobra.Command{
		Use:   "push FILE",
		Short: "Store a configuration, and its variable configuration before it",
		Long: `Stores a new configuration or, with --config, a new version of one that is
stored. A version keeps the name and the link to the variables unless the
command line or the file says otherwise; earlier versions stay on the platform.`,
		Example: `  extractor config push config.json --name "Orders" --variables variables.json
  extractor config push config.json --config 123`,
		Args: cobra.ExactArgs(1),

		ValidArgsFunction: completion.First(completion.Files("json")),
		RunE: c.work(code, true, func(ctx context.Context, s *control.Session, args []string) (int, error) {
			p.File = args[0]
			return 0, s.Push(ctx, p)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&p.Configuration, "config", "", "id of the configuration to update (default: a new one)")
	flags.StringVar(&p.Name, "name", "", "name of the configuration (default: the file's name without .json; of one that is updated, the name it has)")
	flags.StringVar(&p.Variables, "variables", "", "file with the variable configuration; its id becomes variables_id")
	flags.StringVar(&p.VariablesComponent, "variables-component", variables.DefaultComponent, "component id of variable configurations")
	return cmd
}

func newConfigPull(code *int, c *connection) *cobra.Command {
	var id, out string
	cmd := &cobra.Command{
		Use:   "pull --config ID",
		Short: "Print a stored configuration",
		Example: `  extractor config pull --config 123
  extractor config pull --config 123 --out config.json`,
		Args: cobra.NoArgs,
		RunE: c.work(code, true, func(ctx context.Context, s *control.Session, _ []string) (int, error) {
			return 0, s.Pull(ctx, id, out)
		}),
	}
	cmd.Flags().StringVar(&id, "config", "", "id of the configuration (required)")
	cmd.Flags().StringVar(&out, "out", "", "file to write instead of printing; replaced when it exists")
	required(cmd, "config")
	return cmd
}

func newConfigList(code *int, c *connection) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the stored configurations of the component",
		Example: `  extractor config list
  extractor config list --json`,
		Args: cobra.NoArgs,
		RunE: c.work(code, true, func(ctx context.Context, s *control.Session, _ []string) (int, error) {
			return 0, s.List(ctx)
		}),
	}
}

// required makes a declared flag required.
func required(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagRequired(flag); err != nil {
		panic(err) // the flag is not declared
	}
}
