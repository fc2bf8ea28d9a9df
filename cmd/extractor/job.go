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
	group := c.group("job", "Run stored configurations on the platform, list, follow and end their jobs", `  extractor job run --config 123 --wait
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
		Short: "Start a job; with --wait also wait for its end",
		Long: `Starts a job. With --wait it prints the events of the job as they arrive, and the
result of the job is the exit code: 0 success, 1 a user error or a job that was
ended, 2 an application error. Ctrl-C and --timeout stop the command; the job
continues.

With --split iterations each iteration of the configuration runs in a job of its
own, in parallel; --split iterations=4 distributes them over 4 jobs. --split windows
and --split windows=4 do the same with the windows of its jobs. Without a number
at most 100 jobs are started. The command always waits for them, and the highest
exit code is that of the command. docs/how-to/scaling.md explains when to split a
configuration.`,
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
	flags.StringArrayVar(&r.Variables, "var", nil, "give a {{variable}} this value, `name=value`; repeatable")
	flags.BoolVar(&r.Wait, "wait", false, "wait for the end of the job and print its events")
	flags.StringVar(&r.Split, "split", "", "run `parts` of the configuration in jobs of their own: iterations, windows, or iterations=N or windows=N for N jobs")
	flags.DurationVar(&r.Timeout, "timeout", 0, "wait for this `time`, e.g. 30m (default: to the end of the job)")
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
	cmd.Flags().StringVar(&l.Configuration, "config", "", "only jobs of the configuration with this `ID`")
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
