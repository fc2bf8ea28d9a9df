// Package short leaves tests out of the inner loop, `go test -short ./...`. CI
// never uses -short.
package short

import "testing"

// Skip skips a slow test with -short, and says why it is slow.
func Skip(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED with -short: " + why)
	}
}
