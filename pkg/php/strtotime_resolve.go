package php

import "time"

// resolve takes missing parts from base and applies the relative parts in this order:
// weekday; years, months and days; edge of the month; working days; seconds.
func (m *moment) resolve(base time.Time) (time.Time, bool) {
	if m.tooFar() {
		return time.Time{}, false
	}
	if m.haveDate && !m.haveTime {
		m.hour, m.minute, m.second = known(0), known(0), known(0)
	}
	d := m.startDay(base)
	if m.weekday != nil {
		d = d.AddDate(0, 0, m.weekday.daysFrom(int(d.Weekday()), m.days))
	}
	d = m.edge.date(d.Year()+int(m.years), int(d.Month())+int(m.months), d.Day()+int(m.days))
	if m.haveWorkdays {
		d = addWorkdays(d, int(m.workdays))
	}

	zone := m.zone
	if zone == nil {
		zone = base.Location()
	}
	t := Clock(d.Year(), int64(d.Month()), int64(d.Day()),
		m.hour.valueOr(base.Hour()), m.minute.valueOr(base.Minute()), m.second.valueOr(base.Second()), zone)
	seconds := t.Unix() + m.seconds
	if seconds < -Farthest || seconds > Farthest {
		return time.Time{}, false
	}
	return time.Unix(seconds, 0).UTC(), true
}

// Clock returns the time at which the clocks of a zone show a date and time. If the
// clocks skip that time, the result is later by the skipped duration. Months and days may
// exceed their range.
func Clock(year int, month, day int64, hour, minute, second int, zone *time.Location) time.Time {
	years := floorDiv(month-1, 12)
	shown := time.Date(year+int(years), time.Month(month-12*years), 1, hour, minute, second, 0, time.UTC).AddDate(0, 0, int(day-1))
	t := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), 0, zone)
	if _, offset := t.Zone(); t.Unix()+int64(offset) == shown.Unix() {
		return t
	}
	const before = 26 * 60 * 60 // no two zones are farther apart
	_, offset := time.Unix(t.Unix()-before, 0).In(zone).Zone()
	return time.Unix(shown.Unix()-int64(offset), 0).In(zone)
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return (a - b + 1) / b
	}
	return a / b
}

// tooFar reports whether the distances could overflow.
func (m *moment) tooFar() bool {
	beyond := func(n int64, limit int64) bool { return n < -limit || n > limit }
	return beyond(m.years, 1e8) || beyond(m.months, 1e9) || beyond(m.days, 1e10) ||
		beyond(m.workdays, 1e10) || beyond(m.seconds, Farthest)
}

// startDay returns the date that the distances are added to. If a weekday is counted
// within a month, startDay has already added the months.
func (m *moment) startDay(base time.Time) time.Time {
	year, month, day := m.year.valueOr(base.Year()), m.month.valueOr(int(base.Month())), m.day.valueOr(base.Day())
	switch m.nthFrom {
	case fromFirstOfMonth:
		month, day = month+int(m.months), 1
		m.months = 0
	case fromFirstOfNextMonth:
		month, day = month+int(m.months)+1, 1
		m.months = 0
	}
	return m.edge.date(year, month, day)
}

// date returns a day, or the edge of the given month. The edge applies before a day exceeds
// the month.
func (e edge) date(year, month, day int) time.Time {
	switch e {
	case firstDay:
		day = 1
	case lastDay:
		month, day = month+1, 0
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// daysFrom returns the number of days from the weekday today to the weekday of the rule. As
// in PHP, nextOne skips today, unless days is negative: the number of days that the text
// adds besides.
func (w weekdayRule) daysFrom(today int, days int64) int {
	if w.choice == sameWeek {
		return (w.day+6)%7 - (today+6)%7
	}
	if w.day < 0 {
		return -(7 - (-w.day - today))
	}
	difference := w.day - today
	if days < 0 && difference < 0 ||
		days >= 0 && (difference < 0 || difference == 0 && w.choice == nextOne) {
		difference += 7
	}
	return difference
}

// addWorkdays adds n days from Monday to Friday. If n is 0, it moves a day of a weekend
// to the Monday after it.
func addWorkdays(d time.Time, n int) time.Time {
	weekend := func() bool { return d.Weekday() == time.Saturday || d.Weekday() == time.Sunday }
	if n == 0 {
		for weekend() {
			d = d.AddDate(0, 0, 1)
		}
		return d
	}
	step := 1
	if n < 0 {
		n, step = -n, -1
	}
	// A weekend counts as the nearest working day against the direction.
	for weekend() {
		d = d.AddDate(0, 0, -step)
	}
	d = d.AddDate(0, 0, n/5*7*step)
	for range n % 5 {
		d = d.AddDate(0, 0, step)
		for weekend() {
			d = d.AddDate(0, 0, step)
		}
	}
	return d
}
