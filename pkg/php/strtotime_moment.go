package php

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// moment holds the result of the tokens read so far. A method that reads a token returns
// false if the token contradicts the moment.
type moment struct {
	year, month, day     part
	hour, minute, second part
	// haveDate and haveTime are true after a date or a time. Words such as "today" set
	// the time of day but not haveTime.
	haveDate, haveTime bool
	zone               *time.Location
	zones              int

	// Distance from the date and time.
	years, months, days, seconds, workdays int64
	haveWorkdays                           bool // true also for 0 working days
	weekday                                *weekdayRule
	edge                                   edge
	// nthFrom is the day from which a weekday of a month is counted.
	nthFrom nthFrom
}

// edge is the first or last day of the resulting month.
type edge int

const (
	noEdge edge = iota
	firstDay
	lastDay
)

// nthFrom is the start of the count for "second monday of".
type nthFrom int

const (
	fromDay nthFrom = iota
	fromFirstOfMonth
	fromFirstOfNextMonth
)

// weekdayRule is a weekday near the date.
type weekdayRule struct {
	day    int // number of the weekday, with Sunday as 0; negative after "ago"
	choice choice
}

// choice selects the day that a weekday means.
type choice int

const (
	nextOne   choice = iota // next such day after the date
	sameOrOne               // date itself, or the next such day
	sameWeek                // day in the same week, which begins on Monday
)

func (m *moment) setDate(year, month, day part) bool {
	if m.haveDate {
		return false
	}
	m.haveDate = true
	if year.known {
		m.year = year
	}
	if month.known {
		m.month = month
	}
	if day.known {
		m.day = day
	}
	return true
}

func (m *moment) setTime(hour, minute, second int) bool {
	if m.haveTime {
		return false
	}
	m.haveTime = true
	m.hour, m.minute, m.second = known(hour), known(minute), known(second)
	return true
}

// setYear sets the year of a token that is only a year.
func (m *moment) setYear(year part) bool {
	if m.year.known {
		return false
	}
	m.year = year
	return true
}

// dayStart sets the time to the beginning of a day. days is the distance from the date.
func (m *moment) dayStart(days int64) bool {
	m.haveTime = false
	m.hour, m.minute, m.second = known(0), known(0), known(0)
	if days != 0 {
		m.days = days
	}
	return true
}

// epoch reads @ and the seconds since 1970.
func (m *moment) epoch(t token) bool {
	seconds, err := strconv.ParseInt(t.group(1), 10, 64)
	if err != nil || math.Abs(float64(seconds)) > Farthest {
		return false
	}
	m.year, m.month, m.day = known(1970), known(1), known(1)
	m.haveDate = false
	m.dayStart(0)
	m.seconds += seconds
	return m.inZone(time.UTC)
}

// fourDigits reads hours and minutes, or a year if the time is already known.
func (m *moment) fourDigits(t token) bool {
	if m.haveTime {
		return m.setYear(yearOf(t.group(1) + t.group(2)))
	}
	return m.setTime(numberOf(t.group(1)), numberOf(t.group(2)), 0)
}

func (m *moment) isoWeek(t token) bool {
	year, week, day := numberOf(t.group(1)), numberOf(t.group(2)), 1
	if t.group(3) != "" {
		day = numberOf(t.group(3))
	}
	// The fourth of January is always in the first week.
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	monday := 4 - (int(fourth.Weekday())+6)%7
	return m.setDate(known(year), known(1), known(monday+(week-1)*7+day-1))
}

// logTime reads a time in the format of the logs of web servers.
func (m *moment) logTime(t token) bool {
	return m.setDate(yearOf(t.group(3)), monthOf(t.group(2)), dayOf(t.group(1))) &&
		m.setTime(numberOf(t.group(4)), numberOf(t.group(5)), numberOf(t.group(6))) &&
		m.inZone(fixedZone(t.group(7)))
}

// aroundHour reads a quarter past an hour (back of) or a quarter to an hour (front of).
// It overrides an earlier time of day. The original extractor reads "Back" as "front".
func (m *moment) aroundHour(t token) bool {
	hour, minute := numberOf(t.group(2)), 15
	if t.original[0] != 'b' {
		hour, minute = hour-1, 45
	}
	switch half := t.group(3); {
	case half == "a" && hour == 12:
		hour = 0
	case half == "p" && hour != 12:
		hour += 12
	}
	m.haveTime = false
	return m.setTime(hour, minute, 0)
}

