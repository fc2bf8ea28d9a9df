//go:build !unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

// terminate kills a process, because there is no way to request its end.
func terminate(p *os.Process) error { return killGroup(p) }

// killGroup kills a process. Process groups do not exist here.
func killGroup(p *os.Process) error {
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
