package mapping

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// userSeparator separates the segments of paths to user and parent columns; their
// names may hold dots.
const userSeparator = "/"

// steps are the segments of a path; without any it leads to the value itself. It
// leads where value.Value.At goes.
type steps []string

// stepsOf are the segments of the path of a setting.
func stepsOf(s setting) steps {
	separator := s.delimiter
	if s.kind == typeUser {
		separator = userSeparator
	}
	switch {
	case s.path == separator:
		return nil
	case separator == "":
		return steps{s.path}
	default:
		return strings.Split(s.path, separator)
	}
}

// find is the value that the path leads to, null when there is none.
func (p steps) find(v value.Packed) value.Packed {
	for _, segment := range p {
		v, _ = v.Step(segment)
	}
	return v
}
