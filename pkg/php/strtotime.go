package php

import (
	"strings"
	"time"
)

// longestPhrase is the longest text in bytes. It limits the work and the sums.
const longestPhrase = 500

// Farthest is the largest number of seconds before or after 1970: about 300 million
// years. So milliseconds taken for seconds give the same as in the original.
const Farthest = 1e16

// StrToTime is strtotime: it reads a date, a time or an English phrase ("2017-10-04
// 12:30 CEST", "-7 days", "last monday of next month"), ignoring case. A text without
// a zone is in UTC, missing parts come from base, and a day that a month does not have
// is in the next one. The result is in UTC and has whole seconds; false if the text is
// not understood.
func StrToTime(text string, base time.Time) (time.Time, bool) {
	return StrToTimeIn(text, base, time.UTC)
}

// StrToTimeIn is StrToTime where another zone than UTC is the default: a text without a
// zone is in it, and missing parts come from base as the clocks there show it.
func StrToTimeIn(text string, base time.Time, zone *time.Location) (time.Time, bool) {
	m, ok := readPhrase(text)
	if !ok {
		return time.Time{}, false
	}
	return m.resolve(base.In(zone))
}

// readPhrase reads the tokens of a text.
//
// The text is split into tokens, always the longest possible (tokenRules). Each sets a
// part of the moment; relative parts are applied at the end, so that the order of
// words rarely matters. It does for words that set the time of day: "tomorrow 9am" is
// at nine, "9am tomorrow" at midnight.
func readPhrase(text string) (m moment, ok bool) {
	if text == "" || len(text) > longestPhrase {
		return m, false
	}
	text = strings.Trim(text, " \t\n\r\v\f")
	if bareEpoch(text) {
		return m, false
	}
	folded := asciiLower(text)
	for at := 0; at < len(text); {
		rule, ends := longestToken(folded[at:])
		if rule == nil {
			return m, false
		}
		t := token{original: text[at : at+ends[1]], text: folded[at:], ends: ends}
		if !rule.apply(&m, t) {
			return m, false
		}
		at += ends[1]
	}
	return m, true
}

// bareEpoch reports whether a text is seconds or milliseconds since 1970 without an @
// in front. Some of those could be read as a date.
func bareEpoch(text string) bool {
	if strings.Trim(text, "0123456789") != "" {
		return false
	}
	return len(text) >= 9 && len(text) != 12 && len(text) != 14
}

// asciiLower, unlike strings.ToLower, keeps the length of the text.
func asciiLower(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// token is one piece of the text, with the match of a rule's pattern.
type token struct {
	original string // as it was written
	text     string // lower case, from the token on
	ends     []int  // pairs of beginning and end, of the token and its groups
}

// group is the text of a group of the pattern, from 1; "" when it is absent.
func (t token) group(i int) string {
	if t.ends[2*i] < 0 {
		return ""
	}
	return t.text[t.ends[2*i]:t.ends[2*i+1]]
}

// longestToken finds the first rule with the longest match at the beginning of a text.
func longestToken(text string) (*tokenRule, []int) {
	var longest *tokenRule
	var ends []int
	rules := tokenRules()
	for i := range rules {
		found := rules[i].pattern.FindStringSubmatchIndex(text)
		if found != nil && found[1] > 0 && (longest == nil || found[1] > ends[1]) {
			longest, ends = &rules[i], found
		}
	}
	return longest, ends
}
