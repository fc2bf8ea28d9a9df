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

// layouts are the parts of a time that package time writes alike.
func layouts() map[byte]string {
	return map[byte]string{
		'd': "02", 'j': "2", 'D': "Mon", 'l': "Monday", 'F': "January", 'M': "Jan", 'm': "01", 'n': "1",
		'a': "pm", 'A': "PM", 'g': "3", 'h': "03", 'H': "15", 'i': "04", 's': "05",
	}
}

// datePart is the part of a time that a letter stands for, or the letter.
func datePart(letter byte, t time.Time) string {
	if layout, ok := layouts()[letter]; ok {
		return t.Format(layout)
	}
	isoYear, isoWeek := t.ISOWeek()
	switch letter {
	case 'c':
		return Date(`Y-m-d\TH:i:sP`, t)
	case 'r':
		return Date("D, d M Y H:i:s O", t)
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
	case 't': // the day 0 of the next month is the last one of this
		return strconv.Itoa(time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day())
	case 'L':
		return strconv.Itoa(time.Date(t.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay() - 365)
	case 'y':
		return fmt.Sprintf("%02d", max(t.Year(), -t.Year())%100)
	case 'Y': // four digits at least, without its sign
		if t.Year() < 0 {
			return fmt.Sprintf("-%04d", -t.Year())
		}
		return fmt.Sprintf("%04d", t.Year())
	case 'G':
		return strconv.Itoa(t.Hour())
	case 'B': // a thousandth of a day, in the zone of UTC+1
		second := (t.Hour()+1)*3600 + t.Minute()*60 + t.Second()
		return fmt.Sprintf("%03d", second*10/864%1000)
	case 'u':
		return "000000"
	case 'v':
		return "000"
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
