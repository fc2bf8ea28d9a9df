package pagination

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// evaluator is a scroller with expressions in its settings: objects or lists of
// them.
type evaluator interface {
	expressions() []config.Section
	// evaluated is the scroller with the values of its expressions, in their order.
	evaluated([]value.Value) Scroller
}

// Expressions are the parts of a scroller's settings that are evaluated for each run
// of a job.
func Expressions(s Scroller) []config.Section {
	if e, ok := withoutStoppers(s).(evaluator); ok {
		return e.expressions()
	}
	return nil
}

// Evaluated is the scroller with these values of its Expressions.
func Evaluated(s Scroller, values []value.Value) Scroller {
	if g, ok := s.(stoppingScroller); ok {
		g.inner = Evaluated(g.inner, values)
		return g
	}
	if e, ok := s.(evaluator); ok {
		return e.evaluated(values)
	}
	return s
}
