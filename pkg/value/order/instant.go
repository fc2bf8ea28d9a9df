package order

import (
	"strings"
	"time"
)

// form is a way to write a date. A fraction may be after the seconds of each.
type form struct {
	layout string
	zone   bool
}

// forms are the ways to write a date that are known, the usual ones first. With
// slashes the month comes first and with dots the day, as for strtotime.
func forms() []form {
	var all []form
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05Z07",
		"2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02T15:04:05 Z0700",
		"20060102T150405Z0700",
		"Mon, 2 Jan 2006 15:04:05 Z0700", "2 Jan 2006 15:04:05 Z0700", time.RubyDate,
	} {
		all = append(all, form{layout, true})
	}
	for _, layout := range []string{
		"2006-1-2", "2006-1-2T15:04:05", "2006-1-2 15:04:05", "2006-1-2T15:04", "2006-1-2 15:04",
		"2006/1/2", "2006/1/2 15:04:05", "1/2/2006", "1/2/2006 15:04:05", "1/2/2006 15:04", "1/2/2006 3:04:05 PM", "1/2/2006 3:04 PM",
		"2.1.2006", "2.1.2006 15:04:05", "2.1.2006 15:04", "20060102T150405",
		"2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "Jan 2, 2006 3:04 PM",
		"Mon, 2 Jan 2006 15:04:05", "Mon, 2 Jan 2006", "Mon Jan _2 15:04:05 2006",
	} {
		all = append(all, form{layout, false})
	}
	return all
}

// How many bytes a date has.
const (
	shortest = len("1/2/2006")
	longest  = 60
)

// instantOf reads a date.
func instantOf(text string) (instant, bool) {
	if len(text) < shortest || len(text) > longest {
		return instant{}, false
	}
	// The names of the one zone that is the same everywhere.
	spelt := text
	for _, name := range []string{"UTC", "GMT"} {
		if before, ok := strings.CutSuffix(text, " "+name); ok {
			spelt = before + " +0000"
		}
	}
	for _, f := range known[beginning(text)] {
		if at, err := time.Parse(f.layout, spelt); err == nil {
			return instant{at, f.layout, f.zone}, true
		}
	}
	return instant{}, false
}

// known are the forms by how a text of them begins.
var known = func() map[string][]form {
	all := map[string][]form{}
	for _, f := range forms() {
		all[beginning(f.layout)] = append(all[beginning(f.layout)], f)
	}
	return all
}()

// beginning says how a text begins: with so many digits and what comes after them, or
// with the name of a month or a day. It is quick to say of most texts that they are no
// dates.
func beginning(text string) string {
	digits := strings.IndexFunc(text, func(c rune) bool { return c < '0' || c > '9' })
	switch {
	case digits == 0 && strings.Contains("SunMonTueWedThuFriSatJanFebMarAprMayJunJulAugSepOctNovDec", text[:3]):
		return "name"
	case digits == 1, digits == 2:
		return "day" + text[digits:digits+1]
	case digits == len("2006"):
		return "year" + text[digits:digits+1]
	case digits == len("20060102"):
		return "digits" + text[digits:digits+1]
	default:
		return ""
	}
}
