// Package ramdisk finds a directory in memory for tests that create thousands of small
// files, which is slow on a disk. Tests of disks, and tests that limit memory, must not
// use it.
package ramdisk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Tests runs the tests of a package (m.Run of TestMain) and returns the exit code.
type Tests func() int

// Run runs the tests with a temporary directory of their own. The directory is in
// memory, unless there is not enough memory or TMPDIR is set. Run returns an exit code
// other than 0 if the tests leave files in the directory.
func (tests Tests) Run() (code int) {
	const prefix = "tests-"
	parent := os.Getenv("TMPDIR")
	if parent == "" {
		parent = dir()
	}
	temp, err := os.MkdirTemp(parent, prefix)
	if err == nil {
		err = os.Setenv("TMPDIR", temp)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code = tests()
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	// Ignore the directories of fuzz workers, which run this program and are killed.
	left = slices.DeleteFunc(left, func(path string) bool { return strings.HasPrefix(filepath.Base(path), prefix) })
	if err != nil || len(left) > 0 {
		fmt.Fprintf(os.Stderr, "left in the directory for temporary files: %v, %v\n", left, err)
		code = 1
	}
	if err := os.RemoveAll(temp); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// Use sets TMPDIR to a directory in memory for one test, unless TMPDIR is set or there
// is not enough memory.
func Use(t *testing.T) {
	if at := dir(); at != "" && os.Getenv("TMPDIR") == "" {
		t.Setenv("TMPDIR", at)
	}
}
