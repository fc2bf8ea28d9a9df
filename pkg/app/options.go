// Package app implements the contract with the platform: the environment, the exit codes,
// and one run from start to end.
//
// A run reads the document, replaces its variables, compiles it, extracts, and commits.
// Other packages implement these steps. Events report the progress. The exit code and,
// after a failure, a line on stderr report the result.
package app

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/keboola/configurable-extractor/pkg/env"
)

// Options are the options of a run. All fields except Stdout and Stderr have defaults.
type Options struct {
	// Run is the environment of the run. The function Run sets its log, secrets, recording,
	// state and directories. It also sets functions and live progress that are nil.
	// Negative limits are errors.
	env.Run
	// LookupEnv is like Getenv and also reports whether the variable is set. If it is nil,
	// Getenv is used. If both are nil, the environment of the process is used.
	LookupEnv func(name string) (string, bool)
	// DataDir is the data directory. If it is empty, KBC_DATADIR is used, or /data.
	DataDir string
	// Config is the path of the configuration. If it is empty, config.json in the data
	// directory is used.
	Config string
	// Variables are values of variables in the form "name=value". They override all other
	// sources.
	Variables []string
	// LogFormat is "auto", "json" or "console". "auto" is readable lines on a terminal and
	// JSON otherwise. If it is empty, "auto" is used.
	LogFormat string
	// Strict makes unknown keys of the configuration errors.
	Strict bool
	// Record is the path of the recording to write; it may be empty. RecordMaxBody is the
	// maximum number of bytes of a body that are recorded; 0 is no limit.
	Record        string
	RecordMaxBody int64
	// Replay is the path of the recording that replaces the network; it may be empty.
	// During a replay the clock is the clock of the recording, and sleeping takes no time.
	Replay string
	// Full starts the run without the state and the tables of the previous run.
	Full bool
	// Merge merges incremental tables into the tables of the previous run, as the storage
	// of the platform does.
	Merge bool
	// Report is the directory for the report of the run; it may be empty.
	Report string
	// Version is the version of the program. It is sent in the User-Agent header and is
	// part of the first event.
	Version        string
	Stdout, Stderr io.Writer
}

// DefaultDataDir is the data directory on the platform.
const DefaultDataDir = "/data"

// DataDir returns given, or $KBC_DATADIR if given is empty, or DefaultDataDir if both are
// empty.
func DataDir(given string, getenv func(string) string) string {
	return cmp.Or(given, getenv("KBC_DATADIR"), DefaultDataDir)
}

// Sleep waits for d. It returns the error of the context if the context ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
