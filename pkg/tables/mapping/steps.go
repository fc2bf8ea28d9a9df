package mapping

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// userSeparator separates the segments of paths to user and parent columns; their
// names may hold dots.
const userSeparator = "/"

// segments are the segments of a path; without any it leads to the value itself. It
// leads where value.Value.At goes.
type segments []string

// segmentsOf are the segments of a path of a setting.
func segmentsOf(s entry, path string) segments {
	separator := s.delimiter
	if s.kind == typeUser {
		separator = userSeparator
	}
	return slices.Collect(value.Segments(path, separator))
}

// find is the value that the segments lead to, null when there is none. That the
// whole path may be a name is not looked at.
func (p segments) find(v value.Packed) value.Packed {
	found, _ := v.Walk(p)
	return found
}
