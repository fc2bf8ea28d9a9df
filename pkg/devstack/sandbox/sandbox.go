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

// Values of Options.Logging.
const (
	// LogStdout makes each line of stdout an info event.
	LogStdout = "stdout"
	// LogGELF receives GELF messages over TCP. All of stdout becomes one info event at the
	// end.
	LogGELF = "gelf"
	// LogVerbose is like LogGELF. It also makes the storage API show the fields of
	// messages.
	LogVerbose = "verbose"
)

// defaultGrace is the grace period of docker stop.
const defaultGrace = 10 * time.Second

// Options apply to all runs of a sandbox.
type Options struct {
	// Dir is the folder of the run directories. It is created if it is missing. If it is
	// empty, the temporary directory of the system is used.
	Dir string
	// Engine starts the component. It is required.
	Engine Engine
	// Logging is LogStdout, LogGELF or LogVerbose. If it is empty, LogStdout is used.
	Logging string
	// Now returns the current time for records. If it is nil, time.Now is used.
	Now func() time.Time
}

// Sandbox runs components. It is safe for concurrent use.
type Sandbox struct {
	dir    string
	engine Engine
	gelf   bool
	now    func() time.Time
	grace  time.Duration
}

// New returns a sandbox and creates the folder of the runs.
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

// Run creates a data directory, runs the component in it, and calls log with the records of
// the component, one at a time and in order. A slow log function blocks the component. When
// Run returns, the component has ended and all of its output was logged.
//
// When the context ends, the component gets SIGTERM and is killed after the grace period.
// The result is an Exit, not an error. An error is a failure of the platform or the
// machine; then the data directory is removed. Otherwise the caller removes it.
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
