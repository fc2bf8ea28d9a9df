package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// errLocked says that someone else holds the lock.
var errLocked = errors.New("locked")

// processFile is the file in a stage that names its process.
const processFile = "process"

// lockOut keeps other runs away from the output directory, whose temporary files
// they would remove, until the file is closed or the process ends, however it
// does. It is the directory itself that is locked, so that nothing is left behind.
// Where the file system has no such locks (some network file systems), the file is
// nil and nothing is locked.
func (d *Dir) lockOut() (*os.File, error) {
	dir, err := os.Open(d.out())
	if err != nil {
		return nil, failure.Applicationf("cannot open the output directory: %w", err)
	}
	locked := flock(dir)
	if locked == nil {
		return dir, nil
	}
	_ = dir.Close() // nothing was done with it
	if errors.Is(locked, errLocked) {
		return nil, failure.Applicationf("another run%s is using the data directory %s: wait until it has ended, or use another directory", d.runningIn(), d.path)
	}
	return nil, nil
}

// runningIn names the process of the one stage there is, as part of a sentence.
// Beside several, of killed runs, it is not known which one is at work.
func (d *Dir) runningIn() string {
	found, err := filepath.Glob(filepath.Join(d.out(), stagePrefix+"*", processFile))
	if err != nil || len(found) != 1 {
		return ""
	}
	name, err := os.ReadFile(found[0])
	if err != nil || len(name) == 0 {
		return "" // it has just ended
	}
	return " (" + string(name) + ")"
}

// thisProcess names this process: in a container its number says little, its
// host name does.
func thisProcess() string {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Sprintf("process %d", os.Getpid())
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}
