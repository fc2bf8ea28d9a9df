// Package testvalue makes values of the JSON texts in tests.
package testvalue

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Parse is the value of a JSON text, which must be one.
func Parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
