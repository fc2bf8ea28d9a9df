package engine

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// eachChild runs the child jobs of a page: for each child job, for each row, for each
// combination of placeholder values or each batch of rows.
func (p *pipeline) eachChild(page *response.Page, run runFunc) error {
	for _, child := range p.children {
		if !child.Reachable {
			continue // a warning of the configuration reports that the job never runs
		}
		line, rows := p.liveChild(child), 0
		line.Expect(page.Rows)
		for row, err := range storedRows(p.job, p.naming, page) {
			if err == nil {
				rows++
				err = p.eachRun(child, row, run)
			}
			if err != nil {
				return err
			}
		}
		line.Done(page.Rows - rows)
		if !child.Batch.Across {
			if err := p.runBatch(child, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachRun runs a child job for a row, or adds the row to the batch of the child job.
func (p *pipeline) eachRun(child *job, row value.Packed, run runFunc) error {
	pass, err := passes(child.filter, row)
	switch {
	case err != nil:
		return err
	case !pass:
		p.liveChild(child).Done(1)
		return nil
	case child.Batch.Size > 0:
		return p.addToBatch(child, row, run)
	default:
		parent := p.liveChild(child).Parents(1)
		defer parent.End()
		return p.eachCombination(child, row, countingParents(parent, run))
	}
}

func (p *pipeline) liveChild(child *job) *event.LiveJob {
	return p.live.Job(child, child.Endpoint, len(p.parents)+1).At(child.Pointer, child.iteration)
}

// countingParents returns a runFunc that counts the parents of each run in the live
// progress.
func countingParents(parents *event.LiveParents, run runFunc) runFunc {
	if parents == nil {
		return run
	}
	return func(j *job, in invocation) error {
		parents.Begin()
		in.counted = parents
		return run(j, in)
	}
}

// eachCombination runs a child job for each combination of placeholder values of a row.
func (p *pipeline) eachCombination(child *job, row value.Packed, run runFunc) error {
	if len(child.children) > 0 {
		row = slices.Clone(row) // its child jobs may read the row after the page is closed
	}
	parents := append([]value.Packed{row}, p.parents...)
	var events []event.Body
	all, err := combinations(p.placeholderValues, child.placeholders, parents, warningCollector(&events))
	if err != nil {
		return err
	}
	in := invocation{parents: parents, items: itemsOf(child, parents), window: p.window, events: events}
	for values := range all {
		if err := p.runChild(child, in, values, run); err != nil {
			return err
		}
	}
	return nil
}

// openBatch collects the values for the next run of a child job with `batch`. The job runs
// if the batch is full, and for the rest of the values after the page of its parent. With
// `across` it runs for the rest after the last page.
type openBatch struct {
	values []value.Value
	rows   int          // parent rows that the values are from, for live progress
	bytes  int          // size of the values
	events []event.Body // events about the values
}

// maxBatch is the maximum size, in bytes, of the values of a batch. All of them are in
// memory and in one request.
const maxBatch = 8 << 20

// addToBatch adds the placeholder values of a row to the batch of a child job. It runs
// the child job each time the batch is full.
func (p *pipeline) addToBatch(child *job, row value.Packed, run runFunc) error {
	if p.batches == nil {
		p.batches = map[*job]*openBatch{}
	}
	b := p.batches[child]
	if b == nil {
		b = &openBatch{}
		p.batches[child] = b
	}
	b.rows++
	found, err := child.placeholders[0].find([]value.Packed{row}, warningCollector(&b.events))
	if err != nil {
		return err
	}
	for _, v := range found.values {
		if b.bytes += len(v.Raw()); b.bytes > maxBatch {
			return failure.Userf("the values of a batch have more than %d MiB: make 'batch' smaller", maxBatch>>20).At(failure.PointerJoin(child.Pointer, config.JobBatch.Name))
		}
		if b.values = append(b.values, v); len(b.values) == child.Batch.Size {
			if err := p.runBatch(child, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// runBatch runs a child job for the values of its batch, if the batch has values.
func (p *pipeline) runBatch(child *job, run runFunc) error {
	b := p.batches[child]
	switch {
	case b == nil:
		return nil
	case len(b.values) == 0:
		p.liveChild(child).Done(b.rows)
		b.rows = 0
		return nil
	}
	list := value.OfItems(b.values...)
	values := withPlaceholder(p.placeholderValues, child.placeholders[0].filledWith(list, list))
	parents := append([]value.Packed{nil}, p.parents...) // a batch has no single parent row
	in := invocation{parents: parents, items: itemsOf(child, parents), window: p.window, events: b.events}
	items := p.liveChild(child).Parents(b.rows)
	defer items.End()
	*b = openBatch{}
	return p.runChild(child, in, values, countingParents(items, run))
}

// runChild runs a child job for placeholder values.
func (p *pipeline) runChild(child *job, in invocation, values []placeholderValue, run runFunc) (err error) {
	in.placeholderValues = values
	if in.endpoint, err = child.filledEndpoint(values); err != nil {
		return err
	}
	return p.eachWindow(child, in, run)
}

// runLastBatches runs the child jobs for batches that are not full.
func (p *pipeline) runLastBatches(run runFunc) error {
	for _, child := range p.children {
		if err := p.runBatch(child, run); err != nil {
			return err
		}
	}
	return nil
}

// batchesWait reports whether a batch has values that no child job has run for.
func (p *pipeline) batchesWait() bool {
	for _, b := range p.batches {
		if len(b.values) > 0 {
			return true
		}
	}
	return false
}
