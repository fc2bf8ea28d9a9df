// Package slowtest skips tests that take a long time. `go test -short ./...` skips the
// most and tries a part of others; runs with the race detector skip some. A plain
// `go test ./...` leaves tests that start browsers, containers or builds to CI, and tries a
// part of the combinations of others. CI runs all tests and all combinations.
package slowtest

import (
	"flag"
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

// OutsideCI skips a test outside CI, and says why it is slow. A test that is selected with
// -run runs, because a person wants it: for its pictures, or with more requests.
func OutsideCI(t testing.TB, why string) {
	t.Helper()
	if !CI() && !selected() {
		t.Skip("SKIPPED without CI=true or -run: " + why)
	}
}

// selected reports whether tests are selected with -run.
func selected() bool { return flag.Lookup("test.run").Value.String() != "" }

// Turn reports whether to try the combination with a number. In CI and with -run, Turn
// selects all combinations, otherwise every n-th.
func Turn(number, n int) bool { return CI() || selected() || number%n == 0 }

// ShortTurn reports whether to run the test with a number: with -short only every n-th.
func ShortTurn(number, n int) bool { return !testing.Short() || selected() || number%n == 0 }
