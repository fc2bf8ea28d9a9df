// Package slowtest skips tests that take a long time, with `go test -short ./...` and
// with the race detector. With Turn, a plain `go test ./...` runs only a part of many
// combinations. CI runs all tests completely.
package slowtest

import (
	"os"
	"testing"
)

// Skip skips a slow test with -short. why is the reason that the test is slow.
func Skip(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED with -short: " + why)
	}
}

// SkipRace skips a test with -short and with the race detector, which makes the test
// take minutes and has little to find in it. CI runs such tests without the detector:
// .ci/run looks for the packages that call this function.
func SkipRace(t testing.TB, why string) {
	t.Helper()
	if RaceDetector || testing.Short() {
		t.Skip("SKIPPED with -short and with the race detector: " + why)
	}
}

// CI reports whether the tests run in CI, where the variable CI is true.
func CI() bool { return os.Getenv("CI") == "true" }

// OutsideCI skips a test outside of CI. why is the reason.
func OutsideCI(t testing.TB, why string) {
	t.Helper()
	if !CI() {
		t.Skip("SKIPPED without CI=true: " + why)
	}
}

// Turn reports whether to test the combination with a number. CI tests all
// combinations. Otherwise only one of `every` combinations is tested, always the same.
func Turn(number, every int) bool { return CI() || number%every == 0 }
