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

// waitSpec is the setting of that name. The zero value says nothing.
type waitSpec struct {
	fixed    bool
	seconds  float64
	header   string
	response string
	// match finds the value in the text of the header or at the path, without both in that
	// of the body.
	match *regexp.Regexp
	// unit is that of a number, which then is a span; 0 for one of seconds or a time.
	unit time.Duration
}

// Wait is how long to wait, as a rule or a response says.
type Wait struct {
	// Known is set if one of them says so. Then Seconds is not negative; it may be
	// infinite.
	Known   bool
	Seconds float64
	// From is what in the response says so, in words; "" if the rule itself does. It may
	// hold secrets.
	From string
}

// matchBytes is how much of a body is searched for a pattern.
const matchBytes = 1 << 20

// read returns what the rule, or else the response says.
func (w waitSpec) read(l *lazyResponse, now time.Time) (Wait, error) {
	text, from := "", ""
	switch {
	case w.fixed:
		return Wait{Known: true, Seconds: w.seconds}, nil
	case w.header != "":
		text = w.found(headerOf(l.Header, w.header))
		from = fmt.Sprintf("the header '%s: %s'", w.header, shown(text))
		if w.match != nil {
			from = fmt.Sprintf("'%s' in the header '%s'", shown(text), w.header)
		}
	case w.response != "":
		if !l.json {
			return Wait{}, nil
		}
		v, err := l.at(w.response)
		if err != nil || !v.IsScalar() {
			return Wait{}, nil // nothing that could be a time
		}
		text = w.found(v.Raw())
		from = fmt.Sprintf("'%s' at '%s' of its body", shown(text), w.response)
	case w.match != nil:
		head, err := l.text()
		if err != nil {
			return Wait{}, err
		}
		text = w.found(string(head))
		from = fmt.Sprintf("'%s' in its body", shown(text))
	}
	seconds, ok := w.secondsOf(text, now)
	if !ok {
		return Wait{}, nil
	}
	return Wait{Known: true, Seconds: seconds, From: from}, nil
}

// found is the part of a text that the pattern finds; all of it without a pattern.
func (w waitSpec) found(text string) string {
	if w.match == nil {
		return text
	}
	groups := w.match.FindStringSubmatch(text)
	if groups == nil {
		return ""
	}
	return groups[1]
}

// secondsOf reads a number of the unit, or without one what secondsIn reads.
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

// milliseconds is a number of a unit in milliseconds, rounded up: no request is sent
// before its time. fits is false for what is beyond them.
func milliseconds(text string, unit time.Duration) (ms int64, fits bool) {
	n, ok := decimal.Parse(text)
	if !ok {
		return 0, false
	}
	return n.Ceil(unit.Milliseconds())
}

// shown is a text for a message. A long one is left out: half of a secret could not be
// masked.
func shown(text string) string {
	const most = 60
	if len(text) > most {
		return "…"
	}
	return text
}

// secondsIn reads a number of seconds, a date, or a Unix time, which is a number from
// 2001 on, in seconds or in milliseconds. Only a time in the future, or a number of
// seconds above 0, is ok.
func secondsIn(text string, now time.Time) (seconds float64, ok bool) {
	const (
		firstUnix   = 1e9
		firstMillis = 1e11 // as seconds it would be the year 5138
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

// numberIn reads a decimal number, infinite beyond any number.
func numberIn(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// dates are the forms of a date. One without a time zone is in UTC.
var dates = []string{
	http.TimeFormat, time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC,
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02",
}
