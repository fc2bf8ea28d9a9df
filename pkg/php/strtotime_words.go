package php

import (
	"strconv"
	"strings"
	"time"
)

// part is a number of a date or a time, if the number is known.
type part struct {
	value int
	known bool
}

func known(n int) part { return part{n, true} }

// valueOr returns the value of the part, or fallback if it is not known.
func (p part) valueOr(fallback int) int {
	if p.known {
		return p.value
	}
	return fallback
}

// numberOf reads the digits of a group. A missing group is 0.
func numberOf(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// yearOf reads a year. A year of up to three digits below 70 is in this century, and from
// 70 to 99 in the previous century.
func yearOf(digits string) part {
	n := numberOf(digits)
	switch {
	case digits == "":
		return part{}
	case len(digits) < 4 && n < 70:
		return known(n + 2000)
	case len(digits) < 4 && n < 100:
		return known(n + 1900)
	default:
		return known(n)
	}
}

// monthOf reads a month as a number or by its name.
func monthOf(text string) part {
	if text == "" || isDigit(text[0]) {
		return known(numberOf(text))
	}
	const names = "jan feb mar apr may jun jul aug sep oct nov dec"
	return known(strings.Index(names, text[:3])/4 + 1)
}

func dayOf(digits string) part { return known(numberOf(digits)) }

// hourOf returns the hour of a time on the twelve-hour clock.
func hourOf(digits, half string) int {
	hour := numberOf(digits) % 12
	if half == "p" {
		hour += 12
	}
	return hour
}

// weekdayOf returns the number of a weekday. Sunday is 0, and "weekdays" is 1.
func weekdayOf(name string) int {
	if strings.HasPrefix(name, "weekday") {
		return 1
	}
	const names = "sun mon tue wed thu fri sat"
	return strings.Index(names, name[:3]) / 4
}

// amountOf returns the number that a word stands for.
func amountOf(word string) int64 {
	switch word {
	case "last", "previous":
		return -1
	case "next":
		return 1
	case "eight": // the original extractor accepts this spelling
		return 8
	}
	ordinals := strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
	for i, ordinal := range ordinals {
		if ordinal == word {
			return int64(i + 1)
		}
	}
	return 0 // "this"
}

// zoneOf returns a time zone by its abbreviation or by its name in the tz database.
func zoneOf(name string) (*time.Location, bool) {
	if hours, ok := zoneHours(strings.ToUpper(name)); ok {
		return time.FixedZone(name, int(hours*3600)), true
	}
	if !strings.Contains(name, "/") {
		// Excludes "Local", too, which is the zone of the machine.
		return nil, false
	}
	for _, spelling := range []string{name, titleCase(name)} {
		if zone, err := time.LoadLocation(spelling); err == nil {
			return zone, true
		}
	}
	return nil, false
}

// titleCase returns the usual spelling of a zone: America/New_York for america/NEW_york.
func titleCase(name string) string {
	spelling := []byte(asciiLower(name))
	for i, c := range spelling {
		if 'a' <= c && c <= 'z' && (i == 0 || strings.IndexByte("/_-", spelling[i-1]) >= 0) {
			spelling[i] = c - 'a' + 'A'
		}
	}
	return string(spelling)
}

// zoneHours returns the offset of a zone in hours. An ambiguous abbreviation has the
// offset of its best-known zone, or is not in the table.
func zoneHours(abbreviation string) (float64, bool) {
	hours, ok := map[string]float64{
		"UTC": 0, "GMT": 0, "UT": 0, "Z": 0,
		"WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2,
		"EET": 2, "EEST": 3, "MSK": 3,
		"WAT": 1, "CAT": 2, "SAST": 2, "EAT": 3,
		"PKT": 5, "WIB": 7, "HKT": 8, "JST": 9, "KST": 9,
		"AWST": 8, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
		"NST": -3.5, "NDT": -2.5, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
		"MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
	}[abbreviation]
	return hours, ok
}

// offsetOf reads an offset without its sign (H, HH, HMM, HHMM, H:M, HH:MM) and returns it
// in seconds.
func offsetOf(digits string) int {
	hours, minutes, ok := strings.Cut(digits, ":")
	if !ok && len(digits) > 2 {
		hours, minutes = digits[:len(digits)-2], digits[len(digits)-2:]
	}
	return numberOf(hours)*3600 + numberOf(minutes)*60
}
