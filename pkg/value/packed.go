package value

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Packed is one value in a binary form that can be walked without building
// anything: names and texts are bytes of it, and what is not wanted is stepped
// over. It is meant for spools that live as long as the process, not for
// keeping; only what AppendPacked or a Packer made may be read as one. The
// empty Packed is null.
type Packed []byte

// The first byte of a packed value.
const (
	packedNull byte = iota
	packedFalse
	packedTrue
	packedNumber // length, literal
	packedString // length, bytes
	packedArray  // size of all that follows, items
	packedObject // likewise; for each member length and bytes of the name, value
)

// packedHead is the tag and the size of an array or object. The size has always
// the same length, because it is known only when the last part is there.
const packedHead = 1 + 8

// AppendPacked appends the value in its packed form.
func (v Value) AppendPacked(dst []byte) []byte {
	switch v.kind {
	case Null:
		return append(dst, packedNull)
	case Bool:
		return appendPackedBool(dst, v.text == "true")
	case Number:
		return appendPackedText(append(dst, packedNumber), v.text)
	case String:
		return appendPackedText(append(dst, packedString), v.text)
	case Array:
		start := len(dst)
		dst = openPacked(dst, packedArray)
		for _, item := range v.node.items {
			dst = item.AppendPacked(dst)
		}
		closePacked(dst, start)
		return dst
	default:
		start := len(dst)
		dst = openPacked(dst, packedObject)
		for _, m := range v.node.members {
			dst = m.Value.AppendPacked(appendPackedText(dst, m.Name))
		}
		closePacked(dst, start)
		return dst
	}
}

// PackString appends the packed form of a string.
func PackString(dst, contents []byte) []byte {
	return appendPackedText(append(dst, packedString), contents)
}

func appendPackedBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, packedTrue)
	}
	return append(dst, packedFalse)
}

func appendPackedText[T ~string | ~[]byte](dst []byte, s T) []byte {
	if len(s) < 0x80 {
		return append(append(dst, byte(len(s))), s...)
	}
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// openPacked begins an array or object, whose size closePacked fills in.
func openPacked(dst []byte, tag byte) []byte {
	return append(dst, tag, 0, 0, 0, 0, 0, 0, 0, 0)
}

func closePacked(dst []byte, start int) {
	binary.LittleEndian.PutUint64(dst[start+1:], uint64(len(dst)-start-packedHead))
}

// Kind is the JSON type of the value.
func (p Packed) Kind() Kind {
	if len(p) == 0 {
		return Null
	}
	return [...]Kind{Null, Bool, Bool, Number, String, Array, Object}[p[0]]
}

// Raw is the contents of a string or the literal of a number; nil for anything
// else. It shares the memory of the value.
func (p Packed) Raw() []byte {
	if k := p.Kind(); k != Number && k != String {
		return nil
	}
	text, _ := cutPackedText(p[1:])
	return text
}

// True reports whether the value is true.
func (p Packed) True() bool { return len(p) > 0 && p[0] == packedTrue }

// Cell is a scalar as text in a table, as Value.Cell; nil for an empty one.
func (p Packed) Cell() []byte {
	if p.True() {
		return packedOne
	}
	return p.Raw()
}

var packedOne = []byte("1") // never changed

// Parts walks over the items of an array or the members of an object; there
// are none of other values.
func (p Packed) Parts() Parts {
	if k := p.Kind(); k != Array && k != Object {
		return Parts{}
	}
	return Parts{p[packedHead:]}
}

// PartsOf walks over packed values that stand one after the other.
func PartsOf(values []byte) Parts { return Parts{values} }

// Len is the number of items or members. It walks over them.
func (p Packed) Len() int {
	n, object := 0, p.Kind() == Object
	for parts := p.Parts(); parts.More(); n++ {
		if object {
			parts.Name()
		}
		parts.Value()
	}
	return n
}

// Empty is Value.Empty.
func (p Packed) Empty() bool {
	if k := p.Kind(); k == Array || k == Object {
		return len(p) == packedHead
	}
	return p.Value().Empty()
}

// Value is the value in its usual form; it shares no memory with the packed one.
func (p Packed) Value() Value {
	if len(p) == 0 {
		return Value{}
	}
	rest := string(p)
	return unpack(&rest)
}

// AppendEscapedJSON appends the value as compact JSON, as
// Value.AppendEscapedJSON.
func (p Packed) AppendEscapedJSON(dst []byte) []byte {
	switch k := p.Kind(); k {
	case Null:
		return append(dst, "null"...)
	case Bool:
		return strconv.AppendBool(dst, p.True())
	case Number:
		return append(dst, p.Raw()...)
	case String:
		return appendEscapedText(dst, p.Raw())
	case Array:
		dst = append(dst, '[')
		for parts := p.Parts(); parts.More(); {
			dst = appendComma(parts.Value().AppendEscapedJSON(dst), parts)
		}
		return append(dst, ']')
	default:
		dst = append(dst, '{')
		for parts := p.Parts(); parts.More(); {
			dst = append(appendEscapedText(dst, parts.Name()), ':')
			dst = appendComma(parts.Value().AppendEscapedJSON(dst), parts)
		}
		return append(dst, '}')
	}
}

// appendComma appends a comma when there are more parts.
func appendComma(dst []byte, left Parts) []byte {
	if left.More() {
		return append(dst, ',')
	}
	return dst
}

// escapedStep is how many bytes of a text are escaped at once: a long one need
// not be copied as a whole.
const escapedStep = 4096

func appendEscapedText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > escapedStep {
		end := escapedStep
		for end > escapedStep-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		dst = appendEscaped(dst, string(text[:end]))
		text = text[end:]
	}
	return append(appendEscaped(dst, string(text)), '"')
}

