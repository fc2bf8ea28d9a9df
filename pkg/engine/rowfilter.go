package engine

import (
	"errors"
	"iter"

	"github.com/keboola/configurable-extractor/pkg/api/answer"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// rowFilter is the condition of `rowFilter`. Rows that do not satisfy it are neither
// stored nor parents; paging sees them. The zero rowFilter keeps all rows.
type rowFilter struct {
	condition condition.Condition
	pointer   string
}

// keeps reports whether a row satisfies the condition.
func (f rowFilter) keeps(row value.Packed) (bool, error) {
	keep, err := passes(f.condition, row)
	if e, ok := errors.AsType[*failure.Error](err); ok {
		return false, e.At(f.pointer)
	}
	return keep, err
}

// kept are the rows of a page that are stored, and that get child jobs. Each is gone
// when the next one comes.
func (r *jobRun) kept(page *answer.Page) iter.Seq2[value.Packed, error] {
	all := r.filtered(page)
	if len(r.rowFilter.condition) == 0 {
		return all
	}
	return func(yield func(value.Packed, error) bool) {
		for row, err := range all {
			keep := err != nil
			if !keep {
				keep, err = r.rowFilter.keeps(row)
			}
			if (keep || err != nil) && !yield(row, err) {
				return
			}
		}
	}
}
