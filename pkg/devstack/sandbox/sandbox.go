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

// The ways in which the platform takes the output of a component.
const (
	// LogStdout takes each line of stdout as an info event while it comes.
	LogStdout = "stdout"
	// LogGELF takes GELF messages over TCP; stdout is one info event at the end.
	LogGELF = "gelf"
)

// defaultGrace is what docker stop gives a container.
const defaultGrace = 10 * time.Second

// Options are what all runs of a sandbox have in common.
type Options struct {
	// Dir is the folder below which the directories of runs are made; it is made
	// itself when it is not there. "" is the system's for temporary files.
	Dir string
	// Engine starts the component; it is required.
	Engine Engine
	// Logging is LogStdout, also when empty, or LogGELF.
	Logging string
	// Now is the time of records and measures runs; nil is time.Now.
	Now func() time.Time
	// KillGrace is how long a component that was asked to end may take before it
	// is killed; 0 is the platform's 10 seconds.
	KillGrace time.Duration
}

// Sandbox runs components. Its method may be called from many goroutines.
type Sandbox struct {
	dir    string
	engine Engine
	gelf   bool
	now    func() time.Time
	grace  time.Duration
}

// New checks the options and makes the folder of the runs.
func New(o Options) (*Sandbox, error) {
	s := &Sandbox{engine: o.Engine, gelf: o.Logging == LogGELF, now: o.Now, grace: o.KillGrace}
	if o.Engine == nil {
		return nil, failure.Applicationf("a sandbox needs an engine")
	}
	if o.Logging != "" && o.Logging != LogStdout && o.Logging != LogGELF {
		return nil, failure.Userf("the logging of a component is %s or %s, found '%s'", LogStdout, LogGELF, o.Logging)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.grace <= 0 {
		s.grace = defaultGrace
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

// Run makes a data directory, runs the component in it, and gives its records
// to log, one at a time, in the order in which they come; a slow log makes the
// component wait. When Run returns, nothing of the component is running, and all
// that it had said was given.
//
// The end of the context means that somebody wants the component to end: it is
// asked to (SIGTERM), and killed after the grace. That is an Exit like any other,
// not an error. An error is a fault of the platform, or of the machine; then
// there is no data. Otherwise the caller removes the data.
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

// discard removes the directory of a run that failed.
func discard(d Data, err error) error {
	return errors.Join(err, d.Remove())
}
