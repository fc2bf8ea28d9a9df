//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package datadir

import (
	"os"

	"golang.org/x/sys/unix"
)

// flock locks a file until it is closed. It returns errLocked if another process has
// locked the file, and another error if locks are not supported.
func flock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return errLocked
		default:
			return err
		}
	}
}
