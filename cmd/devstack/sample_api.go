package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/devstack"
)

func newSampleAPI() *cobra.Command {
	var o devstack.SampleAPIOptions
	cmd := &cobra.Command{
		Use:   "sample-api",
		Short: "Serve the API of a small web shop for your first configurations",
		Long: `Serves the API of a small web shop until SIGTERM or Ctrl+C: products, orders and
all other data of the tutorial, with pagination and logins.`,
		Example: `  devstack sample-api
  devstack sample-api --listen 127.0.0.1:9000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Stdout = cmd.OutOrStdout()
			return devstack.SampleAPI(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Listen, "listen", devstack.DefaultListen, "address to listen on")
	return cmd
}
