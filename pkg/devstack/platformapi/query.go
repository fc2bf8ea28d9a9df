package platformapi

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/php"
)

// query reads the parameters of a URL as fields and as lists. An empty parameter is absent.
type query struct {
	*fields
	values url.Values
}

func queryOf(r *http.Request) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return &query{fields: &fields{err: invalid("The query is not valid")}}
	}
	given := url.Values{}
	for name, texts := range values {
		if texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }); len(texts) > 0 {
			given[name] = texts
		}
	}
	members, err := parseNested(given)
	return &query{&fields{members: members, err: err}, values}
}

func (q *query) eventID(name string) (id uint64, given bool) {
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

func (q *query) choice(name string, words ...string) string {
	text := cmp.Or(q.text(name), words[0])
	if !slices.Contains(words, text) {
		q.fail("%q must be one of %s", name, quoted(words))
	}
	return text
}

// list returns the values of name, name[] and name[0], for each of the names.
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

func (q *query) words(name string, words ...string) []string {
	found := q.list(name)
	for _, word := range found {
		if !slices.Contains(words, word) {
			q.fail("%q must be one of %s", name, quoted(words))
		}
	}
	return found
}

// maxTimeText is the maximum length of a time expression.
const maxTimeText = 100

// timestamp returns a point in time, or the zero time if the parameter is absent. It
// accepts a date, a time, a number of seconds since 1970, and texts of PHP's strtotime such
// as "-2 days", in UTC.
func (f *fields) timestamp(name string, now time.Time) time.Time {
	text := f.text(name)
	if text == "" {
		return time.Time{}
	}
	if t, ok := parseTime(text); ok {
		return t
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) >= len("100000000") && seconds < 1<<40 {
		return time.Unix(seconds, 0)
	}
	if len(text) <= maxTimeText {
		if t, ok := php.StrToTime(text, now); ok {
			return t
		}
	}
	f.fail(`%q must be a date, a time like 2006-01-02T15:04:05+00:00, or a text like "-2 days"`, name)
	return time.Time{}
}

func parseTime(text string) (t time.Time, ok bool) {
	// An unescaped plus sign of an offset arrives as a space.
	text = strings.ReplaceAll(text, " ", "+")
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// quoted joins words as `"a", "b" or "c"`.
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
