package pagination

import (
	"fmt"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// checkRequired reports required keys of a method that a section lacks.
func checkRequired(s config.Section, m Method) {
	for _, f := range field.Fields(m.Needed...) {
		if !s.Get(f.Name).Present() {
			missingKey(s, failure.Text(fmt.Sprintf("expected the key %q, which the method %s needs", f.Name, m.Name)))
		}
	}
}

// missingKey reports a problem with the keys of a section. The problem does not show the
// value of the section.
func missingKey(s config.Section, expected failure.Text) {
	s.Problems().Add(failure.Problem{Code: failure.MissingKey, Pointer: s.Pointer, Expected: expected})
}

// object reports whether a group of settings is present. It reports a problem if the
// value is not an object.
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

// boolean returns a setting that must be true or false. A missing setting is false.
func boolean(s config.Section) bool {
	if s.Value.Kind() != value.Bool && !s.Value.IsNull() {
		s.Fault(failure.WrongType, "expected true or false", "")
	}
	return s.Value.True()
}

// pointerOf returns the JSON pointer of a setting of a scroller. If the setting is missing,
// it returns the pointer of the method, which determines the default.
func pointerOf[T any](s config.Section, setting field.Setting[T]) string {
	if _, ok := s.Value.Get(setting.Name); !ok {
		return MethodName.In(s).Pointer
	}
	return setting.In(s).Pointer
}
