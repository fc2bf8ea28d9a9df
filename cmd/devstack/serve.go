package main

import (
	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/devstack"
	"github.com/keboola/configurable-extractor/pkg/devstack/queue"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
)

func newServe() *cobra.Command {
	var o devstack.ServeOptions
	var program string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a local platform with configurations, jobs, events, tables and a web UI",
		Long: `Serves the platform's storage API, a job queue that runs the extractor, and a web
UI. When it is ready, it prints its addresses as one line of JSON. All data is
stored in --data and is available after a restart. SIGTERM and Ctrl+C end the
platform and its running jobs.`,
		Example: `  devstack serve
  devstack serve --runner docker --image configurable-extractor`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Stdout, o.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if program != "" {
				o.Program = []string{program}
			}
			return devstack.Serve(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Data, "data", devstack.DefaultPlatformData, "directory for all stored data")
	flags.StringVar(&o.Listen, "listen", devstack.DefaultPlatformListen, "address to listen on")
	flags.StringVar(&o.QueueListen, "queue-listen", "", "address that serves the queue at its root (default: port "+devstack.DefaultQueuePort+" or a free one, on loopback only)")
	flags.BoolVar(&o.TLS, "tls", false, "encrypt connections, with a certificate created at the first start")
	flags.StringVar(&o.Component, "component", devstack.DefaultComponent, "component that is listed even without a configuration")
	flags.StringVar(&o.Token, "token", devstack.DefaultToken, "token that clients must send")
	flags.StringVar(&o.Host, "component-address", "", "host:port at which components reach the platform (default: its own address)")
	flags.StringVar(&o.Runner, "runner", devstack.RunnerProcess, "how to run the component: process or docker")
	flags.StringVar(&program, "extractor", "", "program for --runner process (default: the extractor in this program)")
	flags.StringVar(&o.Docker.Image, "image", "configurable-extractor", "image for --runner docker")
	flags.StringVar(&o.Docker.Network, "docker-network", "host", "network of the containers")
	flags.StringVar(&o.Docker.Memory, "memory", "256m", "memory limit of a container")
	flags.StringVar(&o.Docker.Listen, "gelf-listen", "127.0.0.1:0", "address that receives the events of containers")
	flags.StringVar(&o.Docker.Host, "gelf-host", "127.0.0.1", "host at which containers reach --gelf-listen")
	flags.StringVar(&o.Logging, "logging", sandbox.LogGELF, "how the component sends events: gelf, verbose (gelf, and the storage API shows event fields) or stdout")
	flags.StringVar(&o.DataTypes, "data-types", tableload.NoTypes, "data types of tables: none, hints or authoritative")
	flags.BoolVar(&o.ResolveVariables, "resolve-variables", false, "replace variables before the component starts")
	flags.IntVar(&o.Parallel, "parallel", queue.DefaultParallel, "maximum number of jobs that run in parallel")
	return cmd
}
