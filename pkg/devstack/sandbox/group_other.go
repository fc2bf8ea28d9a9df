//go:build !unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

// terminate ends a process at once: there is no way to ask it.
func terminate(p *os.Process) error { return killGroup(p) }

// killGroup ends a process at once. There are no groups.
func killGroup(p *os.Process) error {
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
