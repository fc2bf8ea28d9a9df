package engine

import (
	"iter"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// storedRows returns the rows of a page that satisfy `rowFilter`. They are stored and get
// child jobs. Pagination also counts the other rows. A row is valid until the next row is
// read.
func (r *jobRun) storedRows(page *response.Page) iter.Seq2[value.Packed, error] {
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

// passes reports whether a row satisfies a condition. A scalar row is compared as an
// object with a single member named scalar.
func passes(c condition.Condition, row value.Packed) (bool, error) {
	if !c.Given() {
		return true, nil
	}
	if row.Kind() != value.Object && row.Kind() != value.Array {
		row = value.OfMembers(value.Member{Name: "scalar", Value: row.Value()}).AppendPacked(nil)
	}
	return c.Holds(func(path string) (value.Value, error) {
		v, _ := row.At(path, ".")
		return v, nil
	})
}
