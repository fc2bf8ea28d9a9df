//go:build unix

package app

import "syscall"

// NoCoreDump ensures that a crash never writes the memory of the process, with its
// secrets, to a file, regardless of GOTRACEBACK and the limits of the parent process
// The program must call it, because it affects the whole process. The error is
// that of the system.
func NoCoreDump() error {
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
