// Package engine runs a document: its iterations, their jobs, the pages of each job and
// the child jobs of each page, in the documented order. It gets the next request from
// package pagination and passes the rows to the tables. Other packages send requests,
// read responses and turn rows into cells.
//
// A run with concurrency produces the same tables, events, state and error as a serial
// run, see parallel and admission.
package engine

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Result is the summary of a run.
type Result struct {
	Requests int
	Bytes    int64
	Rows     int
	Tables   int
	// Incomplete is the number of findings that data may be missing, see event.Finding.
	Incomplete int
	// State is the state that the next run starts from.
	State value.Value
	// Remembered are the values of State that later runs read by {"remembered": …}.
	Remembered []event.StateRemembered
	// LimitReached is not nil if the tables hold only a part of the data, because of a
	// limit or of env.Run.Sample. The next run must not start from State then, because it
	// would never fetch the rest.
	LimitReached *LimitReached
}

// run is one run of a program.
type run struct {
	*httpclient.Shared
	plan    *Program
	scanner *response.Scanner
	tables  *tables
	// state is the state of this run. time is the part of it about the start of the run.
	state *state.State
	time  *state.Time
	// iterationValues are the remembered values of the iterations. The keys are the keys
	// of the iterations.
	iterationValues map[string]*state.IterationValues
	dry             *httpclient.DryRun       // nil if the run sends its requests
	standIn         func(name string) string // standIn of Preview, nil if the run sends its requests
	limit           *LimitReached            // nil if no data was dropped
	incomplete      int                      // number of findings
	warnings                                 // warnings outside of jobs
	// configWarnings are the emitted warnings about the configuration.
	configWarnings []event.ConfigWarning
}

// newRun creates a run of the program. The caller must close it.
func (p *Program) newRun(e *env.Run) *run {
	r := &run{
		Shared:  httpclient.NewShared(e, p.doc, p.target),
		plan:    p,
		scanner: response.NewScanner(e.Secrets.Mask),
		time:    state.NewTime(e.Now().Unix()),
	}
	r.tables = newTables(e, p.typed, r.warn)
	var remembered state.Remembered
	previous := e.State
	if e.LoginsOnly {
		previous = state.LoginValues(previous, p.rememberedByLogins())
	}
	r.state = state.Open(previous, r.time, &r.tables.structure, &r.tables.columns, &remembered)
	r.openIterationValues(&remembered)
	return r
}

// Run runs all iterations and writes the tables to the stage. The data directory does not
// change until the stage is committed. Run returns no error if a limit ends the run: the
// tables then hold the data that was fetched completely.
func (p *Program) Run(ctx context.Context, e *env.Run) (Result, error) {
	return p.newRun(e).run(ctx)
}

func (r *run) run(ctx context.Context) (Result, error) {
	defer r.Close()
	if r.tables.structure.Legacy {
		r.Log.Emit(event.StateWarning{Text: "it contains the structure of the original extractor's old table parser, which is ignored; columns may get different names"})
	}
	err := r.iterations(ctx)
	if isLimit(err) && ctx.Err() == nil {
		err = nil
	}
	var written []tableRows
	if err == nil {
		err = r.checkTables()
	}
	if err == nil {
		written, err = r.tables.write(ctx)
		r.reportOmitted(r.Log, event.WarningsOmitted{})
	}
	r.tables.structure.Latest = r.tables.structures()
	if closing := r.tables.close(); err == nil {
		err = closing
	}
	var next value.Value
	if err == nil {
		next, err = r.state.Next()
	}
	if err != nil {
		r.tables.set.Abort()
		return Result{}, err
	}
	result := Result{
		Requests:     int(r.Stats.Requests.Load()),
		Bytes:        r.Stats.Bytes.Load(),
		Tables:       len(written),
		State:        next,
		Remembered:   r.rememberedEvents(),
		LimitReached: r.limit,
		Incomplete:   r.incomplete,
	}
	for _, t := range written {
		result.Rows += t.rows
	}
	return result, nil
}

func (r *run) iterations(ctx context.Context) error {
	for i, it := range r.plan.iterations {
		if err := r.iteration(ctx, it, r.plan.number(i)); err != nil {
			return err
		}
	}
	return nil
}

// number returns the number of an iteration in events, counted from 1. It returns 0 if
// there is only one iteration.
func (p *Program) number(iteration int) int {
	if len(p.iterations) == 1 {
		return 0
	}
	return iteration + 1
}

// iteration runs the jobs of one iteration. number is the result of Program.number.
func (r *run) iteration(ctx context.Context, it iteration, number int) error {
	client, err := r.client(it)
	if err != nil {
		return err
	}
	defer client.Close()
	sink, err := r.tables.bucket(it)
	if err != nil {
		return err
	}
	jobs := r.newJobRunner(it, client)
	jobs.sink, jobs.number = sink, number
	jobs.reportRemembered()
	for _, job := range it.jobs {
		if err := jobs.root(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// concurrency returns the maximum number of concurrent requests. A run with limits is
// serial.
func (r *run) concurrency() int {
	if r.Limits != (env.Limits{}) {
		return 1
	}
	return r.plan.doc.API.Concurrency
}

// client returns the client of an iteration, which has its own login.
func (r *run) client(it iteration) (*httpclient.Client, error) {
	r.Secrets.AddAddress(it.BaseURL.String())
	o := httpclient.Options{
		Shared:   r.Shared,
		API:      r.plan.doc.API,
		BaseURL:  it.BaseURL,
		Debug:    it.Debug,
		Identity: auth.Identity(r.plan.doc, it.Iteration, r.plan.features.Auth),
		DryRun:   r.dry,

		KeepLogins: len(auth.Remembered(it.auth)) > 0,
	}
	o.Endpoints, o.AnonymousEndpoints = r.plan.endpoints(it, r.scope(it))
	if it.auth != nil {
		o.Auth = it.auth.Start(r.Run, r.iterationValues[it.Key])
	}
	return httpclient.New(o)
}
