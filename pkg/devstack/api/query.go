package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// query reads the parameters of a URL. Like fields it keeps the first fault.
// Parameters that nobody asks for do not matter.
type query struct {
	values url.Values
	err    error
}

func queryOf(r *http.Request) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return &query{values: url.Values{}, err: invalid("The query is not valid")}
	}
	return &query{values: values}
}

func (q *query) fail(format string, args ...any) {
	if q.err == nil {
		q.err = invalid(format, args...)
	}
}

func (q *query) text(name string) string { return q.values.Get(name) }

// number is a whole number between two bounds.
func (q *query) number(name string, fallback, low, high int) int {
	text := q.text(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		q.fail("%q must be a whole number from %d to %d", name, low, high)
		return fallback
	}
	return n
}

// id is an id of the store, which is a number; given is false without one.
func (q *query) id(name string) (id uint64, given bool) {
	text := q.text(name)
	if text == "" {
		return 0, false
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		q.fail("%q must be the id of an event", name)
	}
	return id, true
}

func (q *query) flag(name string) bool {
	text := q.text(name)
	if text == "" {
		return false
	}
	yes, valid := truth(text)
	if !valid {
		q.fail("%q must be true or false", name)
	}
	return yes
}

// choice is one of some words, the first one when it is absent.
func (q *query) choice(name string, words ...string) string {
	text := q.text(name)
	if text == "" {
		return words[0]
	}
	if !slices.Contains(words, text) {
		q.fail("%q must be one of %s", name, quoted(words))
	}
	return text
}

// list are the values of name, name[] and name[0], under any of its names.
func (q *query) list(names ...string) []string {
	var found []string
	for _, name := range names {
		found = append(found, q.values[name]...)
		for key, values := range q.values {
			if index, isItem := strings.CutPrefix(key, name+"["); isItem && strings.HasSuffix(index, "]") {
				found = append(found, values...)
			}
		}
	}
	return found
}

// words is a list that holds nothing but some words.
func (q *query) words(name string, words ...string) []string {
	found := q.list(name)
	for _, word := range found {
		if !slices.Contains(words, word) {
			q.fail("%q must be one of %s", name, quoted(words))
		}
	}
	return found
}

// moment is a point in time, zero when it is absent.
func (q *query) moment(name string) time.Time {
	text := q.text(name)
	if text == "" {
		return time.Time{}
	}
	t, err := parseTime(text)
	if err != nil {
		q.fail("%q must be a date or a time like 2006-01-02T15:04:05+00:00", name)
	}
	return t
}

func parseTime(text string) (time.Time, error) {
	// An unescaped plus of an offset arrives as a blank.
	text = strings.ReplaceAll(text, " ", "+")
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", text)
}

// quoted is `"a", "b" or "c"`.
func quoted(words []string) string {
	var b strings.Builder
	for i, word := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(word))
	}
	return b.String()
}
