package sandbox

import "syscall"

// attributes put a process into its own group and end it with the thread that
// starts it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
