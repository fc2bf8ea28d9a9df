package field

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// position is the number of the member or item with that name; the number of
// all of them when there is none.
func position(v value.Value, name string) int {
	if v.Kind() == value.Array {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < v.Len() && strconv.Itoa(i) == name {
			return i
		}
		return v.Len()
	}
	if at := slices.IndexFunc(v.Members(), func(m value.Member) bool { return m.Name == name }); at >= 0 {
		return at
	}
	return v.Len()
}

func child(v value.Value, at int) value.Value {
	if v.Kind() == value.Array {
		return v.Items()[at]
	}
	return v.Members()[at].Value
}

// InOrder is the list without repetitions, in the order of the document; of one
// place in the order of their discovery.
func InOrder(doc value.Value, problems failure.Problems) failure.Problems {
	type placed struct {
		failure.Problem
		path []int
	}
	all := make([]placed, 0, len(problems))
	for _, p := range problems.Unique() {
		all = append(all, placed{p, path(doc, p.Pointer)})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return slices.CompareFunc(a.path, b.path, cmp.Compare) })
	var sorted failure.Problems
	for _, p := range all {
		sorted = append(sorted, p.Problem)
	}
	return sorted
}

// path is a JSON pointer as positions, which sort like the document.
func path(v value.Value, pointer string) []int {
	var positions []int
	for _, segment := range failure.PointerSplit(pointer) {
		at := position(v, segment)
		positions = append(positions, at)
		if at == v.Len() {
			break
		}
		v = child(v, at)
	}
	return positions
}
