//go:build unix && !linux

package sandbox

import "syscall"

// attributes put a process into its own group.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
