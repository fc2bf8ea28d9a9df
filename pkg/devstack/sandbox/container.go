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

// container is a component that is a container.
type container struct {
	docker Docker
	name   string
	child  *child
	stderr head // also holds what docker itself complains about
	killed atomic.Bool
	// stopped is set when the container was asked to end, by which docker may kill it.
	stopped atomic.Bool
}

// containerState is what docker inspect tells of a container.
type containerState struct {
	Running   bool
	OOMKilled bool
	ExitCode  int
	StartedAt time.Time // the year 1 when it never was
}

// Wait implements Component. A container that could not be made or started is an
// error.
func (c *container) Wait() (int, bool, error) {
	code, err := c.child.wait()
	state, inspectErr := c.ended()
	_, removeErr := c.docker.command(commandTimeout, "rm", "--force", "--volumes", c.name)
	switch {
	case err != nil:
		return 0, false, errors.Join(err, removeErr)
	case c.killed.Load() && (inspectErr != nil || state.StartedAt.Year() <= 1):
		return killedCode, false, nil // before it had begun
	case inspectErr != nil && code != dockerFailed:
		return 0, false, failure.Applicationf("cannot tell how the component ended: %w", inspectErr)
	case inspectErr != nil || state.StartedAt.Year() <= 1:
		return 0, false, failure.Applicationf("docker could not start the component: %s", bytes.TrimSpace(c.stderr.text))
	case removeErr != nil:
		return 0, false, failure.Applicationf("cannot remove the container of the component: %w", removeErr)
	case state.Running:
		return killedCode, false, nil // it was, until it was removed
	default:
		return state.ExitCode, state.OOMKilled, nil
	}
}

const (
	killedCode   = 128 + 9 // exit code of what was killed
	dockerFailed = 125     // exit code of docker run when the failure is its own
)

// Docker learns by an event of its own that a container was killed because of its
// memory. On a busy machine it comes after the container's end.
const (
	oomEventChecks = 20
	oomEventPause  = 50 * time.Millisecond
)

// ended is the state of a container that has ended. One that nobody here killed is
// looked at until docker says why it was.
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

// Stop implements Component. It takes until the container has stopped: docker
// kills it after the grace itself.
func (c *container) Stop(grace time.Duration) error {
	c.stopped.Store(true)
	seconds := int((grace + time.Second - 1) / time.Second)
	_, err := c.docker.command(grace+commandTimeout, "stop", "-t", strconv.Itoa(seconds), c.name)
	return err
}

// Kill implements Component. A container that docker cannot kill may not be there
// yet; then docker run itself is ended, and Wait removes what it may have made.
func (c *container) Kill() error {
	c.killed.Store(true)
	if _, err := c.docker.command(commandTimeout, "kill", c.name); err != nil {
		return killGroup(c.child.process)
	}
	return nil
}
