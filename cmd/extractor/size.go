package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// size is the value of a flag: a number of bytes with an optional unit.
type size int64

// units are the units in lower case: powers of 1000, or powers of 1024 with an i.
var units = []struct {
	name  string
	bytes int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"b", 1}, {"", 1},
}

var errSize = errors.New("expected a number of bytes, such as 500kB, 10MB or 1GiB; the units are B, kB, MB, GB, KiB, MiB and GiB")

func (s *size) Set(text string) error {
	lower := strings.ToLower(text)
	for _, u := range units {
		digits, ok := strings.CutSuffix(lower, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.bytes {
			return errSize
		}
		*s = size(n * u.bytes)
		return nil
	}
	return errSize
}

func (s *size) String() string {
	if *s == 0 {
		return "" // the help shows no default
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *size) Type() string { return "size" }
