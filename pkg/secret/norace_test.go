//go:build !race

package secret

import "testing"

const raceDetector = false

func withoutRaceDetector(*testing.T) {}
