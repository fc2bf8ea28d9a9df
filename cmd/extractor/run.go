package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/authoring/completion"
)

// newRoot makes the command line. The exit code of the command goes to code.
func newRoot(code *int) *cobra.Command {
	o := app.Options{Version: version, Stdout: os.Stdout, Stderr: os.Stderr}
	run := func(cmd *cobra.Command, _ []string) error {
		*code = app.Run(cmd.Context(), o)
		return nil
	}
	root := &cobra.Command{
		Use:   "extractor",
		Short: "Pull data out of an HTTP API by configuration alone",
		Long: `Reads config.json in the data directory, sends the requests it describes, and
writes tables to out/tables. Events go to stdout; after a failure one line on
stderr says why.

Exit codes: 0 success, 1 something the user can fix, 2 an internal fault, 3 cut
by --max-requests, --max-time, --max-bytes or --sample: the tables are valid but
hold only a part of the data, and out/state.json was not written; 130 ended at
once by a second SIGINT. A first SIGINT, SIGTERM, SIGHUP or SIGQUIT ends a run
with exit code 1 and leaves nothing behind.`,
		Example: `  extractor --data ./data
  extractor run --data ./data --var id=42 --log-format console
  extractor --data ./data --sample 10 --max-requests 100`,
		Args:          cobra.NoArgs,
		RunE:          run,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&o.DataDir, "data", "", "data directory (default $KBC_DATADIR, else /data)")
	flags.StringArrayVar(&o.Variables, "var", nil, "value of a {{variable}} as name=value; repeatable")
	flags.StringVar(&o.LogFormat, "log-format", "auto", "auto, json or console")
	flags.BoolVar(&o.Strict, "strict", false, "treat unknown keys of the configuration as errors")
	limitFlags(root.Flags(), &o)
	egressFlags(root.Flags(), &o)
	stateFlags(root.Flags(), &o)
	root.AddCommand(
		newConfig(code),
		newDiff(code),
		newExplain(),
		newInit(code),
		newJob(code),
		newPlan(code, &o),
		newRun(&o, run),
		newSchema(),
		newValidate(code, &o),
		&cobra.Command{
			Use:     "version",
			Short:   "Print the version",
			Example: `  extractor version`,
			Args:    cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "configurable-extractor", version)
				return err
			},
		},
	)
	completion.Install(root, flagValues())
	return root
}

// newRun makes the command that does the same as no command, and also records and
// replays.
func newRun(o *app.Options, run func(*cobra.Command, []string) error) *cobra.Command {
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the data directory (the same as no command), record it or replay a recording",
		Long: `Runs the data directory: the same as no command, but it can also keep every
exchange in a file or be answered from such a file, see
docs/how-to/testing-configurations.md.

Outside of the platform a run starts from the state that the last successful one
left in out/state.json, unless there is an in/state.json; --full starts without
it. With --merge tables with incrementalOutput are merged into those of the run
before, see docs/how-to/incremental.md.

At a terminal each running job has a line that tells how far it is and what it
waits for.

A run that reaches one of its limits sends no further request, breaks off the
answer that is coming in, and writes what has arrived completely as valid tables.
It ends with the event run.cut and exit code 3, and does not write
out/state.json, so that the next run misses nothing. With --max-requests,
--max-time or --max-bytes requests are sent one after another, whatever
api.http.concurrency says, so that it is always the same request that goes too
far.

Exit codes: 0 success, 1 something the user can fix or a signal, 2 an internal
fault, 3 cut, 130 a second SIGINT.`,
		Example: `  extractor run --data ./data
  extractor run --data ./data --record shop.har
  extractor run --data ./data --replay shop.har
  extractor run --data ./data --report ./report
  extractor run --data ./data --merge
  extractor run --data ./data --full
  extractor run --data ./data --sample 10 --max-requests 100 --max-time 5m`,
		Args: cobra.NoArgs,
		RunE: run,
	}
	flags := c.Flags()
	limitFlags(flags, o)
	egressFlags(flags, o)
	stateFlags(flags, o)
	flags.StringVar(&o.Record, "record", "", "keep every exchange in this file (HAR 1.2, secrets masked)")
	flags.Int64Var(&o.RecordMaxBody, "record-max-body", 0, "keep at most so many bytes of each answer's body (default: all); such a recording cannot be replayed")
	flags.StringVar(&o.Replay, "replay", "", "let this recording answer instead of the network")
	flags.StringVar(&o.Report, "report", "", "write report.json and report.html about the run into this directory")
	return c
}

// stateFlags declares the flags about what the run before has left, for the commands of
// limitFlags.
func stateFlags(flags *pflag.FlagSet, o *app.Options) {
	flags.BoolVar(&o.Full, "full", false, "start without the state of the run before, and merge nothing")
	flags.BoolVar(&o.Merge, "merge", false, "merge tables with incrementalOutput into those of the run before by their primary key, as the platform's storage does")
}

// egressFlags declares the flags about allowed addresses, for the commands of
// limitFlags.
func egressFlags(flags *pflag.FlagSet, o *app.Options) {
	flags.BoolVar(&o.DenyPrivateNetworks, "deny-private-networks", false, "refuse every host that is not on the public internet (also $EXTRACTOR_DENY_PRIVATE_NETWORKS)")
}

// limitFlags declares the flags that end a run early. Only the root command and run
// have them.
func limitFlags(flags *pflag.FlagSet, o *app.Options) {
	flags.IntVar(&o.Limits.Requests, "max-requests", 0, "end the run after so many requests; retries, redirects and logins count (default: no limit)")
	flags.DurationVar(&o.Limits.Time, "max-time", 0, "end the run after this time, e.g. 90s or 5m (default: no limit)")
	flags.Var((*size)(&o.Limits.Bytes), "max-bytes", "end the run after so many bytes of answers, decompressed, e.g. 500kB, 10MB or 1GiB (default: no limit)")
	flags.IntVar(&o.Sample, "sample", 0, "take only the first N items of every run of a job and child job (default: all)")
}
