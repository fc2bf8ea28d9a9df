package window

import (
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Letters of formats for parts of a time of day, and for parts of a date.
const (
	lettersOfTime = "aABgGhHisuvcrU"
	lettersOfDate = "dDjlNSwzWFmMntLoYycrU"
	// unixFormat writes a number.
	unixFormat = "U"
	// boundFormat is the format of remembered bounds.
	boundFormat = "c"
)

// letters returns the letters of a format that are replaced.
func letters(format string) string {
	var all []byte
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '\\':
			i++
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			all = append(all, c)
		}
	}
	return string(all)
}

// CheckFormat describes what is wrong with a format. It returns "" if the format is
// valid.
func CheckFormat(format string) string {
	found := letters(format)
	for i := 0; i+1 < len(format); i++ {
		c, next := format[i], format[i+1]
		letter := 'a' <= next && next <= 'z' || 'A' <= next && next <= 'Z'
		switch {
		case c == '\\':
			i++
		case c == '%' && letter:
			return "write the letters without %: Y-m-d H:i:s"
		case c == next && letter:
			return "each letter means a whole part of the time: Y-m-d H:i:s is 2024-01-31 23:59:00"
		}
	}
	if !strings.ContainsAny(found, lettersOfDate) {
		return "it writes no part of a date: Y-m-d is 2024-01-31"
	}
	return ""
}

// Timeless reports whether a format writes no time of day.
func Timeless(format string) bool { return !strings.ContainsAny(letters(format), lettersOfTime) }

// formatTime formats a time. A Unix time is a number.
func formatTime(format string, t time.Time) value.Value {
	if format == unixFormat {
		return value.OfInt(t.Unix())
	}
	return value.OfString(php.DateIn(format, t))
}
