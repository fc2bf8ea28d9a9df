// Package slowtest skips tests that take a long time: in the inner loop,
// `go test -short ./...`, and in runs with the race detector. A few take their turn: a
// plain `go test ./...` runs a part of their combinations. CI runs all of all tests.
package slowtest

import (
	"os"
	"testing"
)

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

// CI reports whether this is a run of CI, where the variable CI is true.
func CI() bool { return os.Getenv("CI") == "true" }

// OutsideCI skips a test that only CI runs, and says what it takes.
func OutsideCI(t testing.TB, why string) {
	t.Helper()
	if !CI() {
		t.Skip("SKIPPED without CI=true: " + why)
	}
}

// Turn reports whether it is the turn of a combination, by its number: of every so
// many combinations one is tried, in CI all. The same ones are tried every time.
func Turn(number, every int) bool { return CI() || number%every == 0 }
