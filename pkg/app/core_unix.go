//go:build unix

package app

import "syscall"

// NoCoreDump disables core dumps, so that a crash never writes the memory of the process,
// with its secrets, to a file. It overrides GOTRACEBACK and the limits of the parent
// process. It affects the whole process, so the program must call it. It returns the error
// of the system call.
func NoCoreDump() error {
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
