package engine

import (
	"context"
	"errors"

	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Probe describes the response to the first request of the first job.
type Probe struct {
	Method string
	// URL is the URL as it was sent, including credentials.
	URL    string
	Status int
	// Rows is the number of items on the page.
	Rows int
	// Sample are the first items that pass `rowFilter`, at most ten.
	Sample []value.Value
}

// Probe logs in and sends the first request of the first job of the first iteration. It
// sends no further requests, unless a rule restarts the job, and writes no table.
func (p *Program) Probe(ctx context.Context, e *env.Run) (probe Probe, err error) {
	it := p.iterations[0]
	if len(it.jobs) == 0 {
		return Probe{}, failure.Userf("there is no job to try")
	}
	r := p.newRun(e)
	defer r.Close()
	client, err := r.client(it)
	if err != nil {
		return Probe{}, err
	}
	defer client.Close()
	j := it.jobs[0]
	jobs := r.newJobRunner(it, client)
	in := invocation{endpoint: j.Endpoint}
	shouldRun, err := jobs.shouldRun(j, in, nil)
	if err == nil && !shouldRun {
		err = failure.Userf("%w", errSkipped).At(failure.PointerJoin(j.Pointer, config.JobIf.Name))
	}
	if err == nil && j.Windows != nil {
		if in, err = jobs.firstWindow(j, in); errors.Is(err, errNoWindow) {
			err = failure.Userf("%w", err).At(j.Windows.Pointer)
		}
	}
	if err != nil {
		return Probe{}, err
	}
	one, err := jobs.start(j, in)
	if err != nil {
		return Probe{}, err
	}
	request, res, err := one.stream.sendFirst(ctx)
	for err == nil && res.Decision.Is(rule.Restart) {
		if err = one.stream.startAgain(res); err == nil { // a second restart is a user error
			request, res, err = one.stream.sendFirst(ctx)
		}
	}
	result := one.stream.read(request, nil, res, err)
	if result.body != nil {
		defer result.body.Close()
	}
	if err := one.ledger.report(result); err != nil {
		return Probe{}, failure.Wrap("job "+j.name, j.Pointer, err)
	}
	probe = Probe{Method: res.Method, URL: res.Request.Address(), Status: res.Status, Sample: []value.Value{}}
	if result.page == nil {
		return probe, nil // there is no page, because a rule skipped the response
	}
	probe.Rows = result.page.Rows
	for row, err := range storedRows(j, nil, result.page) {
		if err != nil {
			return Probe{}, err
		}
		if probe.Sample = append(probe.Sample, row.Value()); len(probe.Sample) == 10 {
			break
		}
	}
	return probe, nil
}

// sendFirst sends the first request of a run of a job. Events about it name no job, because
// no job runs.
func (s *stream) sendFirst(ctx context.Context) (config.RequestSpec, *httpclient.Response, error) {
	request, _ := s.scroller.First(s.base.RequestSpec, s.now())
	p, err := s.prepare(nil, request)
	if err != nil {
		return request, nil, err
	}
	res, err := s.client.Do(ctx, p.full, httpclient.JobInfo{Accept: s.format.Accept, Anonymous: s.Anonymous, Headers: p.headers, Rules: s.rules})
	return request, res, err
}
