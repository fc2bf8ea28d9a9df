package value

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Packed is one value in a binary form that can be read without allocation: names and
// texts are bytes of the packed value, and parts can be skipped. It is for temporary
// files of the same process only: reading bytes that AppendPacked or a Packer did not
// write may panic. The empty Packed is null.
type Packed []byte

// The first byte of a packed value.
const (
	packedNull byte = iota
	packedFalse
	packedTrue
	packedNumber // length, literal
	packedString // length, bytes
	packedArray  // size of the items, items
	packedObject // size of the members; for each member length and bytes of the name, value
)

// packedHead is the size of the tag and the size field of an array or object. The size
// field has a fixed length, because it is filled in after the last part.
const packedHead = 1 + 8

// AppendPacked appends the value in its packed form.
func (v Value) AppendPacked(dst []byte) []byte {
	switch v.kind {
	case Null:
		return append(dst, packedNull)
	case Bool:
		if v.text == "true" {
			return append(dst, packedTrue)
		}
		return append(dst, packedFalse)
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
		ClosePacked(dst, start)
		return dst
	default:
		start := len(dst)
		dst = openPacked(dst, packedObject)
		for _, m := range v.node.members {
			dst = m.Value.AppendPacked(appendPackedText(dst, m.Name))
		}
		ClosePacked(dst, start)
		return dst
	}
}

// PackString appends the packed form of a string.
func PackString[T ~string | ~[]byte](dst []byte, contents T) []byte {
	return appendPackedText(append(dst, packedString), contents)
}

// OpenObject begins a packed object. Append each member with AppendName and a packed
// value, and end the object with ClosePacked. All names must be different, see Grouper.
func OpenObject(dst []byte) []byte { return openPacked(dst, packedObject) }

// OpenArray begins a packed array. Append packed values, and end the array with
// ClosePacked.
func OpenArray(dst []byte) []byte { return openPacked(dst, packedArray) }

func openPacked(dst []byte, tag byte) []byte {
	return append(dst, tag, 0, 0, 0, 0, 0, 0, 0, 0)
}

// ClosePacked ends the packed array or object that begins at start: it sets the size.
func ClosePacked(dst []byte, start int) {
	binary.LittleEndian.PutUint64(dst[start+1:], uint64(len(dst)-start-packedHead))
}

// AppendName appends the name of a member of a packed object.
func AppendName[T ~string | ~[]byte](dst []byte, name T) []byte { return appendPackedText(dst, name) }

func appendPackedText[T ~string | ~[]byte](dst []byte, s T) []byte {
	if len(s) < 0x80 {
		return append(append(dst, byte(len(s))), s...)
	}
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Kind returns the type of the value.
func (p Packed) Kind() Kind {
	if len(p) == 0 {
		return Null
	}
	return kinds[p[0]]
}

// kinds maps the first byte of a packed value to its kind.
var kinds = [...]Kind{Null, Bool, Bool, Number, String, Array, Object}

// Raw returns the contents of a string or the literal of a number, otherwise nil. The
// result shares the memory of the value.
func (p Packed) Raw() []byte {
	if k := p.Kind(); k != Number && k != String {
		return nil
	}
	start, end := textAt(p, 1)
	return p[start:end:end]
}

// True reports whether the value is true.
func (p Packed) True() bool { return len(p) > 0 && p[0] == packedTrue }

// Cell returns the same text as Value.Cell, nil if it is empty.
func (p Packed) Cell() []byte {
	if p.True() {
		return packedOne
	}
	return p.Raw()
}

var packedOne = []byte("1") // must not be changed

// Parts iterates over the items of an array or the members of an object.
func (p Packed) Parts() Parts {
	if k := p.Kind(); k != Array && k != Object {
		return Parts{}
	}
	return Parts{all: p[packedHead:]}
}

// PartsOf iterates over consecutive packed values.
func PartsOf(values []byte) Parts { return Parts{all: values} }

// Len counts the items or members.
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

// Empty reports whether the value is empty, see Value.Empty.
func (p Packed) Empty() bool {
	if k := p.Kind(); k == Array || k == Object {
		return len(p) == packedHead
	}
	return p.Value().Empty()
}

// Value returns the value as a tree, which does not share memory with p.
func (p Packed) Value() Value {
	if len(p) == 0 {
		return Value{}
	}
	rest := string(p)
	return unpack(&rest, math.MaxInt)
}

// indexed returns the same as Value, with indexes for large objects, as OfMembers makes
// them. p must not be empty.
func (p Packed) indexed() Value {
	rest := string(p)
	return unpack(&rest, indexFrom)
}

// AppendEscapedJSON appends the same JSON as Value.AppendEscapedJSON.
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
	default:
		first, last := byte('['), byte(']')
		if k == Object {
			first, last = '{', '}'
		}
		dst = append(dst, first)
		for parts := p.Parts(); parts.More(); {
			if k == Object {
				dst = append(appendEscapedText(dst, parts.Name()), ':')
			}
			if dst = parts.Value().AppendEscapedJSON(dst); parts.More() {
				dst = append(dst, ',')
			}
		}
		return append(dst, last)
	}
}

// escapedStep is the maximum number of bytes of a text that are escaped at once, so that
// a long text is not copied as a whole.
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

