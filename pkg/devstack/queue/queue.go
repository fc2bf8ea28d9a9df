package queue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/encryption"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/devstack/tableload"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Runner runs the component once. See sandbox.Sandbox.
type Runner interface {
	Run(ctx context.Context, spec sandbox.Spec, log func(sandbox.Record)) (sandbox.Data, sandbox.Exit, error)
}

// Defaults of the options.
const (
	DefaultParallel       = 32
	defaultProcessTimeout = time.Hour
)

// Options configures all jobs. Store and Runner are required, the others have defaults.
type Options struct {
	Store  *store.Store
	Runner Runner
	// Load loads the tables of a run. Nil means tableload.Load.
	Load func(context.Context, tableload.Options) ([]store.Table, error)
	// Token is the only token of the platform. URL is its storage API as the component
	// reaches it (http://HOST).
	Token, URL string
	// Image is the program or image that runs, for results and messages.
	Image string
	// Stack is the id of the stack, a host name.
	Stack string
	// Parallel is the maximum number of running jobs. 0 means DefaultParallel.
	Parallel int
	// ResolveVariables replaces variables before the component starts, as the platform
	// does. Otherwise the component replaces them.
	ResolveVariables bool
	// DataTypeSupport is tableload.NoTypes (also ""), tableload.Hints or
	// tableload.Authoritative.
	DataTypeSupport string
	// Verbose lets the storage API show the fields of the component's events.
	Verbose bool
	// ProcessTimeout is the maximum duration of a run of the component. The configuration
	// can set another timeout. 0 means an hour.
	ProcessTimeout time.Duration
	// DebugDir keeps the data directories of jobs in debug mode, in a directory named by
	// the id of the job. If it is "", data directories are not kept.
	DebugDir string

	Now         func() time.Time                     // nil means time.Now
	After       func(time.Duration) <-chan time.Time // nil means time.After
	ExceptionID func() string                        // returns a new id on each call; nil means random ids
}

// Queue runs jobs.
type Queue struct {
	o   Options
	box *encryption.Box
}

// New checks the options and sets their defaults.
func New(o Options) (*Queue, error) {
	if o.Store == nil || o.Runner == nil {
		return nil, failure.Applicationf("a queue needs a store and a runner")
	}
	switch o.DataTypeSupport {
	case "":
		o.DataTypeSupport = tableload.NoTypes
	case tableload.NoTypes, tableload.Hints, tableload.Authoritative:
	default:
		return nil, failure.Userf("the support of data types is %s, %s or %s, found '%s'",
			tableload.NoTypes, tableload.Hints, tableload.Authoritative, o.DataTypeSupport)
	}
	if o.Parallel <= 0 {
		o.Parallel = DefaultParallel
	}
	if o.ProcessTimeout <= 0 {
		o.ProcessTimeout = defaultProcessTimeout
	}
	if o.Load == nil {
		o.Load = tableload.Load
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.ExceptionID == nil {
		o.ExceptionID = exceptionID
	}
	return &Queue{o: o, box: encryption.NewBox(o.Store.Key())}, nil
}

// Run runs jobs until the context ends. Then it stops the running jobs, waits for them,
// and returns nil. An error of the store also stops the jobs, and Run returns it. Only
// one Run may use a store at a time.
func (q *Queue) Run(ctx context.Context) error {
	if err := q.endLeftovers(); err != nil {
		return err
	}
	jobs, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	s := &schedule{q: q, jobs: jobs, running: map[string]*entry{}, ended: make(chan jobEnd)}
	err := s.follow(ctx)
	stop(errStopped)
	for len(s.running) > 0 {
		err = errors.Join(err, s.remove(<-s.ended))
	}
	return err
}

func exceptionID() string {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	return "exception-" + hex.EncodeToString(id)
}
