//go:build !race

package functional

// raceDetector is whether this test was built with it.
const raceDetector = false
