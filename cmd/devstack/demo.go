package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/devstack"
)

func newDemo() *cobra.Command {
	var o devstack.DemoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a configuration against a sample web shop on a local platform, and show the tables",
		Long: `Starts a local platform and a sample web shop, stores a configuration on the
platform, runs it, and shows the tables. It explains each step. You need no other
program. The exit code is the exit code of the component.`,
		Example: `  devstack demo
  devstack demo --serve --data ./demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Stdout, o.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			code, err := devstack.Demo(cmd.Context(), o)
			if err == nil && code != 0 {
				return exitCode(code)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.DataDir, "data", "", "directory for all data (default: a temporary directory)")
	flags.BoolVar(&o.Serve, "serve", false, "keep the platform, its web UI and the shop running")
	flags.StringVar(&o.Listen, "listen", "", "address of the platform (default: a free port)")
	flags.StringVar(&o.ShopListen, "shop-listen", "", "address of the shop (default: a free port)")
	return cmd
}
