package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/shellcompletion"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// newRun returns the command that runs a configuration.
func newRun() *cobra.Command {
	var o app.Options
	c := &cobra.Command{
		Use:   "run [FILE|DIR]",
		Short: "Run a configuration: send its requests and write its tables",
		Long: `Runs config.json in a data directory: sends the requests that it describes, writes
the tables to out/tables, and writes the state for the next run to out/state.json.

The argument is one of these:

  DIR           the data directory, the same as --data DIR
  config.json   a file with this name: its directory is the data directory
  another FILE  the configuration; --data DIR names the data directory for its
                tables and its state

Without an argument the data directory is --data, otherwise $KBC_DATADIR,
otherwise /data.

On your computer, a run continues from the last successful run: it starts from the
state in out/state.json, unless there is an in/state.json. Use --full to start
without the state. Use --merge to merge tables with incrementalOutput into the
tables of the previous run, see docs/how-to/incremental.md.

Use --record to write every request and response to a file, and --replay to run
from such a file without a network, see docs/how-to/testing-configurations.md.

At a terminal, a line for each running job shows its progress and what it waits
for. The last line lists the written files.

A run that reaches --max-requests, --max-time, --max-bytes or --sample stops and
writes the data received so far to valid tables. It ends with exit code 3 and does
not write out/state.json, so the next run does not skip data. With --max-requests,
--max-time or --max-bytes, api.http.concurrency is ignored: requests are sent one
after another, so that every run stops at the same request.

Ctrl-C ends a run with exit code 130. A failed or interrupted run writes no tables.
The tables of the previous run do not change.

Exit codes: 0 success, 1 an error that you can fix, 2 an internal error, 3 stopped
by a limit, 130 Ctrl-C.`,
		Example: `  extractor run my-data
  extractor run my-data/config.json --var region=eu
  extractor run orders.json --data my-data
  extractor run my-data --sample 10 --max-requests 100 --max-time 5m
  extractor run my-data --record shop.har --report report
  extractor run my-data --replay shop.har`,
		Args:              atMostOne,
		ValidArgsFunction: shellcompletion.First(shellcompletion.Files("json")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				p, err := targetOf(args[0], o.DataDir)
				if err != nil {
					return err
				}
				if p.dataDir == "" {
					return failure.Userf("'%s' is not called %s: name the data directory, for its tables and its state, with --data DIR", args[0], configName)
				}
				o.DataDir = p.dataDir
				if filepath.Base(p.file) != configName || filepath.Dir(p.file) != filepath.Clean(p.dataDir) {
					o.Config = p.file
				}
			}
			return run(cmd, o)
		},
	}
	runFlags(c.Flags(), &o)
	return c
}

func run(cmd *cobra.Command, o app.Options) error {
	if noDataDir(o.DataDir, app.DefaultDataDir, os.Getenv) {
		return exit(failure.ExitApplication, welcome(cmd.ErrOrStderr(), app.DefaultDataDir))
	}
	o.LookupEnv = environment(cmd.ErrOrStderr())
	o.Version, o.Stdout, o.Stderr = programVersion(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	return exit(app.Run(cmd.Context(), o), nil)
}

// runFlags declares the flags of a run.
func runFlags(flags *pflag.FlagSet, o *app.Options) {
	dataFlags(flags, o)
	flags.StringVar(&o.LogFormat, "log-format", "auto", "`format` of the events: json, console, or auto: console at a terminal, otherwise json")
	flags.IntVar(&o.Limits.Requests, "max-requests", 0, "stop after `N` requests; retries, redirects and logins count (default: no limit)")
	flags.DurationVar(&o.Limits.Time, "max-time", 0, "stop after this `time`, e.g. 90s or 5m (default: no limit)")
	flags.Var((*size)(&o.Limits.Bytes), "max-bytes", "stop after receiving this `size` of decompressed responses, e.g. 500kB, 10MB or 1GiB (default: no limit)")
	flags.IntVar(&o.Sample, "sample", 0, "keep only the first `N` items of every run of a job or child job (default: all)")
	flags.BoolVar(&o.DenyPrivateNetworks, "deny-private-networks", false, "refuse hosts that are not on the public internet (also $EXTRACTOR_DENY_PRIVATE_NETWORKS)")
	flags.BoolVar(&o.Full, "full", false, "start without the state of the previous run, and do not merge tables")
	flags.BoolVar(&o.Merge, "merge", false, "merge tables with incrementalOutput into the tables of the previous run by primary key, as the platform's storage does")
	flags.StringVar(&o.Record, "record", "", "write every request and response to this `FILE` (HAR 1.2, secrets masked)")
	flags.Int64Var(&o.RecordMaxBody, "record-max-body", 0, "record at most `N` bytes of each response body (default: all); such a recording cannot be replayed")
	flags.StringVar(&o.Replay, "replay", "", "run from this `FILE`, a recording made with --record, without a network")
	flags.StringVar(&o.Report, "report", "", "write a report of the run, report.json and report.html, to `DIR`")
}

// dataFlags declares the flags for the input of a command.
func dataFlags(flags *pflag.FlagSet, o *app.Options) {
	flags.StringVar(&o.DataDir, "data", "", "use `DIR` as the data directory (default $KBC_DATADIR, otherwise /data)")
	flags.StringArrayVar(&o.Variables, "var", nil, "set a {{variable}}, as `name=value`; repeatable")
	flags.BoolVar(&o.Strict, "strict", false, "treat unknown and duplicate keys in the configuration as errors")
}
