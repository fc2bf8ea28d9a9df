package php

import (
	"strings"
	"time"
)

// longestPhrase is the maximum length of a text in bytes. It limits the work and the
// sums.
const longestPhrase = 500

// Farthest is the largest number of seconds before or after 1970, about 300 million
// years. With this limit, milliseconds that are read as seconds have the same result as
// in the original extractor.
const Farthest = 1e16

// StrToTime implements strtotime. It reads a date, a time or an English phrase
// ("2017-10-04 12:30 CEST", "-7 days", "last monday of next month"), and ignores case. A
// text without a zone is in UTC. Missing parts come from base. A day that a month does
// not have is in the next month. The result is in UTC and has whole seconds. StrToTime
// returns false if it cannot read the text.
func StrToTime(text string, base time.Time) (time.Time, bool) {
	return StrToTimeIn(text, base, time.UTC)
}

// StrToTimeIn does the same as StrToTime in another default zone than UTC. A text without
// a zone is in that zone, and missing parts come from base in that zone.
func StrToTimeIn(text string, base time.Time, zone *time.Location) (time.Time, bool) {
	m, ok := readPhrase(text)
	if !ok {
		return time.Time{}, false
	}
	return m.resolve(base.In(zone))
}

// readPhrase reads the tokens of a text.
//
// It always takes the longest possible token (see tokenRules). Each token sets a part of
// the moment. Relative parts are applied at the end, so the order of words rarely
// matters. It matters for words that set the time of day: "tomorrow 9am" is at nine, "9am
// tomorrow" at midnight.
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

// bareEpoch reports whether a text is a number of seconds or milliseconds since 1970
// without a leading @. Some of these numbers could be read as a date.
func bareEpoch(text string) bool {
	if strings.Trim(text, "0123456789") != "" {
		return false
	}
	return len(text) >= 9 && len(text) != 12 && len(text) != 14
}

// asciiLower converts ASCII letters to lower case. Unlike strings.ToLower it keeps the
// length of the text.
func asciiLower(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// token is one token of the text, with the match of the pattern of its rule.
type token struct {
	original string // token with its original case
	text     string // lower-case text from the token to the end
	ends     []int  // pairs of start and end, for the token and its groups
}

// group returns the text of a group of the pattern, from 1. It returns "" if the group is
// absent.
func (t token) group(i int) string {
	if t.ends[2*i] < 0 {
		return ""
	}
	return t.text[t.ends[2*i]:t.ends[2*i+1]]
}

// longestToken returns the rule with the longest match at the beginning of a text. If
// several matches have the same length, the first rule wins.
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
