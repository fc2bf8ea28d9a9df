package functional

import (
	"hash/fnv"
	"io"
)

// leftOut is whether a test that goes through all cases again does without one of
// them: with the race detector, which makes them slow and has seen all cases in
// TestCases, every fifth is enough. Without it none is left out; CI runs both.
func leftOut(name string) bool {
	h := fnv.New32a()
	_, _ = io.WriteString(h, name) // a hash takes everything
	return raceDetector && h.Sum32()%5 != 0
}
