//go:build race

package short

// RaceDetector reports whether the test was built with the race detector.
const RaceDetector = true
