package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/platform"
)

// The platform is asked after firstWait and then ever more rarely.
const (
	firstWait = time.Second
	lastWait  = 5 * time.Second
)

// errStopped is the end of following a job that goes on, as it was asked for.
var errStopped = errors.New("stopped following")

// follower is what is known of a job that is followed.
type follower struct {
	*Session
	id      string
	started time.Time
	status  string          // last one that was told
	shown   map[string]bool // events by id
	newest  string          // id of the last event that was shown
}

// follow tells the states and events of a job until it ends. The job goes on
// whatever ends the following; an error says so.
func (s *Session) follow(ctx context.Context, job platform.Job, timeout time.Duration) (exit int, err error) {
	f := &follower{Session: s, id: job.ID, started: s.Now(), shown: map[string]bool{}}
	for wait := firstWait; ; wait = min(wait*3/2, lastWait) {
		if err := f.tell(ctx, job); err != nil {
			return 0, f.stopped(ctx, err)
		}
		if job.Finished {
			return job.ExitCode(), s.standing(job)
		}
		if timeout > 0 {
			left := timeout - s.Now().Sub(f.started)
			if left <= 0 {
				return 0, f.stopped(ctx, fmt.Errorf("%w after %s", errStopped, timeout))
			}
			wait = min(wait, left)
		}
		if err := s.Sleep(ctx, wait); err != nil {
			return 0, f.stopped(ctx, err)
		}
		if job, err = s.Platform.Job(ctx, f.id); err != nil {
			return 0, f.stopped(ctx, err)
		}
	}
}

// tell writes what is new. After the end all events are asked for once more,
// because they do not always arrive in the order of their ids.
func (f *follower) tell(ctx context.Context, job platform.Job) error {
	if job.Status != f.status {
		f.status = job.Status
		seconds := f.Now().Sub(f.started).Round(time.Second)
		if err := f.line(f.Progress, "job %s: %s (%s)", f.id, job.Status, seconds); err != nil {
			return err
		}
	}
	since := f.newest
	if job.Finished {
		since = ""
	}
	events, err := f.Platform.Events(ctx, f.id, since)
	if err != nil {
		return err
	}
	for _, e := range events {
		if f.shown[e.ID] {
			continue
		}
		f.shown[e.ID], f.newest = true, e.ID
		if err := f.event(e); err != nil {
			return err
		}
	}
	return nil
}

// stopped says that the job goes on.
func (f *follower) stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", errStopped, ctx.Err())
	}
	return fmt.Errorf("%w; job %s goes on: `extractor job kill %s` ends it", err, f.id, f.id)
}
