package main

import (
	"math"
	"testing"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "17": 17, "17B": 17, "10MB": 10_000_000, "10 mb": 10_000_000, "500kB": 500_000, "3GB": 3_000_000_000,
		"2KiB": 2048, "2MiB": 2 << 20, "1gib": 1 << 30, "9223372036854775807": math.MaxInt64,
	} {
		var s size
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%q: got %d, %v, want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1", "-1kB", "1.5MB", "1TB", "10000000000GB", "9223372036854775808", "ten", "1 0"} {
		s := size(7)
		if err := s.Set(text); err == nil || s != 7 {
			t.Errorf("%q: got %d, %v, want an error", text, s, err)
		}
	}
}
