package window

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/php"
)

// Step is a length of time above zero: months, days and seconds. The zero Step means that
// no length is set.
type Step struct{ parts php.Interval }

// Limits of a Step, each about 10,000 years. They prevent overflows.
const (
	longestMonths  = 12 * 10_000
	longestDays    = 366 * 10_000
	longestSeconds = 24 * 60 * 60 * longestDays
)

// ParseSpan parses a length of time in words: "7 days", "1 month", "6 hours". It returns
// false if the text is invalid.
func ParseSpan(text string) (Step, bool) {
	parts, ok := php.ParseSpan(text)
	if !ok || parts.Months > longestMonths || parts.Days > longestDays || parts.Seconds > longestSeconds {
		return Step{}, false
	}
	return Step{parts}, true
}

// UnderADay reports whether the step is shorter than any day.
func (s Step) UnderADay() bool {
	const shortestDay = 22 * 60 * 60 // clocks may skip two hours
	return s.parts.Months == 0 && s.parts.Days == 0 && s.parts.Seconds < shortestDay
}

// add returns the time n steps after t. It adds months first. If the month is too short
// for the day, the result is its last day. Days are calendar days in the zone of t.
// Hours, minutes and seconds are elapsed time, even if the clocks change.
func (s Step) add(t time.Time, n int64) time.Time {
	if s.parts.Months != 0 || s.parts.Days != 0 {
		year, month, day := t.Date()
		months := int64(month) + n*s.parts.Months
		last := php.Clock(year, months+1, 0, 12, 0, 0, time.UTC).Day()
		t = php.Clock(year, months, int64(min(day, last))+n*s.parts.Days, t.Hour(), t.Minute(), t.Second(), t.Location())
	}
	return time.Unix(t.Unix()+n*s.parts.Seconds, 0).In(t.Location())
}

// Before returns the time one step before t.
func (s Step) Before(t time.Time) time.Time { return s.add(t, -1) }

// After returns the time n steps after t.
func (s Step) After(t time.Time, n int) time.Time { return s.add(t, int64(n)) }
