package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/keboola/configurable-extractor/pkg/platform/control"
)

// newJob makes the commands for jobs.
func newJob(code *int) *cobra.Command {
	var c connection
	return c.group("job", "Run stored configurations on the platform, follow and end their jobs", `  extractor job run --config 123 --wait
  extractor job events 456`,
		newJobRun(code, &c),
		newJobCommand(code, &c, "status", "Tell how a job stands", (*control.Session).Status),
		newJobCommand(code, &c, "events", "Print the events of a job, oldest first", (*control.Session).Events),
		newJobCommand(code, &c, "kill", "Tell a job to end", (*control.Session).Kill),
	)
}

func newJobRun(code *int, c *connection) *cobra.Command {
	var r control.Run
	cmd := &cobra.Command{
		Use:   "run --config ID",
		Short: "Start a job, and with --wait follow it to its end",
		Long: `Starts a job. With --wait its events are printed as they come and its result
is the exit code: 0 success, 1 a user error or ended from outside, 2 an
application error. Ctrl-C and --timeout end the following, not the job.

With --split iterations each iteration of the configuration runs in a job of its
own, side by side with the others; --split iterations=4 makes 4 jobs of them.
--split windows and --split windows=4 do the same with the windows of its jobs.
More than 100 jobs are started only when the number is given.
They are always followed, and the worst result is the exit code. docs/how-to/scaling.md
tells when that helps and what such jobs do not do.`,
		Example: `  extractor job run --config 123 --var id=42 --var outputBucket=shop --wait
  extractor job run --config 123 --split iterations
  extractor job run --config 123 --split windows=8`,
		Args: cobra.NoArgs,
		RunE: c.work(code, true, func(ctx context.Context, s *control.Session, _ []string) (int, error) {
			return s.Run(ctx, r)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Configuration, "config", "", "id of the configuration (required)")
	flags.StringArrayVar(&r.Variables, "var", nil, "value of a {{variable}} as name=value; repeatable")
	flags.BoolVar(&r.Wait, "wait", false, "follow the job to its end")
	flags.StringVar(&r.Split, "split", "", "run the iterations, or the windows, in jobs of their own: iterations, windows, or iterations=N, windows=N for N jobs")
	flags.DurationVar(&r.Timeout, "timeout", 0, "how long to follow, e.g. 30m (default: to the end)")
	required(cmd, "config")
	return cmd
}

// newJobCommand makes a command for the job with a given id.
func newJobCommand(code *int, c *connection, verb, short string, do func(*control.Session, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " ID",
		Short:   short,
		Example: "  extractor job " + verb + " 456",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: c.work(code, false, func(ctx context.Context, s *control.Session, args []string) (int, error) {
			return 0, do(s, ctx, args[0])
		}),
	}
}