// At walks a path from the value, as Value.At. Only what it leads to is unpacked.
func (p Packed) At(path, separator string) (Value, bool) {
	ok := true
	switch {
	case path == separator:
	case separator == "":
		p, ok = p.Step(path)
	default:
		for segment := range strings.SplitSeq(path, separator) {
			if p, ok = p.Step(segment); !ok {
				break
			}
		}
	}
	if !ok {
		return Value{}, false
	}
	return p.Value(), true
}

// Step is the member of that name, or the item of that number.
func (p Packed) Step(segment string) (Packed, bool) {
	switch parts := p.Parts(); p.Kind() {
	case Object:
		for parts.More() {
			name, v := parts.Name(), parts.Value()
			if string(name) == segment {
				return v, true
			}
		}
	case Array:
		i, ok := index(segment)
		for ; ok && parts.More(); i-- {
			if v := parts.Value(); i == 0 {
				return v, v.Kind() != Null
			}
		}
	}
	return nil, false
}

// AppendMap appends the value with what change appends for each item of an array or
// member of an object in its place. An item is a member without a name. Scalars and
// null stay as they are.
func (p Packed) AppendMap(dst []byte, change func(dst, name []byte, part Packed) ([]byte, error)) ([]byte, error) {
	k, start := p.Kind(), len(dst)
	if k != Array && k != Object {
		return append(dst, p...), nil
	}
	dst = openPacked(dst, p[0])
	for parts := p.Parts(); parts.More(); {
		var name []byte
		if k == Object {
			name = parts.Name()
			dst = appendPackedText(dst, name)
		}
		var err error
		if dst, err = change(dst, name, parts.Value()); err != nil {
			return dst, err
		}
	}
	closePacked(dst, start)
	return dst, nil
}

// Parts are what is left of a walk. Of each member the name must be taken
// before the value.
type Parts struct{ rest []byte }

// More reports whether there is another part.
func (w *Parts) More() bool { return len(w.rest) > 0 }

// Name takes the name of the next member.
func (w *Parts) Name() []byte {
	var name []byte
	name, w.rest = cutPackedText(w.rest)
	return name
}

// Value takes the next item, or the value of the member whose name was taken.
func (w *Parts) Value() Packed {
	var size int
	switch w.rest[0] {
	case packedNull, packedFalse, packedTrue:
		size = 1
	case packedNumber, packedString:
		if n := w.rest[1]; n < 0x80 {
			size = 2 + int(n)
			break
		}
		n, digits := binary.Uvarint(w.rest[1:])
		size = 1 + digits + int(n)
	default:
		size = packedHead + int(binary.LittleEndian.Uint64(w.rest[1:]))
	}
	v := Packed(w.rest[:size:size])
	w.rest = w.rest[size:]
	return v
}

