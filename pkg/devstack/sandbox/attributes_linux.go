package sandbox

import "syscall"

// attributes puts a process into its own process group and makes the kernel kill it when
// the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
