// Package testbin builds the programs of this module for tests that run them.
package testbin

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds a command (the name of a directory below cmd) in directory dir and
// returns its path. It compiles the command as for a release. Unlike `go build`, `go
// run` keeps the linked program in Go's build cache, so that all packages share it.
func Build(dir, command string) (string, error) {
	path := filepath.Join(dir, command)
	build := exec.Command("go", "run", "-trimpath", "-exec", "cp", "github.com/keboola/configurable-extractor/cmd/"+command, path)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", command, err, output)
	}
	return path, nil
}

// Run builds commands, stores their paths, runs the tests of a package and returns the
// exit code. Any user may run the commands. With -short it builds nothing, because
// tests of programs are skipped.
func Run(tests func() int, commands map[string]*string) (code int) {
	flag.Parse()
	if testing.Short() {
		return tests()
	}
	code, err := runWith(commands, tests)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func runWith(commands map[string]*string, tests func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "programs-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil {
		return 0, err
	}
	for name, path := range commands {
		if *path, err = Build(dir, name); err != nil {
			return 0, err
		}
	}
	return tests(), nil
}
