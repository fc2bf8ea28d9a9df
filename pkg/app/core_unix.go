//go:build unix

package app

import "syscall"

// NoCoreDump makes sure that the memory of the process, and the secrets in it, is
// never written to a file: a crash leaves no core dump, whatever GOTRACEBACK and
// the limits of its parent process say. It concerns the whole process, so it is
// the program's to call. The error is that of the system.
func NoCoreDump() error {
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
