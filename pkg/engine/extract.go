// Package engine is the engine: it walks iterations, jobs and pages in the one
// documented order, asks paging for the next request, and hands the rows to the
// tables. It decides what happens when; how a request is sent, a page is read or
// a row becomes cells is the business of other rooms.
package engine

import (
	"context"
	"io"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/exchange"
	"github.com/keboola/configurable-extractor/pkg/api/har"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/state"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Deps is what a run works with. With `api.http.concurrency` above 1 its
// functions and Rand are used by several goroutines at once.
type Deps struct {
	// Temp is a directory for temporary files, Tables the one for the tables.
	Temp, Tables string
	// CacheDir is where `cache` keeps answers; "" leaves it off.
	CacheDir string
	State    value.Value // of the previous run, null for none
	Log      *event.Log
	Live     *event.Live // the terminal's lines, nil for none
	Secrets  *secret.Registry
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error
	Dial     exchange.Dial
	// DenyPrivateNetworks keeps requests, and the SSH tunnel, to hosts on the
	// public internet. Lookup resolves names then; nil is the system's way.
	DenyPrivateNetworks bool
	Lookup              exchange.Lookup
	Getenv              func(string) string
	// Rand is the source of nonces and random waits; nil is the system's.
	Rand io.Reader
	// UserAgent is sent unless the configuration names another.
	UserAgent string
	// Recorder keeps the exchanges of the run, Player answers in the place of the
	// network; nil for none. Now and Sleep are theirs then.
	Recorder *har.Recorder
	Player   *har.Player
	// Limits are what the run may use up. With any of them requests are sent one
	// after another, whatever `api.http.concurrency` says, so that it is always
	// the same request that goes too far.
	Limits exchange.Limits
	// Sample is how many items every run of a job takes at most; 0 is all.
	Sample int
	// After calls a function after a while, as time.AfterFunc does; it is needed
	// for Limits.Time only. nil looks at the clock between requests instead.
	After func(time.Duration, func()) (stop func() bool)
}

// Result sums a run up.
type Result struct {
	Requests int
	Bytes    int64
	Rows     int
	Tables   int
	// Incomplete is how many findings said that data may be missing, see
	// event.Finding.
	Incomplete int
	// State is what the next run is to start from.
	State value.Value
	// Cut is set when the tables hold only a part of the data, because a limit
	// was reached or because of Deps.Sample. The next run must not start from
	// State then: what was left out would be missing for ever.
	Cut *Cut
}

// run is one run of a plan.
type run struct {
	Deps
	plan    *Plan
	spooler *answer.Spooler
	scanner *answer.Scanner
	stats   exchange.Stats
	tunnel  *exchange.Tunnel // nil for none
	pacer   *exchange.Pacer
	// contacts are the origins that have answered.
	contacts exchange.Contacts
	tables   *tables
	// state is what the next run knows of this one, time what it says of the
	// start.
	state      *state.State
	time       *state.Time
	dry        *exchange.DryRun // nil for a run that sends its requests
	budget     *exchange.Budget // nil for no limit
	cut        *Cut             // nil as long as nothing was left out
	incomplete int              // findings
}

// newRun makes the run of a plan.
func (p *Plan) newRun(d Deps) *run {
	r := &run{
		Deps:    d,
		plan:    p,
		spooler: answer.NewSpooler(d.Temp, answer.MemoryLimit),
		scanner: answer.NewScanner(d.Secrets.Redact),
		tunnel:  exchange.NewTunnel(p.target, p.bastionDial(d), d.Sleep),
		tables:  newTables(d, p.typed),
		time:    state.NewTime(d.Now().Unix()),
	}
	r.state = state.Open(d.State, r.time, &r.tables.structure, &r.tables.columns)
	if d.Limits != (exchange.Limits{}) {
		r.budget = exchange.NewBudget(d.Limits, &r.stats, d.Now, d.After)
	}
	r.pacer = exchange.NewPacer(p.doc.API.RateLimit, &r.stats, d.Now, d.Sleep)
	return r
}

// bastionDial is how the SSH server is reached. The configuration names it, so it
// may be no more private than any other host.
func (p *Plan) bastionDial(d Deps) exchange.Dial {
	if !d.DenyPrivateNetworks {
		return d.Dial
	}
	return exchange.PublicOnly(d.Dial, d.Lookup, p.doc.API.ConnectTimeout)
}

// Run runs all iterations and leaves the tables in the stage. Nothing is
// visible in the data directory until the stage is committed. A run that is cut
// is no error: its tables hold what had arrived completely.
func (p *Plan) Run(ctx context.Context, d Deps) (Result, error) {
	return p.newRun(d).run(ctx)
}

func (r *run) run(ctx context.Context) (Result, error) {
	defer r.tunnel.Close()
	if r.tables.structure.Legacy {
		r.Log.Emit(event.StateWarning{Text: "it holds the structure of the original's old table parser, which is ignored; columns may get other names"})
	}
	err := r.iterations(ctx)
	if isCut(err) && ctx.Err() == nil {
		err = nil
	}
	var written []tableRows
	if err == nil {
		written, err = r.tables.write(ctx)
	}
	r.tables.structure.Latest = r.tables.structures()
	if closing := r.tables.close(); err == nil {
		err = closing
	}
	if err != nil {
		r.tables.set.Abort()
		return Result{}, err
	}
	result := Result{
		Requests:   int(r.stats.Requests.Load()),
		Bytes:      r.stats.Bytes.Load(),
		Tables:     len(written),
		State:      r.state.Next(),
		Cut:        r.cut,
		Incomplete: r.incomplete,
	}
	for _, t := range written {
		result.Rows += t.rows
	}
	return result, nil
}

func (r *run) iterations(ctx context.Context) error {
	for i, it := range r.plan.iterations {
		number := i + 1
		if len(r.plan.iterations) == 1 {
			number = 0
		}
		if err := r.iteration(ctx, it, number); err != nil {
			return err
		}
	}
	return nil
}

// iteration runs the jobs of one iteration. Its number is 0 when there is only
// one.
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
	jobs := jobRunner{run: r, client: client, sink: sink, scope: r.scope(it), number: number, concurrency: r.concurrency(), lookahead: r.plan.doc.API.Lookahead, ignored: r.plan.doc.API.IgnoreErrors, failIncomplete: it.FailIncomplete}
	for _, job := range it.jobs {
		if err := jobs.root(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// concurrency is how many requests may be under way at once.
func (r *run) concurrency() int {
	if r.budget != nil {
		return 1
	}
	return r.plan.doc.API.Concurrency
}

// client is the client of an iteration, with a login of its own.
func (r *run) client(it iteration) (*exchange.Client, error) {
	r.Secrets.AddAddress(it.BaseURL.String())
	var authenticate func(*exchange.Client) auth.Authenticator
	if it.auth != nil {
		authenticate = func(c *exchange.Client) auth.Authenticator {
			return it.auth.Start(auth.Deps{Login: c.Login, Now: r.Now, Log: r.Log, Secrets: r.Secrets, Rand: r.Rand})
		}
	}
	return exchange.New(exchange.Options{
		API:                 r.plan.doc.API,
		BaseURL:             it.BaseURL,
		Headers:             it.Headers,
		Settings:            r.plan.target,
		Endpoints:           r.plan.endpoints(it),
		AllowedHosts:        r.plan.doc.AllowedHosts,
		DenyPrivateNetworks: r.DenyPrivateNetworks,
		Lookup:              r.Lookup,
		Debug:               it.Debug,
		UserAgent:           r.UserAgent,
		Spooler:             r.spooler,
		Log:                 r.Log,
		Secrets:             r.Secrets,
		Now:                 r.Now,
		Sleep:               r.Sleep,
		Dial:                r.Dial,
		Tunnel:              r.tunnel,
		Pacer:               r.pacer,
		Contacts:            &r.contacts,
		Rand:                r.Rand,
		CacheDir:            r.CacheDir,
		Identity:            auth.Identity(r.plan.doc, it.Iteration, r.plan.features.Auth),
		Getenv:              r.Getenv,
		Stats:               &r.stats,
		Budget:              r.budget,
		Recorder:            r.Recorder,
		Player:              r.Player,
		DryRun:              r.dry,
	}, authenticate)
}

// scope is what the expressions of an iteration's jobs see.
func (r *run) scope(it iteration) *expr.Scope {
	return &expr.Scope{Now: r.Now, Contexts: map[expr.Context]expr.Members{
		expr.Attr: it.attributes,
		expr.Time: {"previousStart": r.time.Previous(), "currentStart": r.time.Current()},
	}}
}
