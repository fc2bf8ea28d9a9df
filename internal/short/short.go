// Package short skips tests that take a long time: in the inner loop,
// `go test -short ./...`, and in runs with the race detector. CI runs all of them.
package short

import "testing"

// Skip skips a slow test with -short, and says why it is slow.
func Skip(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED with -short: " + why)
	}
}

// SkipRace skips a test with the race detector, too, which makes it take minutes
// and has little to find in it. CI runs such tests without the detector: .ci/run
// looks for the packages that call this function.
func SkipRace(t testing.TB, why string) {
	t.Helper()
	if RaceDetector || testing.Short() {
		t.Skip("SKIPPED with -short and with the race detector: " + why)
	}
}
