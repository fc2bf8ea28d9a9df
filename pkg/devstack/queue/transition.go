package queue

import (
	"errors"
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// errUnchanged leaves a job as it is stored.
var errUnchanged = errors.New("nothing to change")

// update changes a job; what goes wrong is a fault of the store.
func (q *Queue) update(id string, change func(*store.Job) error) (store.Job, error) {
	j, err := q.o.Store.UpdateJob(id, change)
	if err != nil && !errors.Is(err, errUnchanged) {
		return j, fault{fmt.Errorf("changing job %s: %w", id, err)}
	}
	return j, nil
}

// take makes a job the one that runs, unless it was killed before it was
// started: then that is its end.
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

// drop ends a job that is to be killed and that nobody runs.
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

// hold makes a job wait for its configuration.
func (q *Queue) hold(id string) error {
	_, err := q.update(id, func(j *store.Job) error {
		if j.Status != store.Created || j.Kill {
			return errUnchanged
		}
		return j.To(store.Waiting, q.o.Now())
	})
	return err
}

// terminating shows that a running job is being ended.
func (q *Queue) terminating(id string) error {
	_, err := q.update(id, func(j *store.Job) error {
		if j.Status != store.Processing {
			return errUnchanged
		}
		return j.To(store.Terminating, q.o.Now())
	})
	return err
}

// finish writes down how a job ended. One that was killed in the meantime is
// terminated, for nothing else may follow.
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

// endLeftovers ends the jobs that a process before this one was running when it
// was ended.
func (q *Queue) endLeftovers() error {
	jobs, err := q.o.Store.Unfinished()
	if err != nil {
		return fault{fmt.Errorf("reading the jobs: %w", err)}
	}
	for _, j := range jobs {
		switch {
		case j.Status == store.Processing && !j.Kill:
			err = q.endStopped(j)
		case j.Status == store.Processing, j.Status == store.Terminating:
			_, err = q.update(j.ID, q.drop)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endStopped ends a job that was running when the platform was stopped.
func (q *Queue) endStopped(j store.Job) error {
	r := q.newRun(j, func(error) {})
	return r.finish(errStopped)
}
