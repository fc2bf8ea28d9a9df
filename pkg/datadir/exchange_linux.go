package datadir

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two directories in one step: other processes see both in their old
// places or both in the new ones. Not every file system supports this.
func exchange(a, b string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
