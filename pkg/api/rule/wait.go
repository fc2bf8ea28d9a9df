package rule

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// waitSpec is the setting `wait`. The zero value means that the setting is absent.
type waitSpec struct {
	fixed    bool
	seconds  float64
	header   string
	response string
	// match finds the value in the text of the header or at the path. If there is
	// neither, it finds the value in the text of the body.
	match *regexp.Regexp
	// unit is the unit of a number, which is a span then. It is 0 for a number of seconds
	// or a time.
	unit time.Duration
}

// Wait is a wait from a rule or a response.
type Wait struct {
	// Known is set if the rule or the response has a wait. Then Seconds is not negative;
	// it may be infinite.
	Known   bool
	Seconds float64
	// From names the source of the wait in the response, in words. It is "" if the rule
	// itself has the wait. It may contain secrets.
	From string
}

// matchBytes is the maximum size, in bytes, of the part of a body that is searched for a
// pattern.
const matchBytes = 1 << 20

// read returns the wait of the rule. If the rule has none, it reads the wait from the
// response.
func (w waitSpec) read(l *lazyResponse, now time.Time) (Wait, error) {
	text, from := "", ""
	switch {
	case w.fixed:
		return Wait{Known: true, Seconds: w.seconds}, nil
	case w.header != "":
		text = w.extract(headerOf(l.Header, w.header))
		from = fmt.Sprintf("the header '%s: %s'", w.header, shown(text))
		if w.match != nil {
			from = fmt.Sprintf("'%s' in the header '%s'", shown(text), w.header)
		}
	case w.response != "":
		if !l.json {
			return Wait{}, nil
		}
		v, err := l.value(w.response)
		if err != nil || !v.IsScalar() {
			return Wait{}, nil // the value cannot be a time
		}
		text = w.extract(v.Raw())
		from = fmt.Sprintf("'%s' at '%s' of its body", shown(text), w.response)
	case w.match != nil:
		head, err := l.text()
		if err != nil {
			return Wait{}, err
		}
		text = w.extract(string(head))
		from = fmt.Sprintf("'%s' in its body", shown(text))
	}
	seconds, ok := w.secondsOf(text, now)
	if !ok {
		return Wait{}, nil
	}
	return Wait{Known: true, Seconds: seconds, From: from}, nil
}

// extract returns the first group of the pattern in a text, or "" if the pattern does not
// match. Without a pattern it returns the whole text.
func (w waitSpec) extract(text string) string {
	if w.match == nil {
		return text
	}
	groups := w.match.FindStringSubmatch(text)
	if groups == nil {
		return ""
	}
	return groups[1]
}

// secondsOf parses a number of the unit. Without a unit it calls secondsIn.
func (w waitSpec) secondsOf(text string, now time.Time) (seconds float64, ok bool) {
	if w.unit == 0 {
		return secondsIn(text, now)
	}
	text = strings.TrimSpace(text)
	n, ok := numberIn(text)
	if ms, fits := milliseconds(text, w.unit); fits {
		return float64(ms) / 1000, ok && n > 0
	}
	return n * w.unit.Seconds(), ok && n > 0
}

// milliseconds converts a number of a unit to milliseconds. It rounds up, so that no
// request is sent too early. fits is false if the result is too large.
func milliseconds(text string, unit time.Duration) (ms int64, fits bool) {
	n, ok := decimal.Parse(text)
	if !ok {
		return 0, false
	}
	return n.Ceil(unit.Milliseconds())
}

// shown returns a text for a message, or an ellipsis if the text is long. It does not
// shorten long texts, because half of a secret could not be masked.
func shown(text string) string {
	const most = 60
	if len(text) > most {
		return "…"
	}
	return text
}

// secondsIn parses a number of seconds, a date, or a Unix time: a number from the year
// 2001 on, in seconds or in milliseconds. ok is false for times in the past and for
// numbers that are not above 0.
func secondsIn(text string, now time.Time) (seconds float64, ok bool) {
	const (
		firstUnix   = 1e9
		firstMillis = 1e11 // in seconds, the year 5138
		lastMillis  = 1e14
	)
	text = strings.TrimSpace(text)
	seconds, ok = numberIn(text)
	if ok {
		unit := time.Second
		if seconds >= firstMillis && seconds < lastMillis {
			unit = time.Millisecond
		}
		ms, fits := milliseconds(text, unit)
		if seconds >= firstUnix {
			ms -= now.UnixMilli()
		}
		if fits {
			seconds = float64(ms) / 1000
		}
		return seconds, seconds > 0
	}
	for _, layout := range dates {
		if at, err := time.Parse(layout, text); err == nil {
			seconds = at.Sub(now).Round(time.Millisecond).Seconds()
			return seconds, seconds > 0
		}
	}
	return 0, false
}

// numberIn parses a decimal number. The result is infinite if the number is too large.
func numberIn(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// dates are the layouts of dates. A date without a time zone is in UTC.
var dates = []string{
	http.TimeFormat, time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC,
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02",
}
