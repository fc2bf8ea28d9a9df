// Package langservice is the language service of an editor. For an offset in the text of
// a configuration it returns completions and documentation, and for the whole text its
// problems.
//
// It accepts any text, also incomplete JSON, in time linear in the length of the text.
// Its sources are the schema, package diagnostic and the text itself; it reads no files.
// Offsets are bytes. Offset and Units convert from and to UTF-16 units, which browsers
// use.
package langservice

import (
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/schema"
)

// MaxText is the maximum length of a text, in bytes. Longer texts are treated as empty.
const MaxText = 4 << 20

type buffer struct {
	text     string
	root     *node
	language *schema.Language
	// Variables are names of variables to offer in addition to variables in the text.
	Variables []string
}

// New parses a text, which need not be valid JSON.
func New(text string) *buffer {
	if len(text) > MaxText {
		text = ""
	}
	return &buffer{text: text, root: parse(text), language: schema.Default()}
}

// Walk calls visit for the values of the text in their order. If visit returns false,
// Walk skips the values inside.
func (d *buffer) Walk(visit func(v Value) bool) {
	for todo := []*node{d.root}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n.kind != missing && !visit(Value{n.name, n.start, n.end, d, n}) {
			continue
		}
		for i := len(n.children) - 1; i >= 0; i-- {
			todo = append(todo, n.children[i])
		}
	}
}

// Value is one value in a text.
type Value struct {
	// Name is the name of a member, or "" for an item and for the root.
	Name string
	// Start and End are the offsets of the value. End is exclusive.
	Start, End int

	d *buffer
	n *node
}

// Scalar returns the unquoted text, or a number or another word as written. ok is false
// for lists and objects.
func (v Value) Scalar() (raw string, ok bool) {
	return v.n.raw(v.d.text), v.n.kind == word || v.n.kind == text
}

// Beside returns the text of the last member with this name in the same object, or "".
func (v Value) Beside(name string) string { return v.n.parent.child(name).raw(v.d.text) }

// Pointer returns the JSON pointer of the value.
func (v Value) Pointer() string { return v.n.pointer() }

// Offset converts a number of UTF-16 units, as browsers count, to an offset in bytes.
func Offset(text string, units int) int {
	for i, r := range text {
		if units <= 0 {
			return i
		}
		units -= width(r)
	}
	return len(text)
}

// Units returns a function that converts offsets of a text to numbers of UTF-16 units.
// Calls with ascending offsets take linear time in total.
func Units(text string) func(offset int) int {
	at, units := 0, 0
	return func(offset int) int {
		offset = max(0, min(offset, len(text)))
		if offset < at {
			at, units = 0, 0
		}
		for at < offset {
			r, size := utf8.DecodeRuneInString(text[at:])
			at += size
			units += width(r)
		}
		return units
	}
}

func width(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}
