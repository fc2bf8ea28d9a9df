package php

import (
	"fmt"
	"strconv"
	"time"
)

// Date is gmdate: a time in UTC. Letters stand for parts of it, a backslash keeps the
// next letter, anything else stands for itself.
func Date(format string, t time.Time) string {
	t = t.UTC()
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

// datePart is the part of a time that a letter stands for, or the letter.
func datePart(letter byte, t time.Time) string {
	switch letter {
	case 'c':
		return Date(`Y-m-d\TH:i:sP`, t)
	case 'r':
		return Date("D, d M Y H:i:s O", t)
	case 'U':
		return strconv.FormatInt(t.Unix(), 10)
	case 'd', 'D', 'j', 'l', 'N', 'S', 'w', 'z', 'W', 'o':
		return dayPart(letter, t)
	case 'F', 'm', 'M', 'n', 't', 'L', 'Y', 'y':
		return monthPart(letter, t)
	case 'a', 'A', 'B', 'g', 'G', 'h', 'H', 'i', 's', 'u', 'v':
		return clockPart(letter, t)
	case 'e', 'T':
		return "UTC"
	case 'P':
		return "+00:00"
	case 'O':
		return "+0000"
	case 'p':
		return "Z"
	case 'Z', 'I':
		return "0"
	default:
		return string(rune(letter))
	}
}

func dayPart(letter byte, t time.Time) string {
	year, week := t.ISOWeek()
	switch letter {
	case 'd':
		return fmt.Sprintf("%02d", t.Day())
	case 'j':
		return strconv.Itoa(t.Day())
	case 'D':
		return t.Weekday().String()[:3]
	case 'l':
		return t.Weekday().String()
	case 'N':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case 'w':
		return strconv.Itoa(int(t.Weekday()))
	case 'z':
		return strconv.Itoa(t.YearDay() - 1)
	case 'W':
		return fmt.Sprintf("%02d", week)
	case 'o':
		return strconv.Itoa(year)
	default: // 'S'
		return ordinalSuffix(t.Day())
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

func monthPart(letter byte, t time.Time) string {
	// The day 0 of the next month is the last one of this.
	days := time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	switch letter {
	case 'F':
		return t.Month().String()
	case 'M':
		return t.Month().String()[:3]
	case 'm':
		return fmt.Sprintf("%02d", t.Month())
	case 'n':
		return strconv.Itoa(int(t.Month()))
	case 't':
		return strconv.Itoa(days)
	case 'L':
		leap := time.Date(t.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay() - 365
		return strconv.Itoa(leap)
	case 'y':
		return fmt.Sprintf("%02d", max(t.Year(), -t.Year())%100)
	default: // 'Y': four digits at least, without its sign
		if t.Year() < 0 {
			return fmt.Sprintf("-%04d", -t.Year())
		}
		return fmt.Sprintf("%04d", t.Year())
	}
}

func clockPart(letter byte, t time.Time) string {
	hour12 := (t.Hour()+11)%12 + 1
	switch letter {
	case 'a':
		return [...]string{"am", "pm"}[t.Hour()/12]
	case 'A':
		return [...]string{"AM", "PM"}[t.Hour()/12]
	case 'g':
		return strconv.Itoa(hour12)
	case 'G':
		return strconv.Itoa(t.Hour())
	case 'h':
		return fmt.Sprintf("%02d", hour12)
	case 'H':
		return fmt.Sprintf("%02d", t.Hour())
	case 'i':
		return fmt.Sprintf("%02d", t.Minute())
	case 's':
		return fmt.Sprintf("%02d", t.Second())
	case 'u':
		return "000000"
	case 'v':
		return "000"
	default: // 'B': a thousandth of a day, in the zone of UTC+1
		second := (t.Hour()+1)*3600 + t.Minute()*60 + t.Second()
		return fmt.Sprintf("%03d", second*10/864%1000)
	}
}
