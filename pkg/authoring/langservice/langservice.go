// Package langservice is the language service of an editor: from the text of a configuration and
// a place in it, it says what may be written there, what is there, and what is wrong.
//
// It takes any text, also one that is not JSON yet, and answers in time that grows with the
// length of the text. All that it says comes from the declarations of the language, from
// package diagnostic and from the text. It reads nothing else, and knows no editor: offsets
// are bytes. See Units for editors that count otherwise.
package langservice

import (
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/schema"
)

// MaxText is how long a text may be, in bytes. About a longer one nothing is said.
const MaxText = 4 << 20

// Buffer is a text that is being edited.
type Buffer struct {
	text     string
	root     *node
	language *schema.Language
	// Variables are names of variables that may be used besides those in the text.
	Variables []string
}

// New reads a text, which may be anything.
func New(text string) *Buffer {
	if len(text) > MaxText {
		text = ""
	}
	return &Buffer{text: text, root: parse(text), language: schema.Default()}
}

// Walk calls visit for the values of the text from its beginning, as far as they can be
// recognised. If visit returns false, the values inside are left out.
func (d *Buffer) Walk(visit func(v Value) bool) {
	for todo := []*node{d.root}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n.kind != missing && !visit(Value{d, n}) {
			continue
		}
		for i := len(n.children) - 1; i >= 0; i-- {
			todo = append(todo, n.children[i])
		}
	}
}

// Value is one value in a text.
type Value struct {
	d *Buffer
	n *node
}

// Name is the name of a member, "" for items and the root.
func (v Value) Name() string { return v.n.name }

// Span returns the offsets of the value, the end not included.
func (v Value) Span() (start, end int) { return v.n.start, v.n.end }

// Scalar returns what a text means, or a number or another word as it is written. ok is
// false for lists and objects.
func (v Value) Scalar() (raw string, ok bool) {
	return v.n.raw(v.d.text), v.n.kind == word || v.n.kind == text
}

// Beside returns the text of the last member of that name in the same object, "" if there
// is none.
func (v Value) Beside(name string) string { return v.n.parent.child(name).raw(v.d.text) }

// Pointer returns the JSON pointer.
func (v Value) Pointer() string { return v.n.pointer() }

// Offset returns the offset in bytes of a place that is counted in UTF-16 units, as
// browsers do.
func Offset(text string, units int) int {
	for i, r := range text {
		if units <= 0 {
			return i
		}
		units -= width(r)
	}
	return len(text)
}

// Units counts the UTF-16 units before offsets of a text.
type Units struct {
	text          string
	offset, units int
}

// NewUnits counts in a text.
func NewUnits(text string) *Units { return &Units{text: text} }

// At returns the units before an offset. It is quick for offsets in their order.
func (u *Units) At(offset int) int {
	offset = max(0, min(offset, len(u.text)))
	if offset < u.offset {
		u.offset, u.units = 0, 0
	}
	for u.offset < offset {
		r, size := utf8.DecodeRuneInString(u.text[u.offset:])
		u.offset += size
		u.units += width(r)
	}
	return u.units
}

func width(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}
