package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Messages of results, in the platform's words where it has some.
const (
	successMessage    = "Component processing finished."
	nothingMessage    = "No configurations executed."
	internalMessage   = "Internal Server Error occurred."
	stoppedMessage    = "The platform was stopped while the job was running."
	terminatedMessage = "The job was terminated."
	cancelledMessage  = "The job was cancelled before it was started."
)

// What users see of an application error.
const (
	camouflage            = "Application error"
	camouflageDescription = "Please contact Keboola Support for help."
)

// The exit codes of a container that was killed, or never started.
const (
	exitRuntime = 125
	exitKilled  = 137
)

// fault is an error of the store: no job is to blame, and the queue cannot go on.
type fault struct{ error }

func (f fault) Unwrap() error { return f.error }

func isFault(err error) bool {
	_, ok := errors.AsType[fault](err)
	return ok
}

// judge says what the end of the component means for the job; nil is a success.
func (q *Queue) judge(exit sandbox.Exit, timeout time.Duration) error {
	switch {
	case exit.OutOfMemory && q.o.Memory != "":
		return failure.Userf("Component out of memory (exceeded %s)", q.o.Memory)
	case exit.OutOfMemory:
		return failure.Userf("Component out of memory")
	case exit.Code == failure.ExitOK:
		return nil
	case exit.TimedOut:
		return failure.Userf("Running %s container exceeded the timeout of %d seconds.", q.o.Image, timeout/time.Second)
	case exit.Code == exitRuntime, exit.Code == exitKilled:
		return failure.Userf("Component terminated. Possibly due to out of memory error")
	case exit.Code == failure.ExitUser:
		return failure.Userf("%s", exit.Message)
	default:
		return failure.Applicationf("%s container failed: (%d) %s", q.o.Image, exit.Code, exit.Message)
	}
}

// finish writes down how the job ended: well without an error, else as that
// error says. What it returns is a fault of the store.
func (r *run) finish(err error) error {
	if isFault(err) {
		return errors.Join(err, r.events.close())
	}
	status, result := store.Success, r.result
	if err != nil {
		status = store.Error
		if idErr := r.fail(&result, err); idErr != nil {
			return errors.Join(idErr, r.events.close())
		}
	}
	result.Message = r.presentable(result.Message)
	if err := r.events.close(); err != nil {
		return err
	}
	return r.q.finish(r.job.ID, status, result)
}

// fail fills the result of a job that failed and tells about it.
func (r *run) fail(result *store.Result, err error) error {
	if errors.Is(err, errKilled) {
		result.Message = terminatedMessage
		return nil
	}
	id, idErr := r.q.exceptionID()
	if idErr != nil {
		return idErr
	}
	result.ExceptionID = id
	if failure.KindOf(err) == failure.User {
		result.Message, result.ErrorType = err.Error(), string(failure.User)
		r.say(sandbox.Error, fmt.Sprintf(`Job "%s" ended with user error: "%s"`, r.job.ID, r.presentable(err.Error())), "")
		return nil
	}
	result.ErrorType = string(failure.Application)
	if errors.Is(err, errStopped) {
		result.Message = stoppedMessage
		r.say(sandbox.Error, fmt.Sprintf(`Job "%s" ended with application error: "%s"`, r.job.ID, stoppedMessage), "")
		return nil
	}
	result.Message = internalMessage
	// The platform tells the reason to its own log only. Here it must be found
	// somewhere, for this is the laptop of whoever has to fix it.
	r.say(sandbox.Debug, err.Error(), id)
	r.say(sandbox.Error, camouflage, camouflageDescription)
	return nil
}

// interrupted is the reason why the context of a job has ended, if it has.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
