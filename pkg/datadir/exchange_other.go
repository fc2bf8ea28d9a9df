//go:build !linux

package datadir

import (
	"errors"
	"os"
)

// exchange returns an error, because only Linux can swap two directories in one step.
func exchange(a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errors.ErrUnsupported}
}