// cutPackedText parts a length and so many bytes from what comes after them.
func cutPackedText(p []byte) (text, rest []byte) {
	n, digits := int(p[0]), 1
	if n >= 0x80 {
		var long uint64
		long, digits = binary.Uvarint(p)
		n = int(long)
	}
	return p[digits : digits+n : digits+n], p[digits+n:]
}

// unpack eats one value from the front of a packed text.
func unpack(rest *string) Value {
	tag := (*rest)[0]
	*rest = (*rest)[1:]
	switch tag {
	case packedNull:
		return Value{}
	case packedFalse:
		return OfBool(false)
	case packedTrue:
		return OfBool(true)
	case packedNumber:
		return Value{kind: Number, text: unpackText(rest)}
	case packedString:
		return Value{kind: String, text: unpackText(rest)}
	case packedArray:
		parts := unpackParts(rest)
		n := &node{}
		for parts != "" {
			n.items = append(n.items, unpack(&parts))
		}
		return Value{kind: Array, node: n}
	default:
		// Packed members have different names, so there is nothing to look for.
		parts := unpackParts(rest)
		n := &node{}
		for parts != "" {
			name := unpackText(&parts)
			n.members = append(n.members, Member{name, unpack(&parts)})
		}
		return Value{kind: Object, node: n}
	}
}

func unpackText(rest *string) string {
	var n, shift uint
	for i := 0; ; i++ {
		b := (*rest)[i]
		n |= uint(b&0x7F) << shift
		if b < 0x80 {
			text := (*rest)[i+1 : i+1+int(n)]
			*rest = (*rest)[i+1+int(n):]
			return text
		}
		shift += 7
	}
}

func unpackParts(rest *string) string {
	size := 0
	for i := range 8 {
		size |= int((*rest)[i]) << (8 * i)
	}
	parts := (*rest)[8 : 8+size]
	*rest = (*rest)[8+size:]
	return parts
}

// names remembers the names of an object as they are packed, each after its
// length, to be compared with the next one's.
type names struct {
	text []byte
	ends []int
	// plain says that all names look the same in a JSON text, but for quotes, and
	// have one byte of length.
	plain bool
}

func (n *names) name(place int) []byte {
	if place >= len(n.ends) {
		return nil
	}
	start := 0
	if place > 0 {
		start = n.ends[place-1]
	}
	return n.text[start:n.ends[place]]
}

// at reports whether the packed name has that place.
func (n *names) at(place int, name []byte) bool {
	return place < len(n.ends) && string(n.name(place)) == string(name)
}

// quoted is the packed name of that place, if the text begins with it, in quotes;
// nil when that is not seen at once.
func (n *names) quoted(place int, text []byte) []byte {
	if !n.plain || place >= len(n.ends) {
		return nil
	}
	name := n.name(place)
	if end := len(name); end < len(text) && text[0] == '"' && text[end] == '"' && string(text[1:end]) == string(name[1:]) {
		return name
	}
	return nil
}

// maxKnown is how many bytes of names are remembered.
const maxKnown = 16 << 10

// learn takes the names of an object over; false when two are equal.
func (n *names) learn(object Packed) bool {
	n.text, n.ends, n.plain = n.text[:0], n.ends[:0], true
	for parts := object.Parts(); parts.More(); {
		name := parts.Name()
		n.text = appendPackedText(n.text, name)
		n.ends = append(n.ends, len(n.text))
		n.plain = n.plain && len(name) < 0x80 && plainEnd(name, 0) == len(name)
		parts.Value()
	}
	different := n.different()
	switch {
	case len(n.text) > maxKnown:
		n.text, n.ends = nil, nil
	case !different:
		n.text, n.ends = n.text[:0], n.ends[:0]
	}
	return different
}

// different reports whether all names are.
func (n *names) different() bool {
	if len(n.ends) >= indexFrom {
		sorted := make([]string, len(n.ends))
		for i := range sorted {
			sorted[i] = string(n.name(i))
		}
		slices.Sort(sorted)
		return len(slices.Compact(sorted)) == len(n.ends)
	}
	for i := range n.ends {
		for before := range i {
			if n.at(before, n.name(i)) {
				return false
			}
		}
	}
	return true
}
