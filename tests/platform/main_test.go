package platform

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// devstack and extractor are the programs, built once for all tests.
var devstack, extractor string

func TestMain(m *testing.M) {
	code, err := withPrograms(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func withPrograms(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "platform-test-")
	if err != nil {
		return 0, err
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}()
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./cmd/devstack", "./cmd/extractor")
	build.Dir = filepath.Join("..", "..")
	if output, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the programs: %w\n%s", err, output)
	}
	devstack, extractor = filepath.Join(dir, "devstack"), filepath.Join(dir, "extractor")
	return run(), nil
}
