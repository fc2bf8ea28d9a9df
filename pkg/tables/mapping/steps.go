package mapping

import (
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// userSeparator parts the segments of paths to user and parent columns; their
// names may hold dots.
const userSeparator = "/"

// steps is a compiled path; without any it leads to the value itself. It leads
// where value.Value.At goes.
type steps []step

// step is one segment of a path: the name of a member, or the index of an item.
type step struct {
	name  string
	index int // none when the name is no index
}

// stepsOf compiles the path of a setting.
func stepsOf(s setting) steps {
	separator := s.delimiter
	if s.kind == typeUser {
		separator = userSeparator
	}
	if s.path == separator {
		return nil
	}
	segments := []string{s.path}
	if separator != "" {
		segments = strings.Split(s.path, separator)
	}
	compiled := make(steps, len(segments))
	for i, name := range segments {
		index, err := strconv.Atoi(name)
		if err != nil || index < 0 || strconv.Itoa(index) != name {
			index = none
		}
		compiled[i] = step{name, index}
	}
	return compiled
}

// find is the value that the path leads to, null when there is none.
func (p steps) find(v value.Packed) value.Packed {
	for _, s := range p {
		v = s.take(v)
	}
	return v
}

func (s step) take(v value.Packed) value.Packed {
	parts := v.Parts()
	switch v.Kind() {
	case value.Object:
		for parts.More() {
			name := parts.Name()
			if member := parts.Value(); string(name) == s.name {
				return member
			}
		}
	case value.Array:
		for i := 0; s.index != none && parts.More(); i++ {
			if item := parts.Value(); i == s.index {
				return item
			}
		}
	}
	return nil
}
