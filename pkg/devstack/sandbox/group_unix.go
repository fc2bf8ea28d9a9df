//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// terminate requests the end of a process. As in a container, its children get no signal.
func terminate(p *os.Process) error {
	return unlessGone(p.Signal(syscall.SIGTERM))
}

// killGroup kills a process and its process group.
func killGroup(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.EPERM) {
		// Some systems report this for a group if all of its processes have ended.
		err = p.Signal(syscall.SIGKILL)
	}
	return unlessGone(err)
}

func unlessGone(err error) error {
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// exitCode returns the exit code in the form of shells and the platform: 128 plus the
// number after a signal.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
