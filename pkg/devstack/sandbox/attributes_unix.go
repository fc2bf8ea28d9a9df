//go:build unix && !linux

package sandbox

import "syscall"

// attributes puts a process into its own process group.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
