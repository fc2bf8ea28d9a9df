package webui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config/variables"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxIndent is the depth below which values are written on one line. Real configurations
// are not that deep, and the output would grow with the square of the depth.
const maxIndent = 64

// document is a JSON text in lines, with its secrets hidden.
type document struct {
	Lines []line
	// starts maps a JSON pointer to the index of the first line of its value.
	starts map[string]int
	// ends maps a JSON pointer to the index of the line that closes the object or list.
	ends map[string]int
}

type line struct {
	// Number counts from 1. It is 0 if Absent is true. Indent is the depth.
	Number, Indent int
	Tokens         []token
	// Notes are the problems of the values that begin on this line.
	Notes []note
	// Absent is true if the line shows a missing key. The document does not contain the
	// line.
	Absent bool
}

// token is a part of a line. Kind is key, string, number, word (true, false, null),
// hidden, or "" for punctuation and for values on one line.
type token struct{ Kind, Text string }

// newDocument lays out a JSON text in lines. It hides secrets, including the values of
// the named variables. A text that is not JSON is hidden completely.
func newDocument(text []byte, names map[string]bool) document {
	v, err := value.Parse(text)
	if err != nil {
		v = value.OfString(secret.Hidden)
	}
	d := document{starts: map[string]int{}, ends: map[string]int{}}
	d.appendValue(maskSecrets(v, names), "", 0, nil, false)
	return d
}

// appendValue appends the lines of a value. before is the beginning of its first line.
// comma is true if another value follows.
func (d *document) appendValue(v value.Value, pointer string, indent int, before []token, comma bool) {
	d.starts[pointer] = len(d.Lines)
	end := ""
	if comma {
		end = ","
	}
	opening, closing := "{", "}"
	if v.Kind() == value.Array {
		opening, closing = "[", "]"
	}
	if v.Len() == 0 || indent == maxIndent {
		d.add(indent, append(before, valueToken(v), token{Text: end}))
		return
	}
	d.add(indent, append(before, token{Text: opening}))
	for i, m := range v.Members() {
		name := []token{{"key", value.OfString(m.Name).JSON()}, {Text: ": "}}
		d.appendValue(m.Value, failure.PointerJoin(pointer, m.Name), indent+1, name, i < v.Len()-1)
	}
	for i, item := range v.Items() {
		d.appendValue(item, failure.PointerJoin(pointer, strconv.Itoa(i)), indent+1, nil, i < v.Len()-1)
	}
	d.ends[pointer] = len(d.Lines)
	d.add(indent, []token{{Text: closing + end}})
}

func (d *document) add(indent int, tokens []token) {
	d.Lines = append(d.Lines, line{Number: len(d.Lines) + 1, Indent: indent, Tokens: tokens})
}

func valueToken(v value.Value) token {
	switch v.Kind() {
	case value.String:
		if v.Raw() == secret.Hidden {
			return token{"hidden", v.JSON()}
		}
		return token{"string", v.JSON()}
	case value.Number:
		return token{"number", v.JSON()}
	case value.Array, value.Object:
		return token{"", v.JSON()}
	default:
		return token{"word", v.JSON()}
	}
}

// addNote adds a note at a pointer, or at the nearest value that contains the pointer,
// and returns the line number of that value. A note about a missing key gets a line of
// its own at the end of the object.
func (d *document) addNote(pointer string, n note) int {
	nearest := d.nearest(pointer)
	n.Missing = nearest != pointer
	absent := n.Key
	if rest, below := strings.CutPrefix(pointer, nearest+"/"); below && !strings.ContainsAny(rest, "/~") {
		absent = rest
	}
	marked := &d.Lines[d.starts[nearest]]
	n.Line = marked.Number
	if _, err := strconv.Atoi(absent); absent != "" && err != nil && d.insert(nearest, absent, n) {
		return marked.Number
	}
	marked.Notes = append(marked.Notes, n)
	return marked.Number
}

// insert adds a line with a missing key to an object. It returns false if the object is
// not laid out in lines.
func (d *document) insert(pointer, key string, n note) bool {
	at, found := d.ends[pointer]
	if !found || !strings.HasPrefix(d.Lines[at].Tokens[0].Text, "}") {
		return false
	}
	n.Missing = false
	shown := line{
		Indent: d.Lines[at].Indent + 1, Absent: true, Notes: []note{n},
		Tokens: []token{{"key", value.OfString(key).JSON()}, {Text: ": …"}},
	}
	d.Lines = slices.Insert(d.Lines, at, shown)
	for _, places := range []map[string]int{d.starts, d.ends} {
		for p, i := range places {
			if i >= at {
				places[p] = i + 1
			}
		}
	}
	return true
}

// nearest returns the pointer if it exists, otherwise the pointer of the innermost value
// that contains it.
func (d *document) nearest(pointer string) string {
	for {
		if _, found := d.starts[pointer]; found {
			return pointer
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}

// isSecret reports whether the value of a key or of a variable is a secret.
func isSecret(name string) bool { return strings.HasPrefix(name, "#") }

// maskSecrets hides the value of every key that begins with #. It also hides the value of
// a variable with a name that begins with # or is in names.
func maskSecrets(v value.Value, names map[string]bool) value.Value {
	name := v.Field("name").Raw()
	besideName := isSecret(name) || names[name]
	return v.Map(func(m value.Member) value.Member {
		if isSecret(m.Name) || besideName && m.Name == "value" {
			m.Value = value.OfString(secret.Hidden)
		} else {
			m.Value = maskSecrets(m.Value, names)
		}
		return m
	})
}

// secretVariables adds to names the variables that are used below keys that begin with #,
// because their values are secrets too.
func secretVariables(document []byte, names map[string]bool) {
	for _, name := range variables.SecretPlaceholders(fields(document)) {
		names[name] = true
	}
}
