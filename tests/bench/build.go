package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const module = "github.com/keboola/configurable-extractor/"

// Packages of the measured programs.
const (
	extractorPackage = module + "cmd/extractor"
	floorPackage     = module + "tests/bench/floor"
)

// build compiles a program of this module into a directory and returns the path
// of the binary: as it is released, or as Go's build cache has it from the
// development.
func build(ctx context.Context, pkg, dir string, development bool) (string, error) {
	binary := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "-ldflags=-s -w", "-trimpath", pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if development {
		cmd = exec.CommandContext(ctx, "go", "run", "-exec", "cp", pkg, binary)
	}
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, output)
	}
	return binary, nil
}
