// Package extract is the engine: it walks iterations, jobs and pages in the one
// documented order, asks paging for the next request, and hands the rows to the
// tables. It decides what happens when; how a request is sent, a page is read or
// a row becomes cells is the business of other rooms.
package extract

import (
	"context"
	"net"
	"time"

	"github.com/keboola/configurable-extractor/pkg/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/datadir"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/expr"
	"github.com/keboola/configurable-extractor/pkg/pagination"
	"github.com/keboola/configurable-extractor/pkg/response"
	"github.com/keboola/configurable-extractor/pkg/target"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Plan is a document whose every part is compiled, ready to run.
type Plan struct {
	doc        *config.Document
	iterations []iteration
}

// iteration is one run of all jobs.
type iteration struct {
	config.Iteration
	scrollers pagination.Scrollers
	auth      auth.Method // nil when there is none
}

// Compile lets paging and authentication read their sections of the document.
// Problems go to the document's list; nothing is sent.
func Compile(doc *config.Document) *Plan {
	p := &Plan{doc: doc}
	for _, it := range doc.Iterations {
		compiled := iteration{Iteration: it, scrollers: pagination.Compile(it.API.Pagination), auth: auth.Compile(doc, it)}
		compiled.checkScrollers(it.Jobs)
		checkSupported(doc, it)
		p.iterations = append(p.iterations, compiled)
	}
	return p
}

// checkScrollers reports jobs that name a scroller which is not defined.
func (it iteration) checkScrollers(jobs []config.Job) {
	for _, job := range jobs {
		if _, err := it.scrollers.For(job.Scroller); err != nil {
			at := config.NewSection(value.OfString(job.Scroller), job.Pointer+"/scroller", it.API.Pagination.Problems())
			at.Problem(err.Error(), "")
		}
		it.checkScrollers(job.Children)
	}
}

// Jobs is the number of root jobs of all iterations.
func (p *Plan) Jobs() int {
	n := 0
	for _, it := range p.iterations {
		n += len(it.Jobs)
	}
	return n
}

// Deps is what a run works with.
type Deps struct {
	Stage   *datadir.Stage
	State   value.Value // of the previous run, null for none
	Log     *event.Log
	Secrets *event.Secrets
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Getenv  func(string) string
	// UserAgent is sent unless the configuration names another.
	UserAgent string
}

// Result sums a run up.
type Result struct {
	Requests int
	Bytes    int64
	Rows     int
	Tables   int
	// State is what the next run is to start from.
	State value.Value
}

// run is one run of a plan.
type run struct {
	Deps
	plan    *Plan
	spooler *response.Spooler
	scanner *response.Scanner
	stats   target.Stats
	tables  *tables
	times   expr.Members
}

// Run runs all iterations and leaves the tables in the stage. Nothing is
// visible in the data directory until the stage is committed.
func (p *Plan) Run(ctx context.Context, d Deps) (Result, error) {
	start := d.Now().Unix()
	r := &run{
		Deps:    d,
		plan:    p,
		spooler: response.NewSpooler(d.Stage.Temp(), response.MemoryLimit),
		scanner: response.NewScanner(d.Secrets.Redact),
		tables:  newTables(d),
		times: expr.Members{
			"previousStart": previousStart(d.State),
			"currentStart":  value.OfInt(start),
		},
	}
	err := r.iterations(ctx)
	var written []tableRows
	if err == nil {
		written, err = r.tables.write(ctx)
	}
	structures := r.tables.structures()
	if closing := r.tables.close(); err == nil {
		err = closing
	}
	if err != nil {
		return Result{}, err
	}
	result := Result{
		Requests: int(r.stats.Requests.Load()),
		Bytes:    r.stats.Bytes.Load(),
		Tables:   len(written),
		State:    nextState(d.State, start, structures),
	}
	for _, t := range written {
		result.Rows += t.rows
	}
	return result, nil
}

func (r *run) iterations(ctx context.Context) error {
	for _, it := range r.plan.iterations {
		if err := r.iteration(ctx, it); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) iteration(ctx context.Context, it iteration) error {
	var authenticate func(*target.Client) target.Authenticator
	if it.auth != nil {
		authenticate = func(c *target.Client) target.Authenticator {
			return it.auth.Start(auth.Deps{Login: c.Login, Now: r.Now, Log: r.Log, Secrets: r.Secrets})
		}
	}
	client, err := target.New(target.Options{
		API:          it.API,
		AllowedHosts: r.plan.doc.AllowedHosts,
		Debug:        it.Debug,
		UserAgent:    r.UserAgent,
		Spooler:      r.spooler,
		Log:          r.Log,
		Secrets:      r.Secrets,
		Now:          r.Now,
		Sleep:        r.Sleep,
		Dial:         r.Dial,
		Getenv:       r.Getenv,
		Stats:        &r.stats,
	}, authenticate)
	if err != nil {
		return err
	}
	defer client.Close()
	sink, err := r.tables.bucket(it.Iteration)
	if err != nil {
		return err
	}
	jobs := jobRunner{run: r, it: it, client: client, sink: sink, scope: &expr.Scope{
		Now:      r.Now,
		Contexts: map[expr.Context]expr.Members{expr.Attr: expr.Flatten(it.Attributes), expr.Time: r.times},
	}}
	for _, job := range it.Jobs {
		if err := jobs.run1(ctx, job); err != nil {
			return err
		}
	}
	return nil
}
