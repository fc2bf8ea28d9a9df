package engine

import (
	"iter"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// responseFilter turns parts of each row into JSON text, so that they become cells
// instead of columns and tables.
type responseFilter struct {
	paths [][]filterSegment
	// lenient is true for compatLevel 2: empty values stay unchanged and scalars become
	// plain text.
	lenient bool
	pointer string
}

// filterSegment is a segment of a path. each is true if the segment selects every item of
// a list.
type filterSegment struct {
	name string
	each bool
}

func compileResponseFilter(job config.Job, compatLevel int) responseFilter {
	f := responseFilter{lenient: compatLevel == 2, pointer: failure.PointerJoin(job.Pointer, config.JobResponseFilter.Name)}
	for _, path := range job.ResponseFilter {
		var steps []filterSegment
		for segment := range strings.SplitSeq(path, job.ResponseFilterDelimiter) {
			name, each := strings.CutSuffix(segment, "[]")
			steps = append(steps, filterSegment{name, each})
		}
		f.paths = append(f.paths, steps)
	}
	return f
}

// apply filters rows. A row is valid until the next row is read.
func (f responseFilter) apply(all iter.Seq2[value.Packed, error]) iter.Seq2[value.Packed, error] {
	if len(f.paths) == 0 {
		return all
	}
	return func(yield func(value.Packed, error) bool) {
		var buffers [2][]byte // one buffer is read while the other is written
		for row, err := range all {
			for i, path := range f.paths {
				if err != nil {
					break
				}
				to := &buffers[i%2]
				*to, err = f.append((*to)[:0], row, path)
				row = *to
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// append appends a value and filters the value at path in it. Members that are missing,
// and values that are not objects, stay unchanged.
func (f responseFilter) append(dst []byte, v value.Packed, path []filterSegment) ([]byte, error) {
	if len(path) == 0 {
		return f.appendText(dst, v), nil
	}
	if v.Kind() != value.Object {
		return append(dst, v...), nil
	}
	s, rest := path[0], path[1:]
	return v.AppendMap(dst, func(dst, name []byte, member value.Packed) ([]byte, error) {
		switch {
		case string(name) != s.name, f.lenient && member.Kind() != value.Object && member.Empty():
			return append(dst, member...), nil
		case !s.each:
			return f.append(dst, member, rest)
		case member.Kind() != value.Array:
			return dst, failure.Userf("'%s' is not a list, but the filter has '%s[]'", s.name, s.name).At(f.pointer)
		default:
			return member.AppendMap(dst, func(dst, _ []byte, item value.Packed) ([]byte, error) { return f.append(dst, item, rest) })
		}
	})
}

func (f responseFilter) appendText(dst []byte, v value.Packed) []byte {
	if k := v.Kind(); f.lenient && k != value.Null && k != value.Array && k != value.Object {
		return value.PackString(dst, v.Cell())
	}
	return value.PackString(dst, v.AppendEscapedJSON(nil))
}

// storedRows returns the rows of a page of a job, after naming and the response filter, that satisfy
// `rowFilter`. They are stored and get child jobs. Pagination also counts the other rows. A
// row is valid until the next row is read.
func storedRows(j *job, naming *naming, page *response.Page) iter.Seq2[value.Packed, error] {
	all := j.rows.apply(naming.apply(page.Items()))
	if !j.rowFilter.Given() {
		return all
	}
	return func(yield func(value.Packed, error) bool) {
		for row, err := range all {
			keep := err != nil
			if !keep {
				keep, err = passes(j.rowFilter, row)
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
