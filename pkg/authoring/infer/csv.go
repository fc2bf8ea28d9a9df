package infer

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const (
	// csvHead is the size, in bytes, of the beginning of a text that is searched for a
	// delimiter.
	csvHead = 64 << 10
	// maxSkip is the maximum number of lines above the records.
	maxSkip = 9
)

// csvDelimiters lists the delimiters to try. If several score equally, the first counts.
var csvDelimiters = []string{",", ";", "\t", "|"}

// csvGuess is one reading of a text as CSV.
type csvGuess struct {
	delimiter  string
	skip       int
	unquoted   bool
	records    [][]string
	fields     int // number of fields in the first record
	consistent int // number of records with as many fields as the first
}

// score returns the number of delimiters that the guess explains, reduced for records
// with a different number of fields.
func (c csvGuess) score() int { return (c.fields - 1) * (2*c.consistent - len(c.records)) }

// isClear reports whether the text is CSV even if the response does not declare a format.
func (c csvGuess) isClear() bool {
	return c.fields > 1 && c.consistent == len(c.records) && c.consistent > 1 && (c.skip == 0 || c.consistent > 2)
}

// csv guesses the delimiter, the skipped lines and the quoting of a text. declared
// reports whether the response declares itself as CSV. csv returns false if the text is
// not CSV.
func (r *reader) csv(head string, declared bool) (csvGuess, bool) {
	best, readable := r.bestGuess(head, false)
	if !readable || best.skip > 0 {
		// A line above the records may have an unpaired quote.
		other, ok := r.bestGuess(head, true)
		if ok && (!readable || other.skip < best.skip && other.score() > best.score()) {
			best, readable = other, true
		}
	}
	switch {
	case !readable:
		return best, false
	case best.score() <= 0 && declared: // one column
		return best, best.skip == 0
	default:
		return best, declared || best.isClear()
	}
}

// bestGuess returns the guess with the highest score. It returns false if the text cannot
// be read as CSV.
func (r *reader) bestGuess(head string, unquoted bool) (best csvGuess, readable bool) {
	for _, delimiter := range csvDelimiters {
		for skip := range maxSkip + 1 {
			c := csvGuess{delimiter: delimiter, skip: skip, unquoted: unquoted}
			if r.try(&c, head) && (!readable || c.score() > best.score()) {
				best, readable = c, true
			}
		}
	}
	return best, readable
}

// try reads the text with the settings of a guess and fills in its records. It returns
// false if the text cannot be read so.
func (r *reader) try(c *csvGuess, head string) bool {
	spool, err := r.spool([]byte(head))
	if err != nil {
		return false
	}
	defer spool.Close() // the spool is in memory, so Close cannot fail
	settings := append(object{{Name: response.FormatSetting.Name, Value: value.OfString(csvFormat)}}, c.settings()...)
	settings.set(response.HeaderSetting.Name, value.OfBool(false))
	page, err := r.scanner.Scan(spool, response.Query{Format: compile(settings)})
	if err != nil {
		return false
	}
	for item, err := range page.Items() {
		if err != nil {
			return false
		}
		var record []string
		for _, m := range item.Value().Members() {
			record = append(record, m.Value.Raw())
		}
		c.records = append(c.records, record)
		if c.fields == 0 {
			c.fields = len(record)
		}
		if len(record) == c.fields {
			c.consistent++
		}
	}
	return len(c.records) > 0
}

// settings returns the settings that differ from the defaults.
func (c csvGuess) settings() object {
	var o object
	if c.delimiter != csvDelimiters[0] {
		o.set(response.DelimiterSetting.Name, value.OfString(c.delimiter))
	}
	if c.unquoted {
		o.set(response.QuoteSetting.Name, value.OfBool(false))
	}
	if c.skip > 0 {
		o.set(response.SkipSetting.Name, value.OfInt(int64(c.skip)))
	}
	return o
}

// apply adds the settings and the evidence of the guess to the reader.
func (c csvGuess) apply(r *reader) {
	r.settings = append(r.settings, c.settings()...)
	if r.certain == sure {
		r.certain = likely // the guess about the header can be wrong
	}
	if c.fields > 1 {
		name := map[string]string{"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a vertical bar"}[c.delimiter]
		divided := fmt.Sprintf("%d of the first %d records", c.consistent, len(c.records))
		if len(c.records) == 1 {
			divided = "the only record"
		}
		r.evidence = append(r.evidence, fmt.Sprintf("%s divides %s into %d fields", name, divided, c.fields))
	} else {
		r.evidence = append(r.evidence, "no common delimiter divides its lines, so it has one column")
	}
	if c.unquoted {
		r.evidence = append(r.evidence, "its quotes do not enclose fields")
	}
	if c.skip > 0 {
		r.evidence = append(r.evidence, "above its records "+textfmt.Count(c.skip, "line")+" with other things")
	}
	header, why := c.header(r.params["header"])
	r.evidence = append(r.evidence, why)
	if !header {
		r.settings.set(response.HeaderSetting.Name, value.OfBool(false))
		r.advice = append(r.advice, `The columns have no names (column_1, column_2, …): write a list of names as "header" in "response".`)
	}
}

// header reports whether the first record names the columns. declared is the parameter
// `header` of the Content-Type (RFC 4180), or "".
func (c csvGuess) header(declared string) (header bool, why string) {
	switch declared {
	case "present", "absent":
		return declared == "present", "according to the Content-Type, a header is " + declared
	}
	for _, text := range c.records[0] {
		if looksLikeData().MatchString(strings.TrimSpace(text)) {
			return false, "the first record has a number or a date, so it is not a header"
		}
	}
	return true, "the first record has neither a number nor a date, so it names the columns"
}

// looksLikeData matches a number, a date or a time, in any notation.
var looksLikeData = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?\d[\d .,:/TZ+-]*$`)
})

// cutAtRecord returns at most maxBytes bytes of a text. It cuts after the last line feed
// outside of quotes, if there is one.
func cutAtRecord(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	end, quoted := 0, false
	for i := range maxBytes {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '\n':
			if !quoted {
				end = i + 1
			}
		}
	}
	if end == 0 {
		return text[:maxBytes]
	}
	return text[:end]
}
