package page

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxIndent is the depth below which values are written in one line: what is
// deeper is no configuration, and would grow with the square of its depth.
const maxIndent = 64

// document is a JSON text as lines to look at, its secrets hidden.
type document struct {
	Lines []line
	// starts tells where the value of a JSON pointer begins, as an index of Lines.
	starts map[string]int
}

// line is one line of a document.
type line struct {
	// Number counts from 1; Indent is the depth.
	Number, Indent int
	Tokens         []token
	// Notes are the problems of what begins in this line.
	Notes []note
}

// token is a piece of a line. Kind is key, string, number, word (true, false,
// null), hidden, or "" for punctuation.
type token struct{ Kind, Text string }

// newDocument lays out a JSON text, without the values of the secret variables, which are named. A
// text that is not JSON is hidden as a whole: nobody knows which parts of it are
// secret.
func newDocument(text []byte, names map[string]bool) document {
	v, err := value.Parse(text)
	if err != nil {
		v = value.OfString(secret.Hidden)
	}
	d := document{starts: map[string]int{}}
	d.lay(conceal(v, names), "", 0, nil, false)
	return d
}

// lay appends the lines of a value. before is what stands in front of it in its
// first line, comma whether another one follows.
func (d *document) lay(v value.Value, pointer string, indent int, before []token, comma bool) {
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
		d.add(indent, append(before, scalar(v), token{Text: end}))
		return
	}
	d.add(indent, append(before, token{Text: opening}))
	for i, m := range v.Members() {
		name := []token{{"key", value.OfString(m.Name).JSON()}, {Text: ": "}}
		d.lay(m.Value, failure.PointerJoin(pointer, m.Name), indent+1, name, i < v.Len()-1)
	}
	for i, item := range v.Items() {
		d.lay(item, failure.PointerJoin(pointer, strconv.Itoa(i)), indent+1, nil, i < v.Len()-1)
	}
	d.add(indent, []token{{Text: closing + end}})
}

func (d *document) add(indent int, tokens []token) {
	d.Lines = append(d.Lines, line{Number: len(d.Lines) + 1, Indent: indent, Tokens: tokens})
}

// scalar is a value in one line.
func scalar(v value.Value) token {
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

// mark puts a note at the place of a pointer, or at the nearest thing around it,
// and gives the number of that line.
func (d *document) mark(pointer string, n note) int {
	nearest := d.nearest(pointer)
	n.Missing = nearest != pointer
	marked := &d.Lines[d.starts[nearest]]
	marked.Notes = append(marked.Notes, n)
	return marked.Number
}

// nearest is the pointer itself when something is there, else that of the nearest
// thing around it.
func (d *document) nearest(pointer string) string {
	for {
		if _, found := d.starts[pointer]; found {
			return pointer
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
}

// isSecret tells whether the value of a key or of a variable is a secret.
func isSecret(name string) bool { return strings.HasPrefix(name, "#") }

// conceal hides every value under a key that starts with #, and the value beside
// the name of a variable that does or that is in names.
func conceal(v value.Value, names map[string]bool) value.Value {
	switch v.Kind() {
	case value.Array:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, conceal(item, names))
		}
		return value.OfItems(items...)
	case value.Object:
		members := make([]value.Member, 0, v.Len())
		name := v.Field("name").Raw()
		besideName := isSecret(name) || names[name]
		for _, m := range v.Members() {
			if isSecret(m.Name) || besideName && m.Name == "value" {
				m.Value = value.OfString(secret.Hidden)
			} else {
				m.Value = conceal(m.Value, names)
			}
			members = append(members, m)
		}
		return value.OfMembers(members...)
	default:
		return v
	}
}

// placeholder is a {{variable}}.
var placeholder = regexp.MustCompile(`\{\{\s*([^{}]+?)\s*\}\}`)

// secretVariables adds the variables that stand under keys that start with #:
// their values are secrets too.
func secretVariables(v value.Value, names map[string]bool) {
	for _, item := range v.Items() {
		secretVariables(item, names)
	}
	for _, m := range v.Members() {
		if !isSecret(m.Name) {
			secretVariables(m.Value, names)
			continue
		}
		for _, found := range placeholder.FindAllStringSubmatch(m.Value.JSON(), -1) {
			names[found[1]] = true
		}
	}
}
