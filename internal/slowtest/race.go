//go:build race

package slowtest

// RaceDetector is whether this test was built with it.
const RaceDetector = true