func (m *moment) offset(t token) bool { return m.inZone(fixedZone(t.text[:t.ends[1]])) }

// fixedZone returns the zone of an offset such as +02:00 or GMT+02:00.
func fixedZone(offset string) *time.Location {
	offset = strings.TrimPrefix(offset, "gmt")
	seconds := offsetOf(offset[1:])
	if offset[0] == '-' {
		seconds = -seconds
	}
	return time.FixedZone("", seconds)
}

func (m *moment) zoneName(t token) bool {
	zone, ok := zoneOf(strings.Trim(t.original, "()"))
	return ok && m.inZone(zone)
}

// inZone sets the first zone and ignores a second zone, because mail adds the
// abbreviation of an offset in brackets.
func (m *moment) inZone(zone *time.Location) bool {
	if m.zone == nil {
		m.zone = zone
	}
	m.zones++
	return m.zones <= 2
}

// ago negates all relative parts before it.
func (m *moment) ago(token) bool {
	m.years, m.months, m.days, m.seconds, m.workdays = -m.years, -m.months, -m.days, -m.seconds, -m.workdays
	if m.weekday != nil {
		m.weekday.day = -m.weekday.day
		if m.weekday.day == 0 {
			m.weekday.day = -7
		}
	}
	return true
}

// comingWeekday reads the name of a weekday alone. "weekdays" alone is Monday.
func (m *moment) comingWeekday(t token) bool {
	m.dayStart(0)
	chosen := sameOrOne
	if m.weekday != nil && m.weekday.choice == sameWeek {
		chosen = sameWeek
	}
	m.weekday = &weekdayRule{weekdayOf(t.group(1)), chosen}
	return true
}

// weekAround reads "last week" and similar phrases. They mean the weekday of another
// token in that week, or Monday.
func (m *moment) weekAround(t token) bool {
	m.days += 7 * amountOf(t.group(1))
	if m.weekday == nil {
		m.weekday = &weekdayRule{day: 1}
	}
	m.weekday.choice = sameWeek
	return true
}

func (m *moment) edgeOfMonth(t token) bool {
	m.edge = firstDay
	if t.group(1) == "last" {
		m.edge = lastDay
	}
	return true
}

func (m *moment) weekdayOfMonth(t token) bool {
	amount := amountOf(t.group(1))
	if amount > 0 {
		m.nthFrom = fromFirstOfMonth
		return m.weekdaysAway(amount, t.group(2), sameOrOne)
	}
	m.nthFrom = fromFirstOfNextMonth
	return m.weekdaysAway(amount, t.group(2), nextOne)
}

// weekdaysAway moves to the amount-th weekday with a name.
func (m *moment) weekdaysAway(amount int64, name string, c choice) bool {
	m.dayStart(0)
	if amount > 0 {
		amount--
	}
	m.days += 7 * amount
	m.weekday = &weekdayRule{weekdayOf(name), c}
	return true
}

func (m *moment) relativeWord(t token) bool {
	c := nextOne
	if t.group(1) == "this" {
		c = sameOrOne
	}
	if strings.HasPrefix(t.group(2), "weekday") {
		m.dayStart(0) // "+1 weekday" keeps the time of day
	}
	return m.addDistance(amountOf(t.group(1)), t.group(2), c)
}

func (m *moment) relativeNumber(t token) bool {
	amount, err := strconv.ParseInt(t.group(2), 10, 64)
	if strings.Count(t.group(1), "-")%2 == 1 {
		amount = -amount
	}
	return err == nil && m.addDistance(amount, t.group(3), sameOrOne)
}

func (m *moment) addDistance(amount int64, unit string, c choice) bool {
	switch strings.TrimSuffix(unit, "s") {
	case "sec", "second":
		m.seconds += amount
	case "min", "minute":
		m.seconds += amount * 60
	case "hour":
		m.seconds += amount * 3600
	case "day":
		m.days += amount
	case "week":
		m.days += amount * 7
	case "fortnight":
		m.days += amount * 14
	case "month":
		m.months += amount
	case "year":
		m.years += amount
	case "weekday":
		m.workdays, m.haveWorkdays = amount, true
	default:
		return m.weekdaysAway(amount, unit, c)
	}
	return true
}
