package engine

import (
	"iter"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// storedRows are the rows of a page that satisfy `rowFilter`: they are stored, and get child
// jobs. Paging counts the others too. Each is gone
// when the next one comes.
func (r *jobRun) storedRows(page *answer.Page) iter.Seq2[value.Packed, error] {
	all := r.parsedRows(page)
	if !r.rowFilter.Given() {
		return all
	}
	return func(yield func(value.Packed, error) bool) {
		for row, err := range all {
			keep := err != nil
			if !keep {
				keep, err = passes(r.rowFilter, row)
			}
			if (keep || err != nil) && !yield(row, err) {
				return
			}
		}
	}
}
