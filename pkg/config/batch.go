package config

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxBatch is the maximum number of values in a batch, because they are in memory
// together.
const maxBatch = 10_000

// Batch describes how many values of its placeholder a child job sends in one request.
type Batch struct {
	// Size is the maximum number of values in one request. 0 means that the job runs for
	// each value.
	Size int
	// Across lets a batch contain values from several pages of the parent.
	Across bool
}

// The settings of a batch.
var (
	JobBatch    = field.Of("batch", "Batch", "Child jobs with one placeholder: how many values of it one request contains, at most 10,000. The placeholder is the list of these values: joined by commas in the endpoint, a list as `{\"placeholder\": …}`. It adds no parent column. A batch ends with the page of the parent; with `{\"size\": 100, \"across\": true}` it continues on the next one.", batchType).Example(`100`, `{"size": 500, "across": true}`).Also("batchsize", "batch_size", "chunksize", "chunk_size")
	batchSize   = field.Integer("size", "Size", "How many values a request contains at most.").Example(`500`).Must()
	batchAcross = field.Flag("across", "Across pages", "A batch continues on the next page of the parent; the last one runs after the last page.").Typed(field.BooleanType).Example(`true`)

	batchType = &field.Type{Name: "batch", Title: "Batch", Doc: "The long form of `batch`.", Kinds: []string{"integer", "string", "object"}, NotEmpty: []string{"object"},
		Pattern: field.IntegerType.Pattern, Message: `expected a number of values, or an object with "size"`, Fields: field.Fields(batchSize, batchAcross)}
)

// batch compiles `batch` of a child job. The setting has no effect in a root job. With a
// size of 1 the placeholder is still a list.
func (c *compiler) batch(s Section, above JobScope) Batch {
	given := JobBatch.In(s)
	if above.Jobs == 0 || given.Value.IsNull() || given.Faulty() {
		return Batch{}
	}
	size, b := given, Batch{}
	if given.Value.Kind() == value.Object {
		size, b.Across = batchSize.In(given), batchAcross.Of(given)
	}
	n, _ := size.Value.Int()
	if n < 1 || n > maxBatch {
		size.Problem(batchRange, "")
		n = 1
	}
	b.Size = int(n)
	c.checkBatchPlaceholder(s, given)
	return b
}

var batchRange = failure.Text(fmt.Sprintf("expected an integer from 1 to %d", maxBatch))

// checkBatchPlaceholder reports a job with a batch that does not have exactly one
// placeholder.
func (c *compiler) checkBatchPlaceholder(s, given Section) {
	names := JobPlaceholders.In(s).Value.Members()
	lacking := func(found string, hint failure.Text) {
		given.Problems().Add(failure.Problem{Code: failure.WrongValue, Pointer: given.Pointer, Expected: "expected one placeholder beside it, " + failure.Text(found), Hint: hint})
	}
	switch {
	case len(names) == 0:
		lacking("found none", "\"placeholders\" names the value that the requests take from each parent")
	case len(names) > 1:
		lacking(fmt.Sprintf("found %d", len(names)), "the request of a batch has a list of the values of one placeholder; write the others as jobs of their own, or leave the batch out")
	}
}
