package engine

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// openBatch holds the values of the next batch of a child job.
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
func (r *jobRun) addToBatch(child *job, row value.Packed, run runFunc) error {
	if r.batches == nil {
		r.batches = map[*job]*openBatch{}
	}
	b := r.batches[child]
	if b == nil {
		b = &openBatch{}
		r.batches[child] = b
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
			if err := r.runBatch(child, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// runBatch runs a child job for the values of its batch, if the batch has values.
func (r *jobRun) runBatch(child *job, run runFunc) error {
	b := r.batches[child]
	switch {
	case b == nil:
		return nil
	case len(b.values) == 0:
		r.lineOf(child).Done(b.rows)
		b.rows = 0
		return nil
	}
	list := value.OfItems(b.values...)
	values := withPlaceholder(r.placeholderValues, child.placeholders[0].filledWith(list, list))
	endpoint, err := child.filledEndpoint(values)
	if err != nil {
		return err
	}
	parents := append([]value.Packed{nil}, r.parents...) // a batch has no single parent row
	in := invocation{endpoint: endpoint, placeholderValues: values, parents: parents, items: itemsOf(child, parents), window: r.window, events: b.events}
	items := r.lineOf(child).Parents(b.rows)
	defer items.End()
	*b = openBatch{}
	return r.eachWindow(child, in, countingParents(items, run))
}

// runLastBatches runs the child jobs for batches that are not full after the last page.
func (r *jobRun) runLastBatches(run runFunc) error {
	for _, child := range r.children {
		if err := r.runBatch(child, run); err != nil {
			return err
		}
	}
	return nil
}

// batchesWait reports whether a batch has values that no child job has run for.
func (r *jobRun) batchesWait() bool {
	for _, b := range r.batches {
		if len(b.values) > 0 {
			return true
		}
	}
	return false
}

// checkBatches reports placeholders without a single item. In a job with a batch, these
// are placeholders above the parent, because a batch consists of values of the parent's
// items. In other jobs, these are placeholders of an item in a batch.
func checkBatches(j *job) {
	problem := func(p placeholder, expected, hint failure.Text) {
		j.Problems().Add(failure.Problem{Code: failure.InvalidPlaceholder, Pointer: p.pointer, Expected: expected, Hint: hint})
	}
	for _, p := range j.placeholders {
		switch own := j.Batch != (config.Batch{}); {
		case own && p.level > 1:
			problem(p, "expected a placeholder of the parent's items, because a batch consists of their values", "remove the batch to run the job for each item of its parent")
		case p.level > 1 && j.Family.InBatch(p.level):
			problem(p, "expected the item of a job whose items are not requested in batches", "\"batch\" puts several items into one request; take the value from the response to that request")
		}
	}
}
