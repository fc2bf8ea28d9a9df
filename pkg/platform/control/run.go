package control

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Run describes a job to run.
type Run struct {
	// Configuration is the id of the stored configuration.
	Configuration string
	// Variables are the values of variables in the form "name=value".
	Variables []string
	// Wait follows the job until it ends.
	Wait bool
	// Timeout limits the time of following, not the job. 0 means no limit.
	Timeout time.Duration
	// Split splits the configuration into several jobs. "iterations" creates one job for
	// each iteration (at most 100). "iterations=N" creates at most N jobs, each with
	// consecutive iterations. "windows" and "windows=N" do the same with the windows of its
	// jobs. If it is empty, one job runs the configuration. The jobs of a split are always
	// followed.
	Split string
}

// mayRun is the advice after the creation of a job failed.
const mayRun = "the job may run nevertheless: look on the platform before starting it again"

// Run starts a job and writes its id. With Wait it writes the events as they arrive. The
// exit code is 0 if the job was not followed to its end; otherwise it is the exit code of
// the job. For a split it is the highest exit code of the jobs. A refused split starts no
// job.
func (s *Session) Run(ctx context.Context, r Run) (exit int, err error) {
	values, err := s.values(r.Variables)
	if err != nil {
		return 0, err
	}
	if r.Split != "" {
		return s.split(ctx, r, values)
	}
	job, err := s.Platform.CreateJob(ctx, platform.NewJob{Component: s.Component, Configuration: r.Configuration, Values: values})
	if err != nil {
		return 0, adviseIfUncertain(err, mayRun)
	}
	if r.Wait {
		f := s.follower("", job)
		if err := s.follow(ctx, r.Timeout, f); err != nil {
			return 0, err
		}
		return f.job.ExitCode(), s.writeJob(f.job, f.result())
	}
	if s.JSON {
		return 0, s.compact(summary(job, outcome{}))
	}
	return 0, s.line(s.Out, "job %s: %s", job.ID, job.Status)
}

// values parses "name=value" pairs. Whole numbers are sent as numbers, unless their digits
// would change (007, -0, more than 64 bits).
func (s *Session) values(pairs []string) ([]platform.Variable, error) {
	flags, err := variables.Flags(pairs)
	if err != nil {
		return nil, failure.Userf("--var expects name=value")
	}
	var values []platform.Variable
	seen := map[string]bool{}
	for _, flag := range flags {
		name, text := flag.Name, flag.Text
		switch {
		case text == "":
			return nil, failure.Userf("variable %q needs a value: the platform accepts no empty one", name)
		case seen[name]:
			return nil, failure.Userf("variable %q is given twice", name)
		}
		seen[name] = true
		if strings.HasPrefix(name, "#") {
			s.Secrets.Add(text)
		}
		v := value.OfString(text)
		if i, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(i, 10) == text {
			v = value.OfInt(i)
		}
		values = append(values, platform.Variable{Name: name, Value: v})
	}
	return values, nil
}
