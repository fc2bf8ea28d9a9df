// Package app implements the contract with the platform: the environment, the exit
// codes, and one run from start to end.
//
// A run reads the document, replaces its variables, compiles it, extracts, and
// commits; other packages do these steps. Events report what happens. The exit code
// and, after a failure, one line on stderr report how the run ended.
package app

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Options are the options of a run. All fields but Stdout and Stderr have defaults.
type Options struct {
	// Run is the environment of the run. The function Run sets the log, secrets,
	// recording, state and directories, and what is nil of the functions and the live
	// lines. Negative limits are errors.
	env.Run
	// LookupEnv is Getenv that also reports whether the variable is set. If it is nil,
	// Getenv is used, or the environment of the process if that is nil, too.
	LookupEnv func(name string) (string, bool)
	// DataDir is the data directory; "" is KBC_DATADIR, or /data.
	DataDir string
	// Config is the file of the configuration; "" is config.json in the data directory.
	Config string
	// Variables are "name=value"; they override all other sources.
	Variables []string
	// LogFormat is "auto" (readable lines on a terminal, else JSON), "json" or
	// "console"; "" is auto.
	LogFormat string
	// Strict makes unknown keys of the configuration errors.
	Strict bool
	// Record is the file for all exchanges, "" for none. RecordMaxBody is how many
	// bytes of a body are kept at most; 0 is no limit.
	Record        string
	RecordMaxBody int64
	// Replay is the recording that replaces the network, "" for none. The clock is
	// then that of the recording, and sleeping takes no time.
	Replay string
	// Full starts the run without the state of the run before, and without its tables.
	Full bool
	// Merge merges incremental tables into those of the run before, as the platform's
	// storage would.
	Merge bool
	// Report is the directory for the report of the run, "" for none.
	Report string
	// Version of the program is sent as User-Agent, and is in the first event.
	Version        string
	Stdout, Stderr io.Writer

	report *report.Collector // nil for none
	source source
	// stderrIsTerminal is set if a person reads stderr, who sees a failure with its place in the
	// configuration, and not the platform or a program, which expects one line.
	stderrIsTerminal bool
	// sameTerminal is set if this person reads stdout at the same terminal.
	sameTerminal bool

	written written
	// lastState says that the state of the run is the last one in its data directory.
	lastState bool
}

func (o *Options) fill() {
	o.fillEnvironment()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = Sleep
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	o.DataDir = DataDir(o.DataDir, o.Getenv)
	o.Version = cmp.Or(o.Version, "dev")
	o.UserAgent = "configurable-extractor/" + o.Version
	o.Secrets = &secret.Registry{}
}

// DefaultDataDir is the data directory of the platform.
const DefaultDataDir = "/data"

// DataDir is the given data directory, or that of the environment.
func DataDir(given string, getenv func(string) string) string {
	return cmp.Or(given, getenv("KBC_DATADIR"), DefaultDataDir)
}

// Sleep waits, or returns the error of the context if that ends first.
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
