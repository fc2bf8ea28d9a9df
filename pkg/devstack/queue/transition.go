package queue

import (
	"errors"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// errUnchanged makes update leave a job unchanged.
var errUnchanged = errors.New("nothing to change")

// update changes a job. All its errors are storeErrors.
func (q *Queue) update(id string, change func(*store.Job) error) (store.Job, error) {
	j, err := q.o.Store.UpdateJob(id, change)
	if err != nil && !errors.Is(err, errUnchanged) {
		return j, storeError{fmt.Errorf("changing job %s: %w", id, err)}
	}
	return j, nil
}

// take starts a job. If the job was killed before it started, take ends it.
func (q *Queue) take(id string) (store.Job, error) {
	return q.update(id, func(j *store.Job) error {
		switch {
		case j.Status.Finished():
			return errUnchanged
		case j.Kill || j.Status == store.Terminating:
			return q.drop(j)
		default:
			return j.To(store.Processing, q.o.Now())
		}
	})
}

// drop ends a killed job that is not running.
func (q *Queue) drop(j *store.Job) error {
	if j.Status != store.Terminating {
		if err := j.To(store.Terminating, q.o.Now()); err != nil {
			return err
		}
	}
	if !j.Started.IsZero() {
		return q.end(j, store.Terminated, store.Result{Message: terminatedMessage})
	}
	return q.end(j, store.Cancelled, store.Result{Message: cancelledMessage})
}

func (q *Queue) move(id string, from, to store.Status) error {
	_, err := q.update(id, func(j *store.Job) error {
		if j.Status != from {
			return errUnchanged
		}
		return j.To(to, q.o.Now())
	})
	return err
}

// finish stores the end of a job. A job that was killed meanwhile becomes terminated,
// because no other status may follow.
func (q *Queue) finish(id string, status store.Status, result store.Result) error {
	_, err := q.update(id, func(j *store.Job) error {
		if !j.Kill && j.Status == store.Processing {
			return q.end(j, status, result)
		}
		killed := result
		killed.Message, killed.ErrorType, killed.ExceptionID = terminatedMessage, "", ""
		if j.Status == store.Processing {
			if err := j.To(store.Terminating, q.o.Now()); err != nil {
				return err
			}
		}
		return q.end(j, store.Terminated, killed)
	})
	return err
}

func (q *Queue) end(j *store.Job, status store.Status, result store.Result) error {
	j.Result = &result
	return j.To(status, q.o.Now())
}

// endLeftovers ends the jobs that were running when the last process ended.
func (q *Queue) endLeftovers() error {
	jobs, err := q.o.Store.Unfinished()
	if err != nil {
		return storeError{fmt.Errorf("reading the jobs: %w", err)}
	}
	for _, j := range jobs {
		switch {
		case j.Status == store.Processing && !j.Kill:
			err = q.newRun(j, func(error) {}).finish(errStopped)
		case j.Status == store.Processing, j.Status == store.Terminating:
			_, err = q.update(j.ID, q.drop)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
