package control

import (
	"context"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
	"github.com/keboola/configurable-extractor/pkg/value"
)

type part struct {
	group    group
	document value.Value // configuration of the job
	follower *follower   // nil if no job was started or the job is unknown
	err      error       // error of starting the job; nil also if no start was attempted
}

// split runs a stored configuration in several jobs and follows them until they end. The
// jobs run without the id of the configuration, because the platform runs only one job of a
// configuration at a time.
func (s *Session) split(ctx context.Context, r Run, values []platform.Variable) (exit int, err error) {
	parts, err := s.parts(ctx, r, values)
	if err != nil {
		return 0, err
	}
	screen := *s
	if s.JSON {
		// Out receives only the final document.
		screen.Out, screen.JSON = s.Progress, false
	}
	var jobs []*follower
	var errs []error
	for i := range parts {
		p := &parts[i]
		job, err := s.start(ctx, p, values)
		if err != nil {
			p.err = err
			errs = append(errs, fmt.Errorf("%s: %w", p.group, err))
			exit = s.Fail(errs[0])
			break
		}
		p.follower = screen.follower("["+p.group.String()+"] ", job)
		jobs = append(jobs, p.follower)
	}
	if err := screen.follow(ctx, r.Timeout, jobs...); err != nil {
		errs = append(errs, err)
		exit = max(exit, s.Fail(err))
	}
	for _, f := range jobs {
		if f.job.Finished {
			exit = max(exit, f.job.ExitCode())
		}
	}
	return exit, s.splitResult(parts, errs, exit)
}

// parts reads the configuration and splits it. It returns an error if the parts cannot run
// concurrently.
func (s *Session) parts(ctx context.Context, r Run, values []platform.Variable) ([]part, error) {
	how, err := splittingOf(r.Split)
	if err != nil {
		return nil, err
	}
	stored, err := s.Platform.Configuration(ctx, s.Component, r.Configuration)
	if err != nil {
		return nil, err
	}
	variables.AddSecrets(s.Secrets, stored.Content, true)
	if err := splittable(stored); err != nil {
		return nil, err
	}
	if how.noun == byWindow {
		return windowParts(stored.Content, values, how, s.Now())
	}
	return iterationParts(stored.Content, values, how)
}

// iterationParts returns parts with some of the iterations each.
func iterationParts(document value.Value, values []platform.Variable, how splitting) ([]part, error) {
	list := config.IterationsSection.In(settingsOf(document, &failure.Problems{}))
	items := list.Value.Items()
	if len(items) == 0 {
		return nil, failure.Userf("the configuration has no list of iterations to split: run it without --split").At(list.Pointer)
	}
	if err := how.checkCount(len(items), list.Pointer); err != nil {
		return nil, err
	}
	filled, err := withVariables(document, values)
	if err != nil {
		return nil, err
	}
	groups := groupsOf(byIteration, len(items), how.most)
	if err := conflicts(filled, groups); err != nil {
		return nil, err
	}
	parts := make([]part, len(groups))
	for i, g := range groups {
		parts[i] = part{group: g, document: withValue(document, failure.PointerSplit(list.Pointer), value.OfItems(items[g.from:g.to]...))}
	}
	return parts, nil
}

func withVariables(document value.Value, values []platform.Variable) (value.Value, error) {
	texts := map[string]string{}
	for _, v := range values {
		texts[v.Name] = v.Value.Raw()
	}
	filled, _, err := variables.Replace(document, texts)
	return filled, err
}

// splittable refuses configurations that the platform does not run, or runs differently.
// The platform does not check this if the document is part of the request.
func splittable(c platform.Configuration) error {
	switch {
	case c.Disabled:
		return failure.Userf("configuration %s is disabled", c.ID)
	case c.Rows > 0:
		return failure.Userf("configuration %s has rows, and the jobs of a split would not run them: run it without --split, or move what the rows say to iterations", c.ID)
	default:
		return nil
	}
}

// start creates the job of a part, unless the context has ended.
func (s *Session) start(ctx context.Context, p *part, values []platform.Variable) (platform.Job, error) {
	if err := ctx.Err(); err != nil {
		return platform.Job{}, fmt.Errorf("no job was started: %w", err)
	}
	job, err := s.Platform.CreateJob(ctx, platform.NewJob{Component: s.Component, ConfigData: p.document, Values: values})
	if err != nil {
		return platform.Job{}, adviseIfUncertain(err, mayRun)
	}
	return job, nil
}