// AppendMap appends the value with each item or member replaced by the value that change
// appends. For items, name is nil. Scalars and null stay unchanged.
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
	ClosePacked(dst, start)
	return dst, nil
}

// Parts iterates over items or members. For each member of an object, Name must be called
// before Value.
type Parts struct {
	all []byte
	at  int // offset of the next part
}

// More reports whether there is another part.
func (w *Parts) More() bool { return w.at < len(w.all) }

// Name returns the name of the next member.
func (w *Parts) Name() []byte {
	start, end := textAt(w.all, w.at)
	w.at = end
	return w.all[start:end:end]
}

// NextIs reports whether the next member has the given name, and if so moves past the
// name. The name has the form of AppendName. NextIs is faster than Name if the caller
// expects a certain name.
func NextIs[T ~string | ~[]byte](w *Parts, name T) bool {
	end := w.at + len(name)
	if end > len(w.all) || string(w.all[w.at:end]) != string(name) {
		return false
	}
	w.at = end
	return true
}

// Value returns the next item, or the value of the member after Name.
func (w *Parts) Value() Packed {
	v, _, _ := w.Cell()
	return v
}

// Cell moves to the next part, as Value does, and also returns the kind of the value. For
// a scalar, cell is the result of Packed.Cell.
func (w *Parts) Cell() (v Packed, k Kind, cell []byte) {
	start := w.at
	tag, end := w.all[start], start+1
	switch {
	case tag == packedNumber || tag == packedString:
		var text int
		text, end = textAt(w.all, start+1)
		cell = w.all[text:end:end]
	case tag >= packedArray:
		end = start + packedHead + int(binary.LittleEndian.Uint64(w.all[start+1:]))
	case tag == packedTrue:
		cell = packedOne
	}
	w.at = end
	return Packed(w.all[start:end:end]), kinds[tag], cell
}

// Kind returns the kind of the next item or, after Name, of the value of the member.
func (w *Parts) Kind() Kind { return kinds[w.all[w.at]] }

// Skip skips the next item or, after Name, the value of the member.
func (w *Parts) Skip() {
	switch tag := w.all[w.at]; {
	case tag == packedNumber || tag == packedString:
		_, w.at = textAt(w.all, w.at+1)
	case tag >= packedArray:
		w.at += packedHead + int(binary.LittleEndian.Uint64(w.all[w.at+1:]))
	default:
		w.at++
	}
}

// textAt returns the range of the text with its length at offset at.
func textAt(p []byte, at int) (start, end int) {
	if n := int(p[at]); n < 0x80 {
		return at + 1, at + 1 + n
	}
	n, digits := binary.Uvarint(p[at:])
	start = at + digits
	return start, start + int(n)
}

// unpack removes one value from the front of rest. It indexes objects of at least index
// members.
func unpack(rest *string, index int) Value {
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
			n.items = append(n.items, unpack(&parts, index))
		}
		return Value{kind: Array, node: n}
	default:
		// Packed members have different names, so add is not needed.
		parts := unpackParts(rest)
		n := &node{}
		for parts != "" {
			name := unpackText(&parts)
			n.members = append(n.members, Member{name, unpack(&parts, index)})
		}
		if len(n.members) >= index {
			n.makeIndex()
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

// names has the packed names of an object, for comparison with the next object.
type names struct {
	text []byte
	ends []int
	// plain is set if JSON needs no escapes for any of the names, and each length has one
	// byte.
	plain bool
}

func (n *names) name(index int) []byte {
	if index >= len(n.ends) {
		return nil
	}
	start := 0
	if index > 0 {
		start = n.ends[index-1]
	}
	return n.text[start:n.ends[index]]
}

// equalAt reports whether the packed name is at the given index.
func (n *names) equalAt(index int, name []byte) bool {
	return index < len(n.ends) && string(n.name(index)) == string(name)
}

// quoted returns the packed name at the given index if the text begins with the name in
// quotes, otherwise nil. It always returns nil if plain is false.
func (n *names) quoted(index int, text []byte) []byte {
	if !n.plain || index >= len(n.ends) {
		return nil
	}
	name := n.name(index)
	if end := len(name); end < len(text) && text[0] == '"' && text[end] == '"' && string(text[1:end]) == string(name[1:]) {
		return name
	}
	return nil
}

// maxKnown is the maximum size, in bytes, of the names that are kept.
const maxKnown = 16 << 10

// learn copies the names of an object. It returns false if two of them are equal.
func (n *names) learn(object Packed) bool {
	n.text, n.ends, n.plain = n.text[:0], n.ends[:0], true
	for parts := object.Parts(); parts.More(); {
		name := parts.Name()
		n.text = appendPackedText(n.text, name)
		n.ends = append(n.ends, len(n.text))
		n.plain = n.plain && len(name) < 0x80 && plainEnd(name, 0) == len(name)
		parts.Value()
	}
	different := n.allDifferent()
	switch {
	case len(n.text) > maxKnown:
		n.text, n.ends = nil, nil
	case !different:
		n.text, n.ends = n.text[:0], n.ends[:0]
	}
	return different
}

func (n *names) allDifferent() bool {
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
			if n.equalAt(before, n.name(i)) {
				return false
			}
		}
	}
	return true
}
