// Package engine runs a document: its iterations, their jobs, the pages of each job and
// the child jobs of each page, in the documented order. It gets the next request from
// package pagination and passes the rows to the tables. Other packages send requests,
// read responses and turn rows into cells.
//
// One run of a job has three parts. Its stream requests page after page. Its pipeline
// decodes and checks each response, stores the rows and yields the child jobs. Its ledger
// records what happened. A driver decides when each of them works: one after another, or
// concurrently.
//
// A run with concurrency produces the same tables, events, state and error as a serial
// run, see parallel and admission.
package engine

import (
	"context"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/files"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Result is the summary of a run.
type Result struct {
	Requests int
	Bytes    int64
	Rows     int
	Tables   int
	// Files is the number of files in out/files.
	Files int
	// Incomplete is the number of findings that data may be missing, see event.Finding.
	Incomplete int
	// Failed are the names of the jobs that failed and wrote no tables, see keeper.
	// Remaining describes the windows that are left for the next run.
	Failed, Remaining []string
	// State is the state that the next run starts from.
	State value.Value
	// Remembered are the values of State that later runs read by {"remembered": …}.
	Remembered []event.StateRemembered
	// Declared are the tables with declared types, by file name.
	Declared map[string]csvtable.Table
	// LimitReached is not nil if the tables hold only a part of the data, because of a
	// limit or of env.Run.Sample. The next run must not start from State then, because it
	// would never fetch the rest.
	LimitReached *LimitReached
}

// run is one run of a program.
type run struct {
	*httpclient.Shared
	program *Program
	ledger  *runLedger
	scanner *response.Scanner
	tables  *tables
	files   *runFiles
	keeper  *keeper // nil if the first failed job ends the run
	// state is the state of this run. time is the part of it about the start of the run.
	state *state.State
	time  *state.Time
	began time.Time // base of `stopAfter`
	// iterationValues are the remembered values of the iterations. The keys are the keys
	// of the iterations.
	iterationValues map[string]*state.IterationValues
	dry             *httpclient.DryRun       // nil if the run sends its requests
	standIn         func(name string) string // standIn of Preview, nil if the run sends its requests
}

// newRun creates a run of the program. The caller must close it.
func (p *Program) newRun(e *env.Run) *run {
	r := &run{
		Shared:  httpclient.NewShared(e, p.doc, p.target),
		program: p,
		ledger:  &runLedger{log: e.Log},
		scanner: response.NewScanner(e.Secrets.Mask),
		files:   &runFiles{Directory: files.NewDirectory(e.Files), replay: e.Player != nil},
		began:   e.Now(),
	}
	r.time = state.NewTime(r.began.Unix())
	r.tables = newTables(e, p.typed, r.ledger.warn)
	previous := e.State
	if e.LoginsOnly {
		var names []string
		for _, it := range p.iterations {
			for _, m := range auth.Remembered(it.auth) {
				names = append(names, m.Name)
			}
		}
		previous = state.LoginValues(previous, names)
	}
	var remembered state.Remembered
	r.state = state.Open(previous, r.time, &r.tables.structure, &r.tables.columns, &r.tables.types, &remembered)
	r.openIterationValues(&remembered)
	return r
}

// Run runs all iterations and writes the tables to the stage. The data directory does not
// change until the stage is committed. Run returns no error if a limit ends the run: the
// tables then hold the data that was fetched completely.
func (p *Program) Run(ctx context.Context, e *env.Run) (Result, error) {
	r := p.newRun(e)
	defer r.Close()
	if r.tables.structure.Legacy {
		r.Log.Emit(event.StateWarning{Text: "it contains the structure of the original extractor's old table parser, which is ignored; columns may get different names"})
	}
	err := r.checkDeclaredTypes()
	r.keeper = newKeeper(r)
	for i := 0; i < len(r.program.iterations) && err == nil; i++ {
		err = r.iteration(ctx, r.program.iterations[i])
	}
	if isLimit(err) && ctx.Err() == nil {
		err = nil
	}
	var result Result
	if err == nil {
		err = r.keeper.failSharing()
	}
	if err == nil && r.keeper.filesFailed() {
		err = r.files.removeAll()
	}
	if err == nil {
		err = r.checkTables()
	}
	if err == nil {
		result.Tables, result.Rows, err = r.tables.write(ctx)
		r.files.report(r.Log)
		result.Files = r.files.written()
		r.ledger.reportOmitted(r.Log, event.WarningsOmitted{})
	}
	r.tables.structure.Latest = r.tables.structures()
	if closing := r.tables.close(); err == nil {
		err = closing
	}
	if err == nil {
		result.State, err = r.state.Next()
	}
	if err != nil {
		r.tables.set.Abort()
		return Result{}, err
	}
	result.Declared = r.tables.declared
	result.Requests, result.Bytes = int(r.Stats.Requests.Load()), r.Stats.Bytes.Load()
	result.Remembered = r.rememberedEvents()
	result.LimitReached, result.Incomplete = r.ledger.limit, r.ledger.incomplete
	result.Failed, result.Remaining = r.keeper.names(), r.ledger.remainingTexts()
	return result, nil
}

// iteration runs the jobs of one iteration.
func (r *run) iteration(ctx context.Context, it iteration) error {
	client, err := r.client(it)
	if err != nil {
		return err
	}
	defer client.Close()
	jobs := r.newJobRunner(it, client)
	if jobs.bucket, err = r.tables.bucket(it); err != nil {
		return err
	}
	for _, read := range jobs.rememberedValues(r.program.reads) {
		if read.Value != "" || read.Values > 0 {
			r.Log.Emit(event.StateRead{Name: read.Name, Value: read.Value, Values: read.Values, Iteration: it.number})
		}
	}
	for _, j := range it.jobs {
		if r.keeper.hasFailed(j) {
			continue
		}
		if err := r.keeper.keep(ctx, j, jobs.root(ctx, j)); err != nil {
			return err
		}
	}
	return nil
}

// client returns the client of an iteration, which has its own login.
func (r *run) client(it iteration) (*httpclient.Client, error) {
	r.Secrets.AddAddress(it.BaseURL.String())
	o := httpclient.Options{
		Shared:   r.Shared,
		API:      r.program.doc.API,
		BaseURL:  it.BaseURL,
		Debug:    it.Debug,
		Identity: auth.Identity(r.program.doc, it.Iteration, r.program.features.Auth),
		DryRun:   r.dry,

		KeepLogins: len(auth.Remembered(it.auth)) > 0,
	}
	o.Endpoints, o.AnonymousEndpoints = r.program.endpoints(it, r.scope(it))
	if it.auth != nil {
		o.Auth = it.auth.Start(r.Run, r.iterationValues[it.Key])
	}
	return httpclient.New(o)
}

// scope returns the scope of expressions that all jobs of an iteration share.
func (r *run) scope(it iteration) *expr.Scope {
	return &expr.Scope{
		Now:    r.Now,
		Random: func(n int) ([]byte, error) { return r.Random(n, "a function") },
		Contexts: map[expr.Context]expr.Members{
			expr.Attr:       it.attributes,
			expr.Time:       {"previousStart": r.time.Previous(), "currentStart": r.time.Current()},
			expr.Remembered: r.iterationValues[it.Key].AllBefore(),
		},
	}
}

// newJobRunner returns what runs the jobs of an iteration.
func (r *run) newJobRunner(it iteration, client *httpclient.Client) *jobRunner {
	seconds, _ := r.time.Current().Int()
	skipped := &skippedRuns{}
	values := r.iterationValues[it.Key]
	return &jobRunner{
		run:    r,
		client: client,
		names:  newJobNames(it.jobs),
		ledger: &jobsLedger{
			runLedger: r.ledger, it: it, secrets: r.Secrets, iterationValues: values, time: r.time,
			statistics: statistics{}, skippedRuns: skipped,
		},
		dispatcher: &dispatcher{
			evaluator: &evaluator{
				it: it, secrets: r.Secrets, log: r.Log,
				defaultMethod: r.program.doc.API.DefaultOptions.Field(config.DefaultMethod.Name).Text(),
			},
			scope: r.scope(it), iterationValues: values, standIn: r.standIn, started: time.Unix(seconds, 0), skippedRuns: skipped,
		},
	}
}

// root runs a root job with all its children. Then it emits a summary of each of these
// jobs.
func (jr *jobRunner) root(ctx context.Context, j *job) error {
	jr.rootNumber++
	requests, waited := &jr.run.Stats.Requests, &jr.run.Stats.Waited
	jr.ledger.progress = progress{
		job: j, log: jr.run.Log, now: jr.run.Now, last: jr.run.Now(),
		requests: requests, waited: waited, requestsBefore: requests.Load(), waitedBefore: waited.Load(),
	}
	defer jr.run.Live.Forget()
	// A run with limits is serial.
	concurrency := jr.run.program.doc.API.Concurrency
	in := invocation{endpoint: j.Endpoint, limit: jr.windowLimit(j)}
	var err error
	if jr.run.Limits == (env.Limits{}) && concurrency > 1 {
		err = jr.parallel(ctx, j, in, concurrency)
	} else {
		err = jr.eachWindow(j, in, jr.serialRunner(ctx, nil))
	}
	if err == nil || isLimit(err) {
		if found := jr.ledger.finish(j, err != nil); found != nil {
			err = found
		}
	}
	if err == nil {
		jr.ledger.warnForgetting(j)
	}
	if err == nil || isLimit(err) {
		jr.ledger.statistics.report(jr.run.Log, j, jr.skippedRuns)
		jr.endWindows(j, in.limit, err != nil)
	} else {
		jr.ledger.statistics.unfinished(jr.run.Log, j)
	}
	return err
}
