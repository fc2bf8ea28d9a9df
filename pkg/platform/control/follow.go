package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/platform"
)

// The first and the longest pause between polls of the jobs.
const (
	firstWait = time.Second
	lastWait  = 5 * time.Second
)

// errStopped is the error if following ends while jobs continue.
var errStopped = errors.New("stopped following")

type follower struct {
	*Session
	prefix string       // prefix of every line, to distinguish several jobs
	job    platform.Job // the job when it was last read
	status string       // status that was last reported
	done   bool         // whether the end and all events were reported
	shown  map[string]bool
	newest string // id of the last reported event
	outcome
}

func (s *Session) follower(prefix string, job platform.Job) *follower {
	return &follower{Session: s, prefix: prefix, job: job, shown: map[string]bool{}}
}

// follow reports the statuses and events of jobs until all have ended. It polls the jobs
// one after the other, to limit the load on the platform. A timeout of 0 means no limit. If
// following ends early, the jobs continue and the error contains their ids.
func (s *Session) follow(ctx context.Context, timeout time.Duration, jobs ...*follower) error {
	started := s.Now()
	for wait, first := firstWait, true; ; wait, first = min(wait*3/2, lastWait), false {
		jobs = slices.DeleteFunc(slices.Clone(jobs), func(f *follower) bool { return f.done })
		for _, f := range jobs {
			if err := f.step(ctx, first, started); err != nil {
				return stopped(ctx, jobs, err)
			}
		}
		if !slices.ContainsFunc(jobs, func(f *follower) bool { return !f.done }) {
			return nil
		}
		if timeout > 0 {
			left := timeout - s.Now().Sub(started)
			if left <= 0 {
				return stopped(ctx, jobs, fmt.Errorf("%w after %s", errStopped, timeout))
			}
			wait = min(wait, left)
		}
		if err := s.Sleep(ctx, wait); err != nil {
			return stopped(ctx, jobs, err)
		}
	}
}

// step polls a job and reports its status and events. The first step needs no poll, because
// the job was just created.
func (f *follower) step(ctx context.Context, first bool, started time.Time) error {
	if !first {
		job, err := f.Platform.Job(ctx, f.job.ID)
		if err != nil {
			return err
		}
		f.job = job
	}
	return f.report(ctx, f.Now().Sub(started))
}

// report writes the changes since the last report. After the end of the job it reads all
// events once more, because events do not always arrive in the order of their ids.
func (f *follower) report(ctx context.Context, elapsed time.Duration) error {
	if f.job.Status != f.status {
		f.status = f.job.Status
		if err := f.line(f.Progress, "%sjob %s: %s (%s)", f.prefix, f.job.ID, f.status, elapsed.Round(time.Second)); err != nil {
			return err
		}
	}
	since := f.newest
	if f.job.Finished {
		since = ""
	}
	events, err := f.Platform.Events(ctx, f.job.ID, since)
	if err != nil {
		return err
	}
	for _, e := range events {
		if f.shown[e.ID] {
			continue
		}
		f.shown[e.ID], f.newest = true, e.ID
		f.incomplete += event.IncompleteIn(e.Message)
		if rest := event.RemainingIn(e.Message); rest != "" {
			f.remaining = append(f.remaining, rest)
		}
		if err := f.event(e); err != nil {
			return err
		}
	}
	f.done = f.job.Finished
	return nil
}

// outcome holds facts about the tables of a job, from its events.
type outcome struct {
	incomplete int      // number of warnings that data may be missing
	remaining  []string // what is left for the next run, see event.RunFinished
}

// result returns the outcome of the job. It is zero if the job did not succeed.
func (f *follower) result() outcome {
	if !f.job.Finished || f.job.ExitCode() != failure.ExitOK {
		return outcome{}
	}
	return f.outcome
}

// event writes an event. If several jobs are followed, the line contains the id of the job.
func (f *follower) event(e platform.Event) error {
	if f.prefix == "" {
		return f.Session.event(e)
	}
	return f.line(f.Out, "%sjob %s: %s", f.prefix, f.job.ID, eventLine(e))
}

// stopped adds the ids of the jobs that continue to an error.
func stopped(ctx context.Context, jobs []*follower, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", errStopped, ctx.Err())
	}
	var ids []string
	for _, f := range jobs {
		if !f.job.Finished {
			ids = append(ids, f.job.ID)
		}
	}
	switch len(ids) {
	case 0:
		return err
	case 1:
		return fmt.Errorf("%w; job %s continues: `extractor job kill %s` ends it", err, ids[0], ids[0])
	default:
		return fmt.Errorf("%w; jobs %s continue: `extractor job kill ID` ends one", err, strings.Join(ids, ", "))
	}
}
