package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/pagination"
	"github.com/keboola/configurable-extractor/pkg/config"
)

// jobRunner runs the jobs of one iteration.
type jobRunner struct {
	*dispatcher
	run    *run
	client *httpclient.Client
	bucket *bucket
	ledger *jobsLedger
	names  jobNames
	// rootNumber is the number of the current root job, counted from 1.
	rootNumber int
}

// jobRun is one run of one job: its three parts.
type jobRun struct {
	stream   *stream
	pipeline *pipeline
	ledger   *ledger
}

// start returns a run of a job. It evaluates expressions and sends no request.
func (jr *jobRunner) start(j *job, in invocation) (*jobRun, error) {
	r, doc := jr.run, jr.run.program.doc
	events := &pageEvents{slices.Clip(in.events)} // other runs share in.events
	live := r.Live.Job(j, j.name, len(in.parents)).At(j.Pointer, j.iteration)
	if j.NotStored {
		live.Unstored()
	}
	found := &evidence{}
	l := &ledger{
		jobsLedger: jr.ledger, job: j, invocation: &in, evaluator: jr.evaluator,
		evidence: found, accumulators: newAccumulators(j.remembers),
	}
	p := &pipeline{
		dispatcher: jr.dispatcher, job: j, invocation: &in, ledger: l,
		scanner: r.scanner, api: &doc.API, bucket: jr.bucket, files: r.files, live: r.Live, liveJob: live, pageEvents: events,
		itemNames: jr.names, naming: jr.names.namings[j],
	}
	s := &stream{
		evaluator: jr.evaluator, job: j, invocation: &in, pipeline: p, evidence: found, pageEvents: events,
		client: jr.client, now: r.Now, scope: jr.scopeOf(in).Warning(warningCollector(&events.list)),
		sample: sampleOf(j, r.Sample), rounds: newRounds(j), liveJob: live, rootNumber: jr.rootNumber,
		recorder: r.Recorder, traced: r.Recorder != nil || r.dry != nil, doc: doc, features: r.program.features,
	}
	return &jobRun{s, p, l}, s.begin()
}

// complete counts a run that a stopper has ended, checks whether its data is complete, and
// saves its remembered values.
func (r *jobRun) complete(stop pagination.Stop) error {
	r.countSample()
	return r.ledger.complete(stop)
}

// countSample records that the run ended because its sample was complete.
func (r *jobRun) countSample() {
	if s := r.stream.sample; s.dropped {
		r.ledger.recordLimit("sample", float64(s.size), float64(s.size), r.ledger.job)
	}
}

// serial is the driver of a job that stores each page and runs its children before the
// next request.
type serial struct {
	*jobRunner
	*jobRun
	position position
}

// serialRunner returns a runFunc that runs the jobs below a position one after another.
func (jr *jobRunner) serialRunner(ctx context.Context, at position) runFunc {
	n := 0
	return func(j *job, in invocation) error {
		n++
		in.position = at.child(n)
		defer in.counted.End()
		r, err := jr.start(j, in)
		if err != nil {
			return err
		}
		stop, err := r.stream.fetch(ctx, serial{jr, r, in.position})
		if reached, ok := errors.AsType[*httpclient.LimitReached](err); ok {
			r.ledger.recordLimit(reached.Budget, reached.Limit, reached.Reached, j)
			r.countSample()
			r.ledger.count(pagination.Stop{Rule: reached.Error()})
		}
		if err != nil {
			return r.ledger.pageError(r.stream.pages, err)
		}
		return r.complete(*stop)
	}
}

func (s serial) sendNext(ctx context.Context, request config.RequestSpec, _ pagination.State, _ pagination.PageInfo) (*httpclient.Response, error) {
	p, err := s.stream.prepare(s.position.child(s.stream.pages+1), request)
	if err != nil {
		return nil, err
	}
	return s.stream.send(ctx, p)
}

func (s serial) process(ctx context.Context, p *pageResult) (pagination.IDs, error) {
	if p.body != nil {
		defer p.body.Close()
	}
	ids, err := s.pipeline.store(ctx, p)
	if err == nil && p.page != nil {
		err = s.pipeline.eachChild(p.page, s.serialRunner(ctx, s.position.child(p.number)))
	}
	return ids, err
}

func (serial) restart() {}

func (serial) discardPending() {}

func (s serial) finish(ctx context.Context) error {
	return s.pipeline.runLastBatches(s.serialRunner(ctx, s.position.child(s.stream.pages+1)))
}
