// Package source finds the places of a JSON text: where the value at a JSON
// pointer stands, and which line and column that is.
//
// It reads a text as far as it is JSON, so that there are places also in one
// that is broken further on. It judges nothing.
package source

import (
	"bytes"
	"maps"
	"sort"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Span is a part of the text: offsets in bytes, the end not included.
type Span struct{ Start, End int }

// Place is where a value stands.
type Place struct {
	// Name is the member's name with its quotes; empty for items and the root.
	Name Span
	// Value is the whole value; it ends where the text stops being JSON.
	Value Span
	// Scalar says that the value is no object and no list.
	Scalar bool
}

// Scalar is a value that is no object and no list, with its pointer.
type Scalar struct {
	Pointer string
	Span
}

// Text is a JSON text whose places are known as soon as someone asks for one.
type Text struct {
	text   []byte
	once   sync.Once
	lines  []int // offsets of their beginnings
	before []int // characters before every block of that many bytes
	places map[string]Place
	scalar []Scalar
	end    int    // behind the last token that was read
	last   string // pointer of the last token
}

// New is a text that is read when a place is asked for first, at the longest up
// to the first thing that is not JSON. Of members with one name the last counts.
// The text must not change afterwards.
func New(text []byte) *Text { return &Text{text: text} }

// load reads the text, once.
func (t *Text) load() {
	t.once.Do(func() {
		t.lines, t.places = []int{0}, map[string]Place{}
		characters := 0
		for i, c := range t.text {
			if i%block == 0 {
				t.before = append(t.before, characters)
			}
			if begins(c) {
				characters++
			}
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
		t.read(value.NewDecoder(bytes.NewReader(t.text)))
	})
}

// read follows the tokens of the text.
func (t *Text) read(dec *jsontext.Decoder) {
	var open []string // the objects and lists around the next token
	var name Span
	for {
		before := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		kind := tok.Kind()
		t.end = int(dec.InputOffset())
		span := Span{t.token(before), t.end}
		if kind == '}' || kind == ']' {
			closed := open[len(open)-1]
			open = open[:len(open)-1]
			p := t.places[closed]
			p.Value.End = t.end
			t.places[closed] = p
			if len(open) == 0 {
				break
			}
			continue
		}
		if in, n := dec.StackIndex(dec.StackDepth()); in == '{' && n%2 == 1 && kind == '"' {
			name = span // an odd number of tokens so far: this one is a name
			continue
		}
		pointer := string(dec.StackPointer())
		scalar := kind != '{' && kind != '['
		t.add(pointer, Place{Name: name, Value: span, Scalar: scalar})
		if scalar {
			t.scalar = append(t.scalar, Scalar{pointer, span})
		}
		name = Span{}
		if kind == '{' || kind == '[' {
			open = append(open, pointer)
		}
		if len(open) == 0 {
			break
		}
	}
	t.last = string(dec.StackPointer())
	for _, pointer := range open {
		p := t.places[pointer]
		p.Value.End = t.end
		t.places[pointer] = p
	}
}

func (t *Text) add(pointer string, p Place) {
	if _, again := t.places[pointer]; again { // what stood in the earlier value is gone
		maps.DeleteFunc(t.places, func(inner string, _ Place) bool { return strings.HasPrefix(inner, pointer+"/") })
	}
	t.places[pointer] = p
}

// token is where the token behind an offset begins: between two tokens stand
// white space, a comma, a colon.
func (t *Text) token(from int) int {
	for from < t.end {
		switch t.text[from] {
		case ' ', '\t', '\r', '\n', ',', ':':
			from++
		default:
			return from
		}
	}
	return from
}

// Find is the place of a JSON pointer, and its pointer: when nothing is there,
// of the nearest value around it. ok is false when the text has no value.
func (t *Text) Find(pointer string) (place Place, at string, ok bool) {
	t.load()
	for {
		if p, ok := t.places[pointer]; ok {
			return p, pointer, true
		}
		slash := strings.LastIndexByte(pointer, '/')
		if slash < 0 {
			return Place{}, "", false
		}
		pointer = pointer[:slash]
	}
}

// Scalars are all scalars in the order of the text, also those that a later
// member of the same name replaces.
func (t *Text) Scalars() []Scalar {
	t.load()
	return t.scalar
}

// End is the offset behind the last token that was read, and the pointer of
// the value or member it belongs to.
func (t *Text) End() (offset int, pointer string) {
	t.load()
	return t.end, t.last
}

// Position is the line and the column of an offset, both from 1; columns are
// counted in characters.
func (t *Text) Position(offset int) (line, column int) {
	t.load()
	offset = max(0, min(offset, len(t.text)))
	line = sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset })
	return line, 1 + t.characters(offset) - t.characters(t.lines[line-1])
}

// block is how many bytes are counted at once at most: a document may be one
// line, with a thousand findings in it.
const block = 1024

// characters is how many characters begin before an offset.
func (t *Text) characters(offset int) int {
	if len(t.before) == 0 {
		return 0
	}
	from := min(offset/block, len(t.before)-1)
	n := t.before[from]
	for _, c := range t.text[from*block : offset] {
		if begins(c) {
			n++
		}
	}
	return n
}

// begins reports whether a byte of UTF-8 is the first one of a character.
func begins(c byte) bool { return c&0xC0 != 0x80 }

// Characters is the span without a part of a character at its ends.
func (t *Text) Characters(s Span) Span {
	for s.Start < s.End && !begins(t.text[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && s.End < len(t.text) && !begins(t.text[s.End]) {
		s.End--
	}
	return s
}

// Line is a line of the text, from 1, without its end.
func (t *Text) Line(number int) Span {
	t.load()
	if number < 1 || number > len(t.lines) {
		return Span{len(t.text), len(t.text)}
	}
	s := Span{t.lines[number-1], len(t.text)}
	if number < len(t.lines) {
		s.End = t.lines[number] - 1
	}
	if s.End > s.Start && t.text[s.End-1] == '\r' {
		s.End--
	}
	return s
}

// Slice is the text of a span.
func (t *Text) Slice(s Span) string { return string(t.text[s.Start:s.End]) }

// Offset is the offset of a line and a column in bytes, both from 1, as a
// value.SyntaxError has them.
func (t *Text) Offset(line, column int) int {
	t.load()
	if line < 1 || line > len(t.lines) {
		return len(t.text)
	}
	return max(0, min(t.lines[line-1]+column-1, len(t.text)))
}
