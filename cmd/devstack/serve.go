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
		Short: "Serve a platform on your laptop: configurations, jobs, events, tables, and a page to watch them",
		Long: `Serves the platform's storage API and its job queue, which really runs the
extractor, and a page to watch the jobs. When it listens it prints its addresses
as one line of JSON. Everything is kept below --data and is there again the next
time. SIGTERM and Ctrl+C end it and its running jobs.`,
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
	flags.StringVar(&o.Data, "data", devstack.DefaultPlatformData, "directory for everything that is stored")
	flags.StringVar(&o.Listen, "listen", devstack.DefaultPlatformListen, "address to listen on")
	flags.StringVar(&o.QueueListen, "queue-listen", "", "address at which the queue is at the root (default: port "+devstack.DefaultQueuePort+" or a free one, on loopback only)")
	flags.BoolVar(&o.TLS, "tls", false, "encrypt connections, with a certificate made at the first start")
	flags.StringVar(&o.Component, "component", devstack.DefaultComponent, "component that is known before it has a configuration")
	flags.StringVar(&o.Token, "token", devstack.DefaultToken, "token that clients must send")
	flags.StringVar(&o.Host, "component-address", "", "host:port at which components reach the platform (default: where it listens)")
	flags.StringVar(&o.Runner, "runner", devstack.RunnerProcess, "what runs the component: process or docker")
	flags.StringVar(&program, "extractor", "", "program that the runner process starts (default: the extractor in this program)")
	flags.StringVar(&o.Docker.Image, "image", "configurable-extractor", "image that the runner docker starts")
	flags.StringVar(&o.Docker.Network, "docker-network", "host", "network of the containers")
	flags.StringVar(&o.Docker.Memory, "memory", "256m", "memory limit of a container")
	flags.StringVar(&o.Docker.Listen, "gelf-listen", "127.0.0.1:0", "where events of containers are received")
	flags.StringVar(&o.Docker.Host, "gelf-host", "127.0.0.1", "host at which containers reach that address")
	flags.StringVar(&o.Logging, "logging", sandbox.LogGELF, "how the component sends its events: gelf, verbose (gelf, and the storage API shows their fields) or stdout")
	flags.StringVar(&o.DataTypes, "data-types", tableload.NoTypes, "data types of tables: none, hints or authoritative")
	flags.BoolVar(&o.ResolveVariables, "resolve-variables", false, "replace variables before the component starts")
	flags.IntVar(&o.Parallel, "parallel", queue.DefaultParallel, "how many jobs run in parallel")
	return cmd
}
