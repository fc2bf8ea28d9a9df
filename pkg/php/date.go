package php

import (
	"fmt"
	"strconv"
	"time"
)

// Zone returns a time zone by its name in the time zone database or by its abbreviation.
// An empty name is UTC.
func Zone(name string) (*time.Location, bool) {
	if name == "" || name == "UTC" {
		return time.UTC, true
	}
	return zoneOf(name)
}

// DateIn implements date: it formats a time in its time zone. Letters are replaced by
// parts of the time. A backslash keeps the next letter.
func DateIn(format string, t time.Time) string {
	var out []byte
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '\\' && i+1 < len(format):
			i++
			out = append(out, format[i])
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			out = append(out, datePart(c, t)...)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// layouts returns the layouts of package time for letters.
func layouts() map[byte]string {
	return map[byte]string{
		'd': "02", 'j': "2", 'D': "Mon", 'l': "Monday", 'F': "January", 'M': "Jan", 'm': "01", 'n': "1",
		'a': "pm", 'A': "PM", 'g': "3", 'h': "03", 'H': "15", 'i': "04", 's': "05",
	}
}

// datePart returns the part of a time for a letter. A letter without a part stays.
func datePart(letter byte, t time.Time) string {
	if layout, ok := layouts()[letter]; ok {
		return t.Format(layout)
	}
	isoYear, isoWeek := t.ISOWeek()
	switch letter {
	case 'c':
		return DateIn(`Y-m-d\TH:i:sP`, t)
	case 'r':
		return DateIn("D, d M Y H:i:s O", t)
	case 'U':
		return strconv.FormatInt(t.Unix(), 10)
	case 'N':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case 'w':
		return strconv.Itoa(int(t.Weekday()))
	case 'z':
		return strconv.Itoa(t.YearDay() - 1)
	case 'S':
		return ordinalSuffix(t.Day())
	case 'W':
		return fmt.Sprintf("%02d", isoWeek)
	case 'o':
		return strconv.Itoa(isoYear)
	case 't': // day 0 of the next month is the last day of this month
		return strconv.Itoa(time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day())
	case 'L':
		return strconv.Itoa(time.Date(t.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay() - 365)
	case 'y':
		return fmt.Sprintf("%02d", max(t.Year(), -t.Year())%100)
	case 'Y': // at least four digits, without the sign
		if t.Year() < 0 {
			return fmt.Sprintf("-%04d", -t.Year())
		}
		return fmt.Sprintf("%04d", t.Year())
	case 'G':
		return strconv.Itoa(t.Hour())
	case 'B': // thousandths of a day at UTC+1
		utc := t.UTC()
		second := (utc.Hour()+1)*3600 + utc.Minute()*60 + utc.Second()
		return fmt.Sprintf("%03d", second*10/864%1000)
	case 'u':
		return fmt.Sprintf("%06d", t.Nanosecond()/1e3)
	case 'v':
		return fmt.Sprintf("%03d", t.Nanosecond()/1e6)
	case 'e':
		return t.Location().String()
	case 'T':
		return t.Format("MST")
	case 'P':
		return t.Format("-07:00")
	case 'O':
		return t.Format("-0700")
	case 'p':
		return t.Format("Z07:00")
	case 'Z':
		_, offset := t.Zone()
		return strconv.Itoa(offset)
	case 'I':
		if t.IsDST() {
			return "1"
		}
		return "0"
	default:
		return string(rune(letter))
	}
}

func ordinalSuffix(day int) string {
	switch day {
	case 1, 21, 31:
		return "st"
	case 2, 22:
		return "nd"
	case 3, 23:
		return "rd"
	default:
		return "th"
	}
}
