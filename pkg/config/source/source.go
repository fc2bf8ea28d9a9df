// Package source finds the value at a JSON pointer in a JSON text, with line and column.
// In an invalid text it finds the values of the valid beginning.
package source

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// Span is a range of bytes in the text. End is not included.
type Span struct{ Start, End int }

// Location describes where a value is in the text.
type Location struct {
	// Name is the member's name with its quotes. It is empty for items and the root.
	Name Span
	// Value is the whole value, up to the first invalid token.
	Value Span
	// Scalar is false for objects and lists.
	Scalar bool
}

// Scalar is a value other than an object or a list.
type Scalar struct {
	Pointer string
	Span
}

// Repeated is a key that occurs several times in an object.
type Repeated struct {
	Pointer string
	// Names are the ranges of all occurrences, in the order of the text. The last
	// occurrence counts.
	Names []Span
}

// Text is a JSON text. It is parsed at the first use of a method that requires it.
type Text struct {
	text             []byte
	once             sync.Once
	lines            []int // offsets of the first bytes of lines
	charactersBefore []int // number of characters before each block
	locations        map[string]Location
	starts           []valueStart // starts of all values in the order of the text
	scalars          []Scalar
	repeatedNames    map[string][]Span // ranges of names by pointers that occur several times
	validEnd         int               // offset after the last valid token
	lastPointer      string            // pointer of the last token
}

// valueStart is the offset of the first byte of a value.
type valueStart struct {
	pointer string
	start   int
}

// New returns a Text. If an object has several members with the same name, the last
// member counts. The text must not change.
func New(text []byte) *Text { return &Text{text: text} }

func (t *Text) load() {
	t.once.Do(func() {
		t.lines, t.locations, t.repeatedNames = []int{0}, map[string]Location{}, map[string][]Span{}
		characters := 0
		for i, c := range t.text {
			if i%blockSize == 0 {
				t.charactersBefore = append(t.charactersBefore, characters)
			}
			if utf8.RuneStart(c) {
				characters++
			}
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
		t.read(value.NewDecoder(bytes.NewReader(t.text)))
	})
}

// read reads the tokens of the text.
func (t *Text) read(dec *jsontext.Decoder) {
	var open []string // pointers of the objects and lists around the next token
	var name Span
	for {
		before := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		kind := tok.Kind()
		t.validEnd = int(dec.InputOffset())
		span := Span{t.tokenStart(before), t.validEnd}
		if kind == '}' || kind == ']' {
			closed := open[len(open)-1]
			open = open[:len(open)-1]
			p := t.locations[closed]
			p.Value.End = t.validEnd
			t.locations[closed] = p
			if len(open) == 0 {
				break
			}
			continue
		}
		if in, n := dec.StackIndex(dec.StackDepth()); in == '{' && n%2 == 1 && kind == '"' {
			name = span // after an odd number of tokens a string is a name
			continue
		}
		pointer := string(dec.StackPointer())
		scalar := kind != '{' && kind != '['
		t.add(pointer, Location{Name: name, Value: span, Scalar: scalar})
		if scalar {
			t.scalars = append(t.scalars, Scalar{pointer, span})
		}
		name = Span{}
		if kind == '{' || kind == '[' {
			open = append(open, pointer)
		}
		if len(open) == 0 {
			break
		}
	}
	t.lastPointer = string(dec.StackPointer())
	for _, pointer := range open {
		p := t.locations[pointer]
		p.Value.End = t.validEnd
		t.locations[pointer] = p
	}
}

func (t *Text) add(pointer string, p Location) {
	if earlier, again := t.locations[pointer]; again { // the later value replaces the earlier value and everything inside
		first, _ := slices.BinarySearchFunc(t.starts, earlier.Value.Start, func(v valueStart, start int) int { return v.start - start })
		for _, inner := range t.starts[first:] {
			if inner.start >= earlier.Value.End {
				break
			}
			delete(t.locations, inner.pointer)
			if inner.pointer != pointer {
				delete(t.repeatedNames, inner.pointer)
			}
		}
		if t.repeatedNames[pointer] == nil {
			t.repeatedNames[pointer] = []Span{earlier.Name}
		}
		t.repeatedNames[pointer] = append(t.repeatedNames[pointer], p.Name)
	}
	t.locations[pointer] = p
	t.starts = append(t.starts, valueStart{pointer, p.Value.Start})
}

// Repeated returns the keys that occur several times in an object, in the order of their
// last occurrences. It leaves out keys inside a value that a later value replaces.
func (t *Text) Repeated() []Repeated {
	t.load()
	var all []Repeated
	for pointer, names := range t.repeatedNames {
		all = append(all, Repeated{pointer, names})
	}
	slices.SortFunc(all, func(a, b Repeated) int { return a.Names[len(a.Names)-1].Start - b.Names[len(b.Names)-1].Start })
	return all
}

// tokenStart returns the offset of the next token. It skips white space, commas and
// colons.
func (t *Text) tokenStart(from int) int {
	return t.validEnd - len(bytes.TrimLeft(t.text[from:t.validEnd], " \t\r\n,:"))
}

// Find returns the location of the value at a JSON pointer, or of the nearest value
// around it. at is the pointer of the returned value. ok is false if the text has no
// value.
func (t *Text) Find(pointer string) (location Location, at string, ok bool) {
	t.load()
	for {
		if p, ok := t.locations[pointer]; ok {
			return p, pointer, true
		}
		slash := strings.LastIndexByte(pointer, '/')
		if slash < 0 {
			return Location{}, "", false
		}
		pointer = pointer[:slash]
	}
}

// Scalars returns all scalars in the order of the text, including scalars that a later
// member with the same name replaces.
func (t *Text) Scalars() []Scalar {
	t.load()
	return t.scalars
}

// End returns the offset after the last valid token, and the pointer of its value.
func (t *Text) End() (offset int, pointer string) {
	t.load()
	return t.validEnd, t.lastPointer
}

// Position returns line and column of an offset, both counted from 1. Columns count
// characters.
func (t *Text) Position(offset int) (line, column int) {
	t.load()
	offset = max(0, min(offset, len(t.text)))
	line = sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset })
	return line, 1 + t.characters(offset) - t.characters(t.lines[line-1])
}

// blockSize is the maximum number of bytes that Position scans. Without blocks, a
// document with a single line and a thousand findings would be slow.
const blockSize = 1024

// characters returns the number of characters that begin before an offset.
func (t *Text) characters(offset int) int {
	if len(t.charactersBefore) == 0 {
		return 0
	}
	from := min(offset/blockSize, len(t.charactersBefore)-1)
	n := t.charactersBefore[from]
	for _, c := range t.text[from*blockSize : offset] {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// Characters shrinks a range to whole characters.
func (t *Text) Characters(s Span) Span {
	for s.Start < s.End && !utf8.RuneStart(t.text[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && s.End < len(t.text) && !utf8.RuneStart(t.text[s.End]) {
		s.End--
	}
	return s
}

// Line returns the range of a line, counted from 1, without its line break.
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

// Slice returns the text of a range.
func (t *Text) Slice(s Span) string { return string(t.text[s.Start:s.End]) }

// Offset returns the offset of a line and a column in bytes, both counted from 1, as in
// value.SyntaxError.
func (t *Text) Offset(line, column int) int {
	t.load()
	if line < 1 || line > len(t.lines) {
		return len(t.text)
	}
	return max(0, min(t.lines[line-1]+column-1, len(t.text)))
}
