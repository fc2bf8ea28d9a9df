//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package datadir

import (
	"os"

	"golang.org/x/sys/unix"
)

// flock locks a file for as long as it is open, unless someone else has: then
// the error is errLocked. Another error says that this is not possible here.
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
