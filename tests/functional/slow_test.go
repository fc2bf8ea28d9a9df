package functional

import "testing"

// slow skips a test with -short, and with the race detector, which makes it take
// minutes. CI runs the tests that the race detector skips without it.
func slow(t *testing.T, why string) {
	t.Helper()
	if raceDetector || testing.Short() {
		t.Skip("SKIPPED with -short and with the race detector: " + why)
	}
}
