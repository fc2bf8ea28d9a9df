package queue

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/devstack/output"
	"github.com/keboola/configurable-extractor/pkg/devstack/sandbox"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Runner runs the component once, see sandbox.Sandbox.
type Runner interface {
	Run(ctx context.Context, spec sandbox.Spec, log func(sandbox.Record)) (sandbox.Data, sandbox.Exit, error)
}

// Defaults of the options.
const (
	DefaultParallel       = 32
	DefaultProcessTimeout = time.Hour
)

// Options are what all jobs have in common. Store and Runner are required,
// everything else has a sensible zero value.
type Options struct {
	Store  *store.Store
	Runner Runner
	// Load loads the tables of a run; nil is output.Load.
	Load func(context.Context, output.Options) ([]store.Table, error)
	// Token is the one token of the platform, URL the address of its storage API
	// as the component reaches it (http://HOST).
	Token, URL string
	// Image is what runs, for results and messages: a program or an image.
	Image string
	// Memory is the limit of the component's memory in words, e.g. 256m.
	Memory string
	// Project and Branch are ids, "" is 1; Stack is the id of the stack, a host.
	Project, Branch, Stack string
	// Parallel is how many jobs run at once; 0 is DefaultParallel.
	Parallel int
	// ResolveVariables replaces variables before the component starts, as the
	// platform does. Otherwise it is left to the component.
	ResolveVariables bool
	// VariablesComponent holds the declarations and stored values of variables;
	// "" is variables.DefaultComponent.
	VariablesComponent string
	// DataTypeSupport is output.NoTypes, also when empty, output.Hints or
	// output.Authoritative.
	DataTypeSupport string
	// ProcessTimeout is how long a run of the component may take, unless its
	// configuration says something else; 0 is DefaultProcessTimeout.
	ProcessTimeout time.Duration
	// DebugDir is where the data directories of jobs in debug mode are kept, below
	// the id of the job; "" keeps none.
	DebugDir string

	Now   func() time.Time                     // nil: time.Now
	After func(time.Duration) <-chan time.Time // nil: time.After
	Rand  io.Reader                            // of the ids of exceptions; nil: the system's
}

// Queue runs jobs.
type Queue struct{ o Options }

// New checks the options.
func New(o Options) (*Queue, error) {
	if o.Store == nil || o.Runner == nil {
		return nil, failure.Applicationf("a queue needs a store and a runner")
	}
	switch o.DataTypeSupport {
	case "":
		o.DataTypeSupport = output.NoTypes
	case output.NoTypes, output.Hints, output.Authoritative:
	default:
		return nil, failure.Userf("the support of data types is %s, %s or %s, found '%s'",
			output.NoTypes, output.Hints, output.Authoritative, o.DataTypeSupport)
	}
	if o.Parallel <= 0 {
		o.Parallel = DefaultParallel
	}
	if o.ProcessTimeout <= 0 {
		o.ProcessTimeout = DefaultProcessTimeout
	}
	o.fill()
	return &Queue{o: o}, nil
}

func (o *Options) fill() {
	o.Project, o.Branch = cmp.Or(o.Project, "1"), cmp.Or(o.Branch, "1")
	o.VariablesComponent = cmp.Or(o.VariablesComponent, variables.DefaultComponent)
	if o.Load == nil {
		o.Load = output.Load
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
}

// Run takes jobs until the context ends. Then it ends those that run, waits for
// them, and returns nil. A fault of the store ends it likewise, with that error.
// At most one Run may be at work on a store.
func (q *Queue) Run(ctx context.Context) error {
	if err := q.endLeftovers(); err != nil {
		return err
	}
	jobs, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	s := &schedule{q: q, jobs: jobs, running: map[string]*entry{}, ended: make(chan ended)}
	err := s.follow(ctx)
	stop(errStopped)
	for len(s.running) > 0 {
		err = errors.Join(err, s.remove(<-s.ended))
	}
	return err
}

// exceptionID is what a person reports when a job failed.
func (q *Queue) exceptionID() (string, error) {
	id := make([]byte, 16)
	if _, err := io.ReadFull(q.o.Rand, id); err != nil {
		return "", failure.Applicationf("cannot make the id of an exception: %w", err)
	}
	return "exception-" + hex.EncodeToString(id), nil
}
