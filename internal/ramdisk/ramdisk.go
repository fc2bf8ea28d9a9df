// Package ramdisk finds a directory in memory for tests that make thousands of small
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

// Tests run the tests of a package (m.Run of TestMain) and return the exit code.
type Tests func() int

// Run runs them with a temporary directory of their own: in memory, unless there
// is no room or TMPDIR says where. What they leave there is an error, and the exit
// code is then not 0.
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
	// Directories of fuzz workers, which run this program and are killed.
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

// Use sets TMPDIR for one test.
func Use(t *testing.T) {
	if at := dir(); at != "" && os.Getenv("TMPDIR") == "" {
		t.Setenv("TMPDIR", at)
	}
}
