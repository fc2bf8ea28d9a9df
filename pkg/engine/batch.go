package engine

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// openBatch are the values of a child job's next batch, how many bytes they have, and
// the events about them.
type openBatch struct {
	values []value.Value
	rows   int // that they are from, for the live line
	bytes  int
	events []event.Body
}

// maxBatch is how many bytes the values of a batch may have: they are in memory together,
// and in one request.
const maxBatch = 8 << 20

// addToBatch adds the values that a row has for the placeholder of a child job. The
// child job runs whenever there are enough of them.
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

// runBatch runs a child job for the values of its batch, where there are any.
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
	parents := append([]value.Packed{nil}, r.parents...) // no single row is the parent
	in := invocation{endpoint: endpoint, placeholderValues: values, parents: parents, items: itemsOf(child, parents), window: r.window, events: b.events}
	items := r.lineOf(child).Parents(b.rows)
	defer items.End()
	*b = openBatch{}
	return r.eachWindow(child, in, countingParents(items, run))
}

// runLastBatches runs the child jobs whose batches have waited for another page.
func (r *jobRun) runLastBatches(run runFunc) error {
	for _, child := range r.children {
		if err := r.runBatch(child, run); err != nil {
			return err
		}
	}
	return nil
}

// batchesWait reports whether there are batches that wait for another page.
func (r *jobRun) batchesWait() bool {
	for _, b := range r.batches {
		if len(b.values) > 0 {
			return true
		}
	}
	return false
}

// checkBatches reports placeholders of a job whose values are in an item of which there
// are several, in the batch of the job itself or of one above it.
func checkBatches(j *job) {
	problem := func(p placeholder, expected, hint failure.Text) {
		j.Problems().Add(failure.Problem{Code: failure.InvalidPlaceholder, Pointer: p.pointer, Expected: expected, Hint: hint})
	}
	for _, p := range j.placeholders {
		switch own := j.Batch != (config.Batch{}); {
		case own && p.level > 1:
			problem(p, "expected a placeholder of the parent's items: these are what a batch is made of", "leave the batch out, then the job runs for each item of its parent")
		case p.level > 1 && j.Family.InBatch(p.level):
			problem(p, "expected the item of a job whose items do not come in batches", "\"batch\" puts several items into one request; take the value from the response to that request")
		}
	}
}
