package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/platform/control"
)

// newJob returns the group of commands for jobs.
func newJob() *cobra.Command {
	var c connection
	status := newJobCommand(&c, "status", "Print the status of a job", (*control.Session).Status)
	events := newJobCommand(&c, "events", "Print the events of a job, oldest first", (*control.Session).Events)
	kill := newJobCommand(&c, "kill", "End a job", (*control.Session).Kill)
	group := c.group("job", "Run stored configurations on the platform and manage their jobs", `  extractor job run --config 123 --wait
  extractor job list
  extractor job events 456`,
		newJobRun(&c), newJobList(&c), status, events, kill)
	hide("component", status, events, kill)
	return group
}

func newJobRun(c *connection) *cobra.Command {
	var r control.Run
	cmd := &cobra.Command{
		Use:   "run --config ID",
		Short: "Start a job, and wait for its end with --wait",
		Long: `Starts a job. With --wait it prints the events of the job as they arrive, and its
exit code is the result of the job: 0 success, 1 a user error or a job that was
ended, 2 an application error. Ctrl-C and --timeout stop the command, but the job
continues.

With --split iterations, each iteration of the configuration runs in its own job,
in parallel. --split iterations=4 distributes the iterations over 4 jobs. --split
windows and --split windows=4 do the same with the windows of the configuration.
Without a number, at most 100 jobs are started. The command always waits for all
jobs and returns their highest exit code. See docs/how-to/scaling.md for when to
split a configuration.`,
		Example: `  extractor job run --config 123 --var id=42 --var outputBucket=shop --wait
  extractor job run --config 123 --split iterations
  extractor job run --config 123 --split windows=8`,
		Args: noArguments,
		RunE: c.runE(true, func(ctx context.Context, s *control.Session, _ []string) (int, error) {
			return s.Run(ctx, r)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Configuration, "config", "", "`ID` of the configuration (required)")
	flags.StringArrayVar(&r.Variables, "var", nil, "set a {{variable}}, as `name=value`; repeatable")
	flags.BoolVar(&r.Wait, "wait", false, "wait until the job ends, and print its events")
	flags.StringVar(&r.Split, "split", "", "run `parts` of the configuration in separate jobs: iterations, windows, or iterations=N or windows=N for N jobs")
	flags.DurationVar(&r.Timeout, "timeout", 0, "wait for at most this `time`, e.g. 30m (default: until the job ends)")
	required(cmd, "config")
	return cmd
}

func newJobList(c *connection) *cobra.Command {
	var l control.JobList
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the latest jobs of the component, newest first",
		Example: `  extractor job list
  extractor job list --config 123 --limit 5 --json`,
		Args: noArguments,
		RunE: c.runE(true, func(ctx context.Context, s *control.Session, _ []string) (int, error) {
			return 0, s.Jobs(ctx, l)
		}),
	}
	cmd.Flags().StringVar(&l.Configuration, "config", "", "list only jobs of the configuration with this `ID`")
	cmd.Flags().IntVar(&l.Limit, "limit", 20, "list at most `N` jobs, up to 500")
	return cmd
}

// newJobCommand returns a command that calls do with a job id.
func newJobCommand(c *connection, verb, short string, do func(*control.Session, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " ID",
		Short:   short,
		Example: "  extractor job " + verb + " 456",
		Args:    exactly(1),

		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: c.runE(false, func(ctx context.Context, s *control.Session, args []string) (int, error) {
			return 0, do(s, ctx, args[0])
		}),
	}
}
