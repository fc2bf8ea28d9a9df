package engine

import (
	"context"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Probe is what the first request of the first job brought.
type Probe struct {
	Method string
	// URL as it was sent, credentials included.
	URL    string
	Status int
	// Rows is the number of items on the page.
	Rows int
	// Sample are the first of them, at most MaxSample.
	Sample []value.Value
}

// MaxSample is how many items a Probe holds at most.
const MaxSample = 10

// Probe logs in and sends the first request of the first job of the first
// iteration, and nothing else. No table is written.
func (p *Plan) Probe(ctx context.Context, d Deps) (probe Probe, err error) {
	it := p.iterations[0]
	if len(it.jobs) == 0 {
		return Probe{}, failure.Userf("there is no job to try")
	}
	r := p.newRun(d)
	defer r.tunnel.Close()
	client, err := r.client(it)
	if err != nil {
		return Probe{}, err
	}
	defer client.Close()
	j := it.jobs[0]
	jobs := jobRunner{run: r, client: client, scope: r.scope(it), ignored: p.doc.API.IgnoreErrors, tally: tally{}, failIncomplete: it.FailIncomplete}
	base, err := jobs.request(j, place{endpoint: j.Endpoint}, jobs.scope)
	if err != nil {
		return Probe{}, err
	}
	request, _ := j.scroller.First(base, d.Now())
	answer, err := client.Do(ctx, request)
	if err != nil {
		return Probe{}, failure.Within("job "+j.Endpoint, j.Pointer, err)
	}
	defer answer.Body.Close()
	one := &jobRun{jobRunner: &jobs, job: j, place: place{endpoint: j.Endpoint}, pages: 1}
	page, err := one.scan(answer)
	if err == nil {
		err = one.check(answer, page)
	}
	if found := one.tell(one.taken()); err == nil {
		err = found
	}
	if err != nil {
		return Probe{}, failure.Within("job "+j.Endpoint, j.Pointer, err)
	}
	probe = Probe{Method: answer.Method, URL: answer.URL, Status: answer.Status, Rows: page.Rows, Sample: []value.Value{}}
	for row, err := range one.filtered(page) {
		if err != nil {
			return Probe{}, err
		}
		if probe.Sample = append(probe.Sample, row); len(probe.Sample) == MaxSample {
			break
		}
	}
	return probe, nil
}
