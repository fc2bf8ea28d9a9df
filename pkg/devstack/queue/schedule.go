package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// The reasons to end a running job.
var (
	errStopped = errors.New("the platform was stopped while the job was running")
	errKilled  = errors.New("the job was killed")
)

const (
	// lookPause is how long a change waits for others before the jobs are checked
	// again: many jobs that write events make hundreds of changes in a second.
	lookPause = 20 * time.Millisecond
	// holdsPerLook is how many jobs become waiting before kills and ends are
	// checked again. Each of them is a change, so the others follow soon.
	holdsPerLook = 10
)

// schedule decides which job runs when. Only one goroutine uses it.
type schedule struct {
	q       *Queue
	jobs    context.Context // of all jobs
	running map[string]*entry
	ended   chan jobEnd
}

type entry struct {
	lock   lock
	cancel context.CancelCauseFunc
	killed bool
}

// jobEnd says that a job has ended; an error is an error of the store.
type jobEnd struct {
	id  string
	err error
}

// lock is what only one job at a time can have. The zero value is no lock.
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
		if err := s.look(); err != nil {
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
				changed, pause = nil, s.q.o.After(lookPause)
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

// look checks the jobs that have not ended, the oldest first, so that no job
// overtakes an older one of the same configuration.
func (s *schedule) look() error {
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
			if j.Status == store.Created && holds < holdsPerLook {
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

// kill ends a running job if someone requested that.
func (s *schedule) kill(j store.Job, e *entry) error {
	if e.killed || !j.Kill && j.Status != store.Terminating {
		return nil
	}
	e.killed = true
	e.cancel(errKilled)
	return s.q.move(j.ID, store.Processing, store.Terminating)
}
