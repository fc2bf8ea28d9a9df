//go:build !linux

package datadir

import (
	"errors"
	"os"
)

// exchange swaps two directories in one step, which only Linux can.
func exchange(a, b string) error {
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: errors.ErrUnsupported}
}
