package window

import (
	"time"

	"github.com/keboola/configurable-extractor/pkg/php"
)

// Step is a length of time above zero: months, days and seconds of a calendar. The zero
// Span is none.
type Step struct{ parts php.Interval }

// The longest parts of a span, each about 10,000 years. They limit the sums.
const (
	longestMonths  = 12 * 10_000
	longestDays    = 366 * 10_000
	longestSeconds = 24 * 60 * 60 * longestDays
)

// ParseSpan reads a span in words: "7 days", "1 month", "6 hours". It is false for a
// text that is not a span.
func ParseSpan(text string) (Step, bool) {
	parts, ok := php.ParseSpan(text)
	if !ok || parts.Months > longestMonths || parts.Days > longestDays || parts.Seconds > longestSeconds {
		return Step{}, false
	}
	return Step{parts}, true
}

// UnderADay reports whether the span is shorter than any day.
func (s Step) UnderADay() bool {
	const shortestDay = 22 * 60 * 60 // clocks may skip two hours
	return s.parts.Months == 0 && s.parts.Days == 0 && s.parts.Seconds < shortestDay
}

// from is n spans after a time. Months come first, and a day that the month does not
// have is its last one; days are those of the clocks in the zone of the time; hours and
// less are real time, even if the clocks change.
func (s Step) from(t time.Time, n int64) time.Time {
	if s.parts.Months != 0 || s.parts.Days != 0 {
		year, month, day := t.Date()
		months := int64(month) + n*s.parts.Months
		last := php.Clock(year, months+1, 0, 12, 0, 0, time.UTC).Day()
		t = php.Clock(year, months, int64(min(day, last))+n*s.parts.Days, t.Hour(), t.Minute(), t.Second(), t.Location())
	}
	return time.Unix(t.Unix()+n*s.parts.Seconds, 0).In(t.Location())
}

// Before is one span before a time.
func (s Step) Before(t time.Time) time.Time { return s.from(t, -1) }
