package engine

import (
	"github.com/keboola/configurable-extractor/pkg/config/condition"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// passes reports whether a row satisfies a condition. A scalar row is compared as an
// object whose only member is called scalar.
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
