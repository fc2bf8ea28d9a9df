//go:build !race

package slowtest

// RaceDetector reports whether the test was built with the race detector.
const RaceDetector = false
