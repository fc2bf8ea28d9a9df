// Package testvalue parses the JSON texts of tests.
package testvalue

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Parse returns the value of a JSON text. Invalid JSON ends the test.
func Parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
