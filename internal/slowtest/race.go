//go:build race

package short

// RaceDetector is whether this test was built with it.
const RaceDetector = true
