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
	// csvHead is how many bytes of a text show how its records are written.
	csvHead = 64 << 10
	// maxSkip is how many lines above the records are looked for.
	maxSkip = 9
)

// csvDelimiters are those that are looked for; of equals the first one counts.
var csvDelimiters = []string{",", ";", "\t", "|"}

// csvGuess is one way to read a text as CSV.
type csvGuess struct {
	delimiter string
	skip      int
	unquoted  bool
	records   [][]string
	fields    int // of the first record
	equal     int // records with as many
}

// score is how many delimiters the guess explains, less what speaks against it.
func (c csvGuess) score() int { return (c.fields - 1) * (2*c.equal - len(c.records)) }

// clear reports whether a text is CSV though nothing states it.
func (c csvGuess) clear() bool {
	return c.fields > 1 && c.equal == len(c.records) && c.equal > 1 && (c.skip == 0 || c.equal > 2)
}

// csv finds how the records of a text are written. stated says that it is CSV.
func (r *reader) csv(head string, stated bool) (csvGuess, bool) {
	best, readable := r.best(head, false)
	if !readable || best.skip > 0 {
		// Perhaps there is a quote that never ends in the lines above.
		other, ok := r.best(head, true)
		if ok && (!readable || other.skip < best.skip && other.score() > best.score()) {
			best, readable = other, true
		}
	}
	switch {
	case !readable:
		return best, false
	case best.score() <= 0 && stated: // one column
		return best, best.skip == 0
	default:
		return best, stated || best.clear()
	}
}

// best is the guess that explains the most; readable is false when there is none.
func (r *reader) best(head string, unquoted bool) (best csvGuess, readable bool) {
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

// try reads a text by a guess; false when that is not possible.
func (r *reader) try(c *csvGuess, head string) bool {
	spool, err := r.spool([]byte(head))
	if err != nil {
		return false
	}
	defer spool.Close() // of memory only
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
			c.equal++
		}
	}
	return len(c.records) > 0
}

// settings are those that are not the usual ones.
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

// apply makes the guess that of the reader.
func (c csvGuess) apply(r *reader) {
	r.settings = append(r.settings, c.settings()...)
	if r.certain == Sure {
		r.certain = Likely // what the first record is cannot be seen
	}
	if c.fields > 1 {
		name := map[string]string{"\t": "a tab", ",": "a comma", ";": "a semicolon", "|": "a bar"}[c.delimiter]
		r.evidence = append(r.evidence, fmt.Sprintf("%s parts %d of the first %s into %d fields", name, c.equal, textfmt.Count(len(c.records), "record"), c.fields))
	} else {
		r.evidence = append(r.evidence, "no usual delimiter parts its lines, so it has one column")
	}
	if c.unquoted {
		r.evidence = append(r.evidence, "its quotes are not around fields")
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

// header reports whether the first record names the columns.
func (c csvGuess) header(stated string) (header bool, why string) {
	switch stated {
	case "present", "absent":
		return stated == "present", "the Content-Type says that a header is " + stated
	}
	for _, text := range c.records[0] {
		if looksLikeData().MatchString(strings.TrimSpace(text)) {
			return false, "the first record holds a number or a date, so it is not a header"
		}
	}
	return true, "the first record holds no number and no date, so it names the columns"
}

// looksLikeData is a number, a date or a time, in any notation.
var looksLikeData = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?\d[\d .,:/TZ+-]*$`)
})

// cutAtRecord is the beginning of a text up to the end of a line outside of quotes.
func cutAtRecord(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end, quoted := 0, false
	for i := range most {
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
		return text[:most]
	}
	return text[:end]
}
