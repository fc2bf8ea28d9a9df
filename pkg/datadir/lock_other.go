//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package datadir

import (
	"errors"
	"os"
)

// flock is not known here.
func flock(*os.File) error { return errors.ErrUnsupported }
