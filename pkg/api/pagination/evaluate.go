package pagination

import (
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// evaluator is a scroller with expressions in its settings.
type evaluator interface {
	// expressions returns the objects or lists of expressions.
	expressions() []config.Section
	// evaluated returns the scroller with the values of its expressions, in their order.
	evaluated([]value.Value) Scroller
}

// Expressions returns the settings of a scroller that are evaluated for each run of a
// job.
func Expressions(s Scroller) []config.Section {
	if e, ok := withoutStoppers(s).(evaluator); ok {
		return e.expressions()
	}
	return nil
}

// Evaluated returns the scroller with the given values of its Expressions.
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
