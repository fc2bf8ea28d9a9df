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
	// Sample are the first items that pass `rowFilter`, at most MaxSample.
	Sample []value.Value
}

// MaxSample is the maximum number of items in Probe.Sample.
const MaxSample = 10

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
	in, err := jobs.firstWindow(j, invocation{endpoint: j.Endpoint})
	switch {
	case errors.Is(err, errNoWindow):
		err = failure.Userf("%w", err).At(j.Windows.Pointer)
	case errors.Is(err, errSkipped):
		err = failure.Userf("%w", err).At(failure.PointerJoin(j.Pointer, config.JobIf.Name))
	}
	if err != nil {
		return Probe{}, err
	}
	one, err := jobs.start(j, in)
	if err != nil {
		return Probe{}, err
	}
	request, res, err := one.sendFirst(ctx)
	if err == nil && res.Decision.Is(rule.Restart) {
		if err = one.startAgain(res); err == nil {
			request, res, err = one.sendFirst(ctx)
		}
	}
	if err == nil && res.Decision.Is(rule.Restart) {
		err = one.startAgain(res) // returns a user error, because a second restart is not allowed
	}
	result := one.read(request, nil, res, err)
	if result.body != nil {
		defer result.body.Close()
	}
	if err := one.report(result); err != nil {
		return Probe{}, failure.Wrap("job "+j.name, j.Pointer, err)
	}
	probe = Probe{Method: res.Method, URL: res.Request.Address(), Status: res.Status, Sample: []value.Value{}}
	if result.page == nil {
		return probe, nil // there is no page, because a rule skipped the response
	}
	probe.Rows = result.page.Rows
	for row, err := range one.storedRows(result.page) {
		if err != nil {
			return Probe{}, err
		}
		if probe.Sample = append(probe.Sample, row.Value()); len(probe.Sample) == MaxSample {
			break
		}
	}
	return probe, nil
}

// sendFirst sends the first request of a run of a job.
func (r *jobRun) sendFirst(ctx context.Context) (config.RequestSpec, *httpclient.Response, error) {
	request, _ := r.scroller.First(r.base.RequestSpec, r.run.Now())
	out, err := r.prepare(request)
	if err != nil {
		return request, nil, err
	}
	res, err := r.client.Do(ctx, out.RequestSpec, httpclient.JobInfo{Accept: r.format.Accept, Anonymous: r.Anonymous, Headers: out.headers, Rules: r.rules})
	return request, res, err
}
