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

// Messages of results, in the platform's words where it has any.
const (
	successMessage    = "Component processing finished."
	nothingMessage    = "No configurations executed."
	internalMessage   = "Internal Server Error occurred."
	stoppedMessage    = "The platform was stopped while the job was running."
	terminatedMessage = "The job was terminated."
	cancelledMessage  = "The job was cancelled before it was started."
)

// camouflageDescription is the description of a sandbox.Camouflage event.
const camouflageDescription = "Please contact Keboola Support for help."

// Exit codes of a container that never started or was killed.
const (
	exitRuntime = 125
	exitKilled  = 137
)

// storeError is an error of the store, not of a job. The queue cannot continue.
type storeError struct{ error }

func (f storeError) Unwrap() error { return f.error }

func isStoreError(err error) bool {
	_, ok := errors.AsType[storeError](err)
	return ok
}

func (q *Queue) exitError(exit sandbox.Exit, timeout time.Duration) error {
	switch {
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

// finish stores the end of the job: success if err is nil, otherwise a failure. It
// returns only errors of the store.
func (r *execution) finish(err error) error {
	if isStoreError(err) {
		return errors.Join(err, r.events.close())
	}
	status, result := store.Success, r.result
	if err != nil {
		status = store.Error
		r.fail(&result, err)
	}
	result.Message = r.presentable(result.Message)
	if err := r.events.close(); err != nil {
		return err
	}
	return r.q.finish(r.job.ID, status, result)
}

// fail fills the result of a failed job and adds its events.
func (r *execution) fail(result *store.Result, err error) {
	if errors.Is(err, errKilled) {
		result.Message = terminatedMessage
		return
	}
	result.ExceptionID = r.q.o.ExceptionID()
	if failure.KindOf(err) == failure.User {
		result.Message, result.ErrorType = err.Error(), string(failure.User)
		r.emitEvent(sandbox.Error, fmt.Sprintf(`Job "%s" ended with user error: "%s"`, r.job.ID, r.presentable(err.Error())), "")
		return
	}
	result.ErrorType = string(failure.Application)
	if errors.Is(err, errStopped) {
		result.Message = stoppedMessage
		r.emitEvent(sandbox.Error, fmt.Sprintf(`Job "%s" ended with application error: "%s"`, r.job.ID, stoppedMessage), "")
		return
	}
	result.Message = internalMessage
	// The platform shows the reason only in its own log. Here the reader of the events
	// can fix it.
	r.emitEvent(sandbox.Debug, err.Error(), result.ExceptionID)
	r.emitEvent(sandbox.Error, sandbox.Camouflage, camouflageDescription)
}

func interruptCause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
