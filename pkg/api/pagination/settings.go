package pagination

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// require reports the keys that a method needs and a section lacks.
func require(s config.Section, m Method) {
	for _, f := range field.Fields(m.Needed...) {
		if !s.Get(f.Name).Present() {
			fault(s, failure.Text(fmt.Sprintf("expected the key %q, which the method %s needs", f.Name, m.Name)))
		}
	}
}

// fault reports what is wrong with the keys of a section, whose value need not
// be shown.
func fault(s config.Section, expected failure.Text) {
	s.Problems().Add(failure.Problem{Code: failure.MissingKey, Pointer: s.Pointer, Expected: expected})
}

// object is a group of settings, and whether it is there. What is there and is
// no object is reported.
func object(s config.Section) (config.Section, bool) {
	if !s.Present() {
		return s, false
	}
	if s.Value.Kind() != value.Object {
		s.Fault(failure.WrongType, "expected an object", "")
		return s, false
	}
	return s, true
}

// boolean is a setting that must be true or false as such; false when it is
// absent.
func boolean(s config.Section) bool {
	if s.Value.Kind() != value.Bool && !s.Value.IsNull() {
		s.Fault(failure.WrongType, "expected true or false", "")
	}
	return s.Value.True()
}

// placeOf is the place of a setting of a scroller. One that is not given has its
// default by the method.
func placeOf[T any](s config.Section, setting field.Setting[T]) string {
	if _, ok := s.Value.Get(setting.Name); !ok {
		return MethodName.In(s).Pointer
	}
	return setting.In(s).Pointer
}
