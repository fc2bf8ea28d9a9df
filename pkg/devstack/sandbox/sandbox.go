package sandbox

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// How the platform reads the output of a component.
const (
	// LogStdout makes an info event of each line of stdout.
	LogStdout = "stdout"
	// LogGELF receives GELF messages over TCP; stdout is one info event at the end.
	LogGELF = "gelf"
	// LogVerbose is the same as LogGELF here. With it, the storage API shows the fields of
	// messages.
	LogVerbose = "verbose"
)

// defaultGrace is the time that docker stop gives a container.
const defaultGrace = 10 * time.Second

// Options apply to all runs of a sandbox.
type Options struct {
	// Dir is the folder of the run directories. It is created if it is missing. ""
	// is the system's directory for temporary files.
	Dir string
	// Engine starts the component; required.
	Engine Engine
	// Logging is LogStdout (also ""), LogGELF or LogVerbose.
	Logging string
	// Now is the clock of records; nil is time.Now.
	Now func() time.Time
}

// Sandbox runs components. Its method may be called by several goroutines.
type Sandbox struct {
	dir    string
	engine Engine
	gelf   bool
	now    func() time.Time
	grace  time.Duration
}

// New checks the options and makes the folder of the runs.
func New(o Options) (*Sandbox, error) {
	s := &Sandbox{engine: o.Engine, gelf: o.Logging == LogGELF || o.Logging == LogVerbose, now: o.Now, grace: defaultGrace}
	if o.Engine == nil {
		return nil, failure.Applicationf("a sandbox needs an engine")
	}
	if o.Logging != "" && o.Logging != LogStdout && !s.gelf {
		return nil, failure.Userf("the logging of a component is %s, %s or %s, found '%s'", LogStdout, LogGELF, LogVerbose, o.Logging)
	}
	if s.now == nil {
		s.now = time.Now
	}
	dir, err := filepath.Abs(cmp.Or(o.Dir, os.TempDir()))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, failure.Applicationf("cannot make the folder for runs: %w", err)
	}
	s.dir = dir
	return s, nil
}

// Run makes a data directory, runs the component in it, and calls log with its
// records, one at a time and in their order; a slow log makes the component wait.
// When Run returns, the component has ended and everything that it wrote was
// logged.
//
// When the context ends, the component is asked to end (SIGTERM), and killed after
// the grace. That is an Exit, not an error. An error is a failure of the platform
// or the machine; then there is no data. Otherwise the caller removes the data.
func (s *Sandbox) Run(ctx context.Context, spec Spec, log func(Record)) (Data, Exit, error) {
	if err := ctx.Err(); err != nil {
		return Data{}, Exit{}, failure.Applicationf("the component was not started: %w", err)
	}
	data, err := makeData(s.dir, spec)
	if err != nil {
		return Data{}, Exit{}, err
	}
	r := &run{sandbox: s, spec: spec, journal: &journal{cleaner: newCleaner(spec.Secrets), now: s.now, log: log}}
	exit, err := r.run(ctx, data)
	if err != nil {
		return Data{}, Exit{}, discard(data, err)
	}
	return data, exit, nil
}

func discard(d Data, err error) error {
	return errors.Join(err, d.Remove())
}
