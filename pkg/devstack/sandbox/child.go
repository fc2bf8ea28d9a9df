package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// child is a process in a group of its own, with its output on the way to two
// functions. It dies with this process where the system can do that.
type child struct {
	process *os.Process
	output  []*pump
	ended   chan childEnd
}

type childEnd struct {
	state *os.ProcessState
	err   error
}

func startChild(cmd *exec.Cmd, stdout, stderr func([]byte)) (*child, error) {
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot make a pipe: %w", err), outRead.Close(), outWrite.Close())
	}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = outWrite, errWrite, attributes()
	c := &child{ended: make(chan childEnd, 1)}
	started := make(chan error)
	go c.run(cmd, started)
	err = errors.Join(<-started, outWrite.Close(), errWrite.Close())
	if err != nil {
		return nil, errors.Join(err, outRead.Close(), errRead.Close())
	}
	c.process = cmd.Process
	c.output = []*pump{startPump(outRead, stdout), startPump(errRead, stderr)}
	return c, nil
}

// run starts the process and waits for it on one thread: to Linux the parent is
// the thread, not the process, and what dies with its parent would be killed as
// soon as Go gives the thread up.
func (c *child) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	process := cmd.Process
	started <- err
	if err != nil {
		return
	}
	state, err := process.Wait()
	c.ended <- childEnd{state, err}
}

// wait waits for the process, then ends what it has left behind in its group,
// then waits for the rest of the output. The code is 128 and the number of the
// signal when one ended the process.
func (c *child) wait() (code int, err error) {
	end := <-c.ended
	err = errors.Join(end.err, killGroup(c.process))
	until := time.Now().Add(drainWait)
	for _, p := range c.output {
		p.finish(until)
	}
	for _, p := range c.output {
		<-p.done
	}
	if err != nil {
		return 0, fmt.Errorf("cannot wait for the process: %w", err)
	}
	return exitCode(end.state), nil
}
