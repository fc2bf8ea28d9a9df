package window

import (
	"cmp"
	"strings"
	"time"
)

// unit is the smallest part of a time that a format writes: a duration, or day, which has
// no fixed duration.
type unit time.Duration

const day unit = -1

// finestUnit returns the smallest unit of a format.
func finestUnit(format string) unit {
	found := letters(format)
	switch {
	case strings.Contains(found, "u"):
		return unit(time.Microsecond)
	case strings.Contains(found, "v"):
		return unit(time.Millisecond)
	case strings.ContainsAny(found, "sUcrB"):
		return unit(time.Second)
	case strings.Contains(found, "i"):
		return unit(time.Minute)
	case strings.ContainsAny(found, "gGhH"):
		return unit(time.Hour)
	case Timeless(format):
		return day
	default:
		return unit(time.Second)
	}
}

// floor returns the start of the unit that contains t, in the zone of t. t has whole
// seconds.
func (u unit) floor(t time.Time) time.Time {
	seconds := int64(time.Duration(u) / time.Second)
	if seconds <= 1 {
		return t
	}
	_, offset := t.Zone()
	past := (t.Unix() + int64(offset)) % seconds
	if past < 0 {
		past += seconds
	}
	return time.Unix(t.Unix()-past, 0).In(t.Location())
}

// dayBefore returns a time on the last day before t. Clocks may skip a whole day, but not
// the noon of a day that exists.
func dayBefore(t time.Time) time.Time {
	year, month, number := t.Date()
	for back := 1; ; back++ {
		noon := time.Date(year, month, number-back, 12, 0, 0, 0, t.Location())
		if compareDays(noon, t) < 0 {
			return noon
		}
	}
}

// compareDays compares the dates of two times in one zone.
func compareDays(a, b time.Time) int {
	return cmp.Or(cmp.Compare(a.Year(), b.Year()), cmp.Compare(a.YearDay(), b.YearDay()))
}
