package datadir

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// TestOneRunAtATime: a second stage is refused and changes nothing, until the
// first one is gone.
func TestOneRunAtATime(t *testing.T) {
	host, err := os.Hostname()
	must(t, err)
	here := fmt.Sprintf("another run (process %d on %s) is using the data directory ", os.Getpid(), host)
	for name, end := range map[string]func(*Stage) error{
		"discard": (*Stage).Discard,
		"commit":  func(s *Stage) error { return s.Commit(value.Value{}) },
	} {
		t.Run(name, func(t *testing.T) {
			root := lay(t, map[string]string{"out/tables/users": "old"})
			first := staged(t, open(t, root))
			before := tree(t, root)
			_, err := open(t, root).Stage()
			isApplicationError(t, err, here+root+": wait until it has ended")
			sameTree(t, "the data directory", tree(t, root), before)
			must(t, end(first))
			second, err := open(t, root).Stage()
			must(t, err)
			_, err = open(t, root).Stage()
			isApplicationError(t, err, here)
			must(t, first.Discard()) // once more, which must not end the second one
			_, err = open(t, root).Stage()
			isApplicationError(t, err, here)
			must(t, second.Discard())
		})
	}
}

// TestLockOfAStageThatFails: the next run is let in.
func TestLockOfAStageThatFails(t *testing.T) {
	root := lay(t, map[string]string{"out/tables": "a file"})
	for range 2 {
		_, err := open(t, root).Stage()
		isApplicationError(t, err, "cannot clear the output directory")
	}
}

// TestLockOfAKilledRun: its stage is there, its lock is not.
func TestLockOfAKilledRun(t *testing.T) {
	root := lay(t, map[string]string{"out/.extractor-killed/process": "process 1 on nowhere", "out/.extractor-older/process": "process 2 on nowhere"})
	first, err := open(t, root).Stage()
	must(t, err)
	if left, err := filepath.Glob(filepath.Join(root, "out", ".extractor-*")); err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}
	must(t, first.Discard())
}

// TestLockWithoutAName: with two stages the running one is not known.
func TestLockWithoutAName(t *testing.T) {
	root := t.TempDir()
	first, err := open(t, root).Stage()
	must(t, err)
	must(t, os.Mkdir(filepath.Join(root, "out", ".extractor-other"), 0o755))
	must(t, os.WriteFile(filepath.Join(root, "out", ".extractor-other", processFile), []byte("process 1"), 0o644))
	_, err = open(t, root).Stage()
	isApplicationError(t, err, "another run is using the data directory "+root)
	must(t, first.Discard())
}
