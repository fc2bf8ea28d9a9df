package field

import (
	"cmp"
	"slices"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// InOrder sorts problems in the order of the document and removes duplicates. Problems
// with the same pointer keep their order.
func InOrder(doc value.Value, problems failure.Problems) failure.Problems {
	type located struct {
		failure.Problem
		path []int
	}
	all := make([]located, 0, len(problems))
	for _, p := range problems.Unique() {
		all = append(all, located{p, path(doc, p.Pointer)})
	}
	slices.SortStableFunc(all, func(a, b located) int { return slices.CompareFunc(a.path, b.path, cmp.Compare) })
	var sorted failure.Problems
	for _, p := range all {
		sorted = append(sorted, p.Problem)
	}
	return sorted
}

// path converts a JSON pointer to indexes, which sort in the order of the document.
func path(v value.Value, pointer string) []int {
	var positions []int
	for _, token := range failure.PointerSplit(pointer) {
		child, at := v.Child(token)
		if at < 0 {
			return append(positions, v.Len())
		}
		positions = append(positions, at)
		v = child
	}
	return positions
}
