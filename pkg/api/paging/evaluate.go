package paging

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// evaluating is a scroller with expressions in its settings: objects or lists of
// them.
type evaluating interface {
	expressions() []config.Section
	// evaluated is the scroller with the values of its expressions, in their order.
	evaluated([]value.Value) Scroller
}

// Expressions are the parts of a scroller's settings that are evaluated for each run
// of a job.
func Expressions(s Scroller) []config.Section {
	if e, ok := withoutStoppers(s).(evaluating); ok {
		return e.expressions()
	}
	return nil
}

// Evaluated is the scroller with these values of its Expressions.
func Evaluated(s Scroller, values []value.Value) Scroller {
	if g, ok := s.(stoppable); ok {
		g.inner = Evaluated(g.inner, values)
		return g
	}
	if e, ok := s.(evaluating); ok {
		return e.evaluated(values)
	}
	return s
}
