//go:build race

package machine

// raceDetector is whether this test was built with it. A program that it starts
// begins with the memory of the test, which is large then.
const raceDetector = true
