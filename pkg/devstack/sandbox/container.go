package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

type container struct {
	docker Docker
	name   string
	child  *child
	stderr head // also contains errors of docker
	killed atomic.Bool
	// stopped is true after docker stop was called. docker stop may kill the container.
	stopped atomic.Bool
}

// containerState is the part of the output of docker inspect that container needs.
type containerState struct {
	Running   bool
	OOMKilled bool
	ExitCode  int
	StartedAt time.Time // year 1 if it never started
}

// Wait implements Component. It returns an error if the container could not be created or
// started.
func (c *container) Wait() (int, bool, error) {
	code, _, err := c.child.Wait()
	state, inspectErr := c.ended()
	_, removeErr := c.docker.command(commandTimeout, "rm", "--force", "--volumes", c.name)
	switch {
	case err != nil:
		return 0, false, errors.Join(err, removeErr)
	case c.killed.Load() && (inspectErr != nil || state.StartedAt.Year() <= 1):
		return killedCode, false, nil // killed before it started
	case inspectErr != nil && code != dockerFailed:
		return 0, false, failure.Applicationf("cannot say how the component ended: %w", inspectErr)
	case inspectErr != nil || state.StartedAt.Year() <= 1:
		return 0, false, failure.Applicationf("docker could not start the component: %s", bytes.TrimSpace(c.stderr.text))
	case removeErr != nil:
		return 0, false, failure.Applicationf("cannot remove the container of the component: %w", removeErr)
	case state.Running:
		return killedCode, false, nil // it ran until it was removed
	default:
		return state.ExitCode, state.OOMKilled, nil
	}
}

const (
	killedCode   = 128 + 9 // exit code after SIGKILL
	dockerFailed = 125     // exit code of docker run for its own errors
)

// A separate event informs docker that a container ran out of memory. On a busy machine the
// event arrives after the end of the container.
const (
	oomEventChecks = 20
	oomEventPause  = 50 * time.Millisecond
)

// ended returns the state of an ended container. If this program did not kill it, ended
// waits a little until docker reports the reason of a kill.
func (c *container) ended() (containerState, error) {
	state, err := c.inspect()
	for range oomEventChecks {
		if err != nil || state.OOMKilled || state.ExitCode != killedCode || c.docker.Memory == "" || c.killed.Load() || c.stopped.Load() {
			break
		}
		time.Sleep(oomEventPause)
		state, err = c.inspect()
	}
	return state, err
}

func (c *container) inspect() (containerState, error) {
	var state containerState
	text, err := c.docker.command(commandTimeout, "inspect", "--type", "container", "--format", "{{json .State}}", c.name)
	if err != nil {
		return state, err
	}
	return state, json.Unmarshal(text, &state)
}

// Stop implements Component. It returns when the container has stopped. Docker kills the
// container after the grace period.
func (c *container) Stop(grace time.Duration) error {
	c.stopped.Store(true)
	seconds := int((grace + time.Second - 1) / time.Second)
	_, err := c.docker.command(grace+commandTimeout, "stop", "-t", strconv.Itoa(seconds), c.name)
	return err
}

// Kill implements Component. If docker cannot kill the container, the container may not
// exist yet. Then Kill ends docker run, and Wait removes a container that it may have
// created.
func (c *container) Kill() error {
	c.killed.Store(true)
	if _, err := c.docker.command(commandTimeout, "kill", c.name); err != nil {
		return c.child.Kill()
	}
	return nil
}
