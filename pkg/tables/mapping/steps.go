package mapping

import (
	"slices"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// userSeparator separates the segments of paths to user and parent columns. The names
// of these columns may contain dots.
const userSeparator = "/"

// segments are the segments of a path, see value.Segments. A path without segments
// leads to the value itself.
type segments []string

// segmentsOf returns the segments of a path of a setting.
func segmentsOf(s entry, path string) segments {
	separator := s.delimiter
	if s.kind == typeUser {
		separator = userSeparator
	}
	return slices.Collect(value.Segments(path, separator))
}

// find returns the value that the segments lead to, or null. Unlike value.Value.At it
// does not look for a member with the whole path as its name.
func (p segments) find(v value.Packed) value.Packed {
	found, _ := v.Walk(p)
	return found
}
