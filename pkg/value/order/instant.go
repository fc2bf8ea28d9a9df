package order

import (
	"strings"
	"time"
)

// timeForm is the layout of a date. A fraction may follow the seconds.
type timeForm struct {
	layout string
	zone   bool
}

// forms returns the known layouts of dates, the usual ones first. With slashes the month
// comes first, with dots the day, as in PHP's strtotime.
func forms() []timeForm {
	var all []timeForm
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05Z07",
		"2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02T15:04:05 Z0700",
		"20060102T150405Z0700",
		"Mon, 2 Jan 2006 15:04:05 Z0700", "2 Jan 2006 15:04:05 Z0700", time.RubyDate,
	} {
		all = append(all, timeForm{layout, true})
	}
	for _, layout := range []string{
		"2006-1-2", "2006-1-2T15:04:05", "2006-1-2 15:04:05", "2006-1-2T15:04", "2006-1-2 15:04",
		"2006/1/2", "2006/1/2 15:04:05", "1/2/2006", "1/2/2006 15:04:05", "1/2/2006 15:04", "1/2/2006 3:04:05 PM", "1/2/2006 3:04 PM",
		"2.1.2006", "2.1.2006 15:04:05", "2.1.2006 15:04", "20060102T150405",
		"2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "Jan 2, 2006 3:04 PM",
		"Mon, 2 Jan 2006 15:04:05", "Mon, 2 Jan 2006", "Mon Jan _2 15:04:05 2006",
	} {
		all = append(all, timeForm{layout, false})
	}
	return all
}

// The minimum and maximum length of a date, in bytes.
const (
	shortest = len("1/2/2006")
	longest  = 60
)

// instantOf parses a date.
func instantOf(text string) (instant, bool) {
	if len(text) < shortest || len(text) > longest {
		return instant{}, false
	}
	// UTC and GMT are the only time zones with a name that is not ambiguous.
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

// known has the layouts by the beginning of their texts.
var known = func() map[string][]timeForm {
	all := map[string][]timeForm{}
	for _, f := range forms() {
		all[beginning(f.layout)] = append(all[beginning(f.layout)], f)
	}
	return all
}()

// beginning classifies a text by its beginning: the number of digits with the character
// after them, or the name of a month or a day. It rejects most texts that are not dates
// quickly.
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
