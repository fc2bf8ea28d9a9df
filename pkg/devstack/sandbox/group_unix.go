//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// terminate asks a process to end. As in a container, its children get no signal.
func terminate(p *os.Process) error {
	return unlessGone(p.Signal(syscall.SIGTERM))
}

// killGroup ends a process and its group at once.
func killGroup(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.EPERM) {
		// Some systems report this for a group whose processes have all ended.
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

// exitCode is the exit code as shells and the platform return it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
