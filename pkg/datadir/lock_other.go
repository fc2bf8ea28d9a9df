//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package datadir

import (
	"errors"
	"os"
)

func flock(*os.File) error { return errors.ErrUnsupported }
