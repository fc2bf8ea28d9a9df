// Package app is the contract with the platform: the environment it
// gives, the exit codes it reads, and one run from the first file read to the
// last file renamed.
//
// A run reads the document, replaces its variables, compiles it, extracts, and
// commits; other packages do these steps. Events report what happens. The exit
// code and, after a failure, one line on stderr report how the run ended.
package app

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"

	"github.com/keboola/configurable-extractor/pkg/authoring/report"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// Options say what to run and with what. The zero value of every field but
// Stdout and Stderr has a sensible meaning.
type Options struct {
	// Run is the environment of the run. Run, the function, sets the log, secrets,
	// recording, state and directories, and what is nil of the functions:
	// the system's ways. Negative limits are errors.
	env.Run
	// DataDir is the data directory; "" takes KBC_DATADIR, else /data.
	DataDir string
	// Variables are "name=value" each; given ones win over all other sources.
	Variables []string
	// LogFormat is "auto" (readable lines on a terminal, else JSON), "json" or
	// "console"; "" is auto.
	LogFormat string
	// Strict makes unknown keys of the configuration errors.
	Strict bool
	// Record is the file in which every exchange is kept, "" for none, and
	// RecordMaxBody how many bytes of an answer's body at most; 0 is all.
	Record        string
	RecordMaxBody int64
	// Replay is the recording that answers in the place of the network, "" for
	// none. The clock is that of the recording and no sleep waits.
	Replay string
	// Report is the directory of the report about the run, "" for none.
	Report string
	// Version of the program, for the User-Agent and the first event.
	Version        string
	Stdout, Stderr io.Writer

	report *report.Collector // nil for none
}

func (o *Options) fill() {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
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

// DataDir is the data directory: the given one, else that of the environment.
func DataDir(given string, getenv func(string) string) string {
	return cmp.Or(given, getenv("KBC_DATADIR"), "/data")
}

// Sleep waits, or returns the error of the context when it ends first.
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
