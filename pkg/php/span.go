package php

// Interval is a length of time in the units of a calendar. Months differ in their days, and
// days in their hours.
type Interval struct{ Months, Days, Seconds int64 }

// ParseSpan reads a length of time as strtotime does ("7 days", "1 month", "2 weeks 12
// hours"). It is false for what is not understood, for what is more than a length
// ("tomorrow", "1 weekday", "3 mondays"), and for what has no length or goes back.
func ParseSpan(text string) (Interval, bool) {
	m, ok := readPhrase(text)
	if !ok || m.tooFar() || m != (moment{years: m.years, months: m.months, days: m.days, seconds: m.seconds}) {
		return Interval{}, false
	}
	s := Interval{Months: 12*m.years + m.months, Days: m.days, Seconds: m.seconds}
	return s, min(s.Months, s.Days, s.Seconds) >= 0 && s != Interval{}
}
