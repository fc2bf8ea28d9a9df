package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/devstack"
)

func newDemo() *cobra.Command {
	var o devstack.DemoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Store a configuration on a local platform, run it against a sample web shop, show the tables",
		Long: `Starts a local platform and a sample web shop, stores a configuration on the
platform, runs it, and shows the tables. Each step is printed with what it does.
Nothing is needed but this program. The exit code is that of the component.`,
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
	flags.StringVar(&o.DataDir, "data", "", "directory to keep everything in (default a temporary one)")
	flags.BoolVar(&o.Serve, "serve", false, "keep the platform and the shop running, with a page to look at")
	flags.StringVar(&o.Listen, "listen", "", "address of the platform (default a free port)")
	flags.StringVar(&o.ShopListen, "shop-listen", "", "address of the shop (default a free port)")
	return cmd
}
