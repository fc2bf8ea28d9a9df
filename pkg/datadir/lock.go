package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

var errLocked = errors.New("locked")

// processFile is the file in a stage that names its process.
const processFile = "process"

// lockOut locks the output directory until the file is closed or the process ends.
// Without the lock, runs would remove each other's temporary files. It locks the
// directory itself, so that no lock file is left. On file systems without such locks
// (some network file systems) the file is nil and there is no lock.
func (d *Dir) lockOut() (*os.File, error) {
	dir, err := os.Open(d.out())
	if err != nil {
		return nil, failure.Applicationf("cannot open the output directory: %w", err)
	}
	locked := flock(dir)
	if locked == nil {
		return dir, nil
	}
	_ = dir.Close() // unused: the error does not matter
	if errors.Is(locked, errLocked) {
		return nil, failure.Applicationf("another run%s is using the data directory %s: wait until it has ended, or use another directory", d.runningIn(), d.path)
	}
	return nil, nil
}

// runningIn names the process of the only stage, as part of a sentence. It returns ""
// if there are more stages: killed runs may have left them.
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

// thisProcess returns the number of this process and the host name. In a container, the
// host name is more useful than the number.
func thisProcess() string {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Sprintf("process %d", os.Getpid())
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}
