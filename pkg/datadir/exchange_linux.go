package datadir

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two directories in one step: other processes see both directories at
// their old paths or both at their new paths. Some file systems do not support it.
func exchange(a, b string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
