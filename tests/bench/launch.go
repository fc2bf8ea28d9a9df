package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// usage is what one process took, from its start to its end.
type usage struct {
	Wall time.Duration `json:"wall"`
	CPU  time.Duration `json:"cpu"`  // user and system
	Peak int64         `json:"peak"` // resident memory in bytes; 0 when the system does not say
	// Least is the smallest Peak that can be distinguished: a process begins with
	// the peak of the one that started it.
	Least int64 `json:"least"`
}

// launched is what a launcher reports about a process.
type launched struct {
	Usage  usage  `json:"usage"`
	Exit   int    `json:"exit"`
	Stderr string `json:"stderr"`
}

// errorText is how much of the process's standard error is kept.
const errorText = 4 << 10

// launch is the role of the launcher: it reads the command from the first line of
// stdin, runs it, and says what it took. On Linux the peak memory of a process
// counts from its fork, and until its exec it is that of its parent; so every
// measured process is started by one that has done nothing else.
func launch(stdin io.Reader, stdout io.Writer) error {
	input := json.NewDecoder(stdin)
	var command []string
	if err := input.Decode(&command); err != nil {
		return fmt.Errorf("reading the command: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // until it ends, one way or the other
		cancel()
	}()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = measuredEnv()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return fmt.Errorf("running %s: %w", command[0], err)
	}
	state := cmd.ProcessState
	return json.NewEncoder(stdout).Encode(launched{
		Usage: usage{
			Wall:  wall,
			CPU:   state.UserTime() + state.SystemTime(),
			Peak:  peakMemory(state),
			Least: ownPeak(),
		},
		Exit:   state.ExitCode(),
		Stderr: string(stderr.Bytes()[:min(stderr.Len(), errorText)]),
	})
}

// measuredEnv is the environment without what would change the measured
// programs.
func measuredEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name != roleVariable && !strings.HasPrefix(name, "KBC_") {
			env = append(env, v)
		}
	}
	return env
}

// measure runs a command in a launcher of its own.
func measure(ctx context.Context, command ...string) (launched, error) {
	cmd, stdin, err := inRole(ctx, roleLauncher)
	if err != nil {
		return launched{}, err
	}
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		return launched{}, err
	}
	writing := json.NewEncoder(stdin).Encode(command)
	// Its standard input stays open until it has ended.
	if err := errors.Join(cmd.Wait(), writing); err != nil {
		return launched{}, fmt.Errorf("measuring %s: %w", command[0], err)
	}
	var l launched
	if err := json.Unmarshal(stdout.Bytes(), &l); err != nil {
		return launched{}, fmt.Errorf("measuring %s: %w", command[0], err)
	}
	return l, nil
}
