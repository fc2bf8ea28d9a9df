package engine

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// responseFilter turns parts of each row into JSON text, so that they become
// cells instead of columns and tables.
type responseFilter struct {
	paths [][]step
	// lenient is compatLevel 2: empty values are left alone and scalars become
	// plain text.
	lenient bool
	pointer string
}

// step is one segment of a path; each means: every item of the list there.
type step struct {
	name string
	each bool
}

func compileResponseFilter(job config.Job, compatLevel int) responseFilter {
	f := responseFilter{lenient: compatLevel == 2, pointer: failure.PointerJoin(job.Pointer, "responseFilter")}
	for _, path := range job.ResponseFilter {
		var steps []step
		for segment := range strings.SplitSeq(path, job.ResponseFilterDelimiter) {
			name, each := strings.CutSuffix(segment, "[]")
			steps = append(steps, step{name, each})
		}
		f.paths = append(f.paths, steps)
	}
	return f
}

// apply is the row with every path filtered, in their order.
func (f responseFilter) apply(row value.Value) (value.Value, error) {
	for _, path := range f.paths {
		var err error
		if row, err = f.walk(row, path); err != nil {
			return row, err
		}
	}
	return row, nil
}

// walk follows a path. What is not there, or no object, is left alone.
func (f responseFilter) walk(v value.Value, path []step) (value.Value, error) {
	s, rest := path[0], path[1:]
	member, ok := v.Get(s.name)
	if !ok || f.lenient && member.Empty() && member.Kind() != value.Object {
		return v, nil
	}
	change := f.text
	if len(rest) > 0 {
		change = func(v value.Value) (value.Value, error) { return f.walk(v, rest) }
	}
	if !s.each {
		changed, err := change(member)
		return v.With(s.name, changed), err
	}
	if member.Kind() != value.Array {
		return v, failure.Userf("'%s' is not a list, though the filter says '%s[]'", s.name, s.name).At(f.pointer)
	}
	items := make([]value.Value, member.Len())
	for i, item := range member.Items() {
		var err error
		if items[i], err = change(item); err != nil {
			return v, err
		}
	}
	return v.With(s.name, value.OfItems(items...)), nil
}

// text is a value as JSON text.
func (f responseFilter) text(v value.Value) (value.Value, error) {
	if f.lenient && v.IsScalar() {
		return value.OfString(v.Cell()), nil
	}
	return value.OfString(string(v.AppendEscapedJSON(nil))), nil
}
