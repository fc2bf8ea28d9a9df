//go:build race

package secret

import "testing"

// raceDetector is whether this test was built with it. A search has no goroutines,
// and with the detector takes thirty times as long.
const raceDetector = true

// withoutRaceDetector leaves a test to a run without the race detector, which
// .ci/run makes too.
func withoutRaceDetector(t *testing.T) {
	t.Skip("SKIPPED: nothing runs side by side here, and the race detector makes it thirty times slower")
}
