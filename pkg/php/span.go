package php

// Interval is a duration in the units of a calendar. Months differ in their number of
// days, and days in their number of hours.
type Interval struct{ Months, Days, Seconds int64 }

// ParseSpan reads a duration like strtotime ("7 days", "1 month", "2 weeks 12 hours"). It
// returns false for text that it cannot read, for text that is more than a duration
// ("tomorrow", "1 weekday", "3 mondays"), and for zero or negative durations.
func ParseSpan(text string) (Interval, bool) {
	m, ok := readPhrase(text)
	if !ok || m.tooFar() || m != (moment{years: m.years, months: m.months, days: m.days, seconds: m.seconds}) {
		return Interval{}, false
	}
	s := Interval{Months: 12*m.years + m.months, Days: m.days, Seconds: m.seconds}
	return s, min(s.Months, s.Days, s.Seconds) >= 0 && s != Interval{}
}
