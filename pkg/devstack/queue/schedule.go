package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// Reasons to end a running job.
var (
	errStopped = errors.New("the platform was stopped while the job was running")
	errKilled  = errors.New("the job was killed")
)

const (
	// checkPause is the time to wait after a change, so that many changes cause one check
	// of the jobs. Jobs that write events make hundreds of changes per second.
	checkPause = 20 * time.Millisecond
	// holdsPerCheck is the maximum number of jobs that become waiting in one check, so
	// that kills and ends are handled soon. Each of these jobs is a change of the store,
	// which causes the next check.
	holdsPerCheck = 10
)

// schedule decides which job runs when. Only one goroutine uses it.
type schedule struct {
	q       *Queue
	jobs    context.Context // parent context of all jobs
	running map[string]*entry
	ended   chan jobEnd
}

type entry struct {
	lock   lock
	cancel context.CancelCauseFunc
	killed bool
}

// jobEnd reports that a job has ended. err is an error of the store.
type jobEnd struct {
	id  string
	err error
}

// lock identifies a configuration, which runs at most one job at a time. The zero value
// is no lock.
type lock struct{ component, config string }

func lockOf(j store.Job) lock {
	if j.Config == "" {
		return lock{}
	}
	return lock{j.Component, j.Config}
}

// follow starts and kills jobs until the context ends or the store fails.
func (s *schedule) follow(ctx context.Context) error {
	for {
		changed := s.q.o.Store.Changes()
		if err := s.checkJobs(); err != nil {
			return err
		}
		var pause <-chan time.Time // nil, which blocks, until there is a change
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return nil
			case e := <-s.ended:
				if err := s.remove(e); err != nil {
					return err
				}
				waiting = false
			case <-changed:
				changed, pause = nil, s.q.o.After(checkPause)
			case <-pause:
				waiting = false
			}
		}
	}
}

func (s *schedule) remove(e jobEnd) error {
	s.running[e.id].cancel(nil)
	delete(s.running, e.id)
	return e.err
}

// checkJobs starts, kills or holds the unfinished jobs, oldest first, so that no job
// overtakes an older job of the same configuration.
func (s *schedule) checkJobs() error {
	jobs, err := s.q.o.Store.Unfinished()
	if err != nil {
		return fmt.Errorf("reading the jobs: %w", err)
	}
	taken := map[lock]bool{}
	for _, e := range s.running {
		taken[e.lock] = true
	}
	holds := 0
	for _, j := range jobs {
		l := lockOf(j)
		e, running := s.running[j.ID]
		switch {
		case running:
			err = s.kill(j, e)
		case j.Kill || j.Status == store.Terminating:
			_, err = s.q.take(j.ID)
		case taken[l] && l != lock{}:
			if j.Status == store.Created && holds < holdsPerCheck {
				holds++
				err = s.q.move(j.ID, store.Created, store.Waiting)
			}
		default:
			taken[l] = true
			if len(s.running) < s.q.o.Parallel {
				s.start(j.ID, l)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *schedule) start(id string, l lock) {
	ctx, cancel := context.WithCancelCause(s.jobs)
	s.running[id] = &entry{lock: l, cancel: cancel}
	go func() { s.ended <- jobEnd{id, s.q.work(ctx, id)} }()
}

func (s *schedule) kill(j store.Job, e *entry) error {
	if e.killed || !j.Kill && j.Status != store.Terminating {
		return nil
	}
	e.killed = true
	e.cancel(errKilled)
	return s.q.move(j.ID, store.Processing, store.Terminating)
}
