package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// child is a process in its own process group that writes its output to two functions. On
// systems that support it, the process ends with this program. It is the Component of the
// engine Process.
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

// run starts the process and waits for it on one thread. On Linux the parent of the process
// is the thread, so the kernel would kill the process when Go ends the thread.
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

// Wait waits for the process, kills the other processes in its group, and waits for the
// rest of the output. After a signal, code is 128 plus the number of the signal.
func (c *child) Wait() (code int, outOfMemory bool, err error) {
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
		return 0, false, fmt.Errorf("cannot wait for the process: %w", err)
	}
	return exitCode(end.state), false, nil
}

// Stop implements Component.
func (c *child) Stop(time.Duration) error { return terminate(c.process) }

// Kill implements Component.
func (c *child) Kill() error { return killGroup(c.process) }
