package value

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"
)

// Packer packs JSON texts without building values. It keeps the names of the last object,
// because most objects have the same names. It is not safe for concurrent use. The zero
// Packer is ready to use.
type Packer struct {
	root   shape
	shapes int // number of shapes without root
	spare  names
	levels int // number of levels of objects and arrays that are still allowed
	// irregular is set if the text has an irregular number. repeated is set if an object
	// has two members with the same name.
	irregular, repeated bool
}

// shape has the names of an object, and the shapes of the objects in its members.
type shape struct {
	names
	members []*shape
}

// maxShapes is the maximum number of shapes of a packer. Each shape needs up to maxKnown
// bytes for its names.
const maxShapes = 200

// memberShape returns the shape of the objects in the member at the given index.
func (p *Packer) memberShape(s *shape, index int) *shape {
	if index < len(s.members) && s.members[index] != nil {
		return s.members[index]
	}
	if index >= maxShapes || p.shapes == maxShapes {
		return s // the names are learned again for each object
	}
	if index >= len(s.members) {
		s.members = append(s.members, make([]*shape, index+1-len(s.members))...)
	}
	p.shapes++
	s.members[index] = &shape{}
	return s.members[index]
}

// maxLevels is the maximum number of nested arrays and objects that Next packs.
const maxLevels = 1000

// Append appends the packed form of a JSON text. A decoder of NewDecoder must have
// accepted the text as one value. regular is false if the text has numbers that are not
// in regular form. Then equal values may have different packed forms, see Packed.Regular.
func (p *Packer) Append(dst []byte, text jsontext.Value) (_ []byte, regular bool) {
	dst, _, regular = p.pack(dst, text, math.MaxInt)
	return dst, regular
}

// Next appends the packed form of the value at the start of a text. n is the length of
// the value in the text, including the white space before the value. It is 0 if the text
// is not JSON, ends within the value, or is nested too deep.
func (p *Packer) Next(dst, text []byte) (_ []byte, n int, regular bool) {
	return p.pack(dst, text, maxLevels)
}

func (p *Packer) pack(dst, text []byte, levels int) (_ []byte, n int, regular bool) {
	start := len(dst)
	p.levels, p.irregular, p.repeated = levels, false, false
	dst, n = p.value(dst, text, 0, &p.root)
	if n == failed {
		return dst[:start], 0, false
	}
	if p.repeated {
		dst = packAnew(dst, start)
	}
	return dst, n, !p.irregular
}

// failed is returned instead of an offset if the text is not JSON.
const failed = -1

// skipWhite returns the offset of the next byte that is not white space.
func skipWhite(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}

// value appends the value at an offset and returns the offset after the value. The
// functions for each kind do the same. s is the expected shape of an object.
func (p *Packer) value(dst, text []byte, at int, s *shape) ([]byte, int) {
	if at = skipWhite(text, at); at == len(text) {
		return dst, failed
	}
	switch text[at] {
	case '"':
		return p.string(append(dst, packedString), text, at)
	case '{':
		return p.object(dst, text, at, s)
	case '[':
		return p.array(dst, text, at, s)
	case 'n':
		return append(dst, packedNull), literal(text, at, "null")
	case 't':
		return append(dst, packedTrue), literal(text, at, "true")
	case 'f':
		return append(dst, packedFalse), literal(text, at, "false")
	default:
		return p.number(append(dst, packedNumber), text, at)
	}
}

func literal(text []byte, at int, want string) int {
	if end := at + len(want); end <= len(text) && string(text[at:end]) == want {
		return end
	}
	return failed
}

func (p *Packer) number(dst, text []byte, at int) ([]byte, int) {
	end := at
	if text[end] == '-' {
		end++
	}
	whole := digits(text, end)
	switch {
	case whole == end:
		return dst, failed
	case text[end] == '0':
		whole = end + 1
	}
	end = whole
	if end < len(text) && text[end] == '.' {
		fraction := digits(text, end+1)
		if fraction == end+1 {
			return dst, failed
		}
		end = fraction
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		end++
		if end < len(text) && (text[end] == '+' || text[end] == '-') {
			end++
		}
		exponent := digits(text, end)
		if exponent == end {
			return dst, failed
		}
		end = exponent
	}
	p.irregular = p.irregular || end > whole && !regular(text[at:end])
	return appendPackedText(dst, text[at:end]), end
}

// digits returns the offset after the digits at an offset.
func digits(text []byte, at int) int {
	for at < len(text) && '0' <= text[at] && text[at] <= '9' {
		at++
	}
	return at
}

// string appends the length and the contents of a string.
func (p *Packer) string(dst, text []byte, at int) ([]byte, int) {
	end := plainEnd(text, at+1)
	if end < len(text) && text[end] == '"' {
		return appendPackedText(dst, text[at+1:end]), end + 1
	}
	for end < len(text) && text[end] == '\\' {
		n := escape(text[end:])
		if n == 0 {
			return dst, failed
		}
		end = plainEnd(text, end+n)
	}
	if end >= len(text) || text[end] != '"' {
		return dst, failed
	}
	return appendUnquoted(dst, text[at:end+1]), end + 1
}

// plainEnd returns the offset of the next quote, backslash or control character.
func plainEnd(text []byte, at int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(text); at += 8 {
		// Eight bytes at once: the lowest high bit that is set in found marks the first
		// byte that is a quote, a backslash or below 0x20.
		w := binary.LittleEndian.Uint64(text[at:])
		quote, backslash := w^('"'*ones), w^('\\'*ones)
		found := ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-' '*ones)&^w) & highs
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(text) && text[at] >= ' ' && text[at] != '"' && text[at] != '\\' {
		at++
	}
	return at
}

// escape returns the length of the escape at the start of a text, or 0 if the text does
// not begin with an escape.
func escape(text []byte) int {
	if len(text) < len(`\n`) {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return len(`\n`)
	case 'u':
		if len(text) < len(`\u0000`) {
			return 0
		}
		for _, c := range text[2:len(`\u0000`)] {
			if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
				return 0
			}
		}
		return len(`\u0000`)
	default:
		return 0
	}
}

// appendUnquoted appends the length and the contents of a string with escapes. It
// reserves one byte for the length, and moves the contents if the length needs more.
func appendUnquoted(dst []byte, quoted []byte) []byte {
	start := len(dst)
	dst = append(dst, 0)
	// The only possible error is a lone surrogate, which becomes U+FFFD.
	dst, _ = jsontext.AppendUnquote(dst, quoted)
	n := len(dst) - start - 1
	if n < 0x80 {
		dst[start] = byte(n)
		return dst
	}
	contents := bytes.Clone(dst[start+1:])
	return appendPackedText(dst[:start], contents)
}

func (p *Packer) array(dst, text []byte, at int, s *shape) ([]byte, int) {
	start := len(dst)
	dst = openPacked(dst, packedArray)
	if p.levels--; p.levels < 0 {
		return dst, failed
	}
	at, more := first(text, at+1, ']')
	for more {
		if dst, at = p.value(dst, text, at, s); at == failed {
			return dst, failed
		}
		at, more = next(text, at, ']')
	}
	p.levels++
	ClosePacked(dst, start)
	return dst, at
}

// first returns the offset of the first part of an array or object. If there are no
// parts, it returns the offset after the end and more is false.
func first(text []byte, at int, end byte) (_ int, more bool) {
	at = skipWhite(text, at)
	if at < len(text) && text[at] == end {
		return at + 1, false
	}
	return at, true
}

// next returns the offset after the comma or the end that follows a part. more is true
// after a comma.
func next(text []byte, at int, end byte) (_ int, more bool) {
	switch at = skipWhite(text, at); {
	case at == len(text) || text[at] != ',' && text[at] != end:
		return failed, false
	default:
		return at + 1, text[at] == ','
	}
}

func (p *Packer) object(dst, text []byte, at int, s *shape) ([]byte, int) {
	start := len(dst)
	dst = openPacked(dst, packedObject)
	if p.levels--; p.levels < 0 {
		return dst, failed
	}
	same := true
	at, more := first(text, at+1, '}')
	for index := 0; more; index++ {
		at = skipWhite(text, at)
		if name := s.quoted(index, text[at:]); same && name != nil {
			dst = append(dst, name...)
			at += len(name) - 1 + len(`""`)
		} else {
			if at == len(text) || text[at] != '"' {
				return dst, failed
			}
			from := len(dst)
			if dst, at = p.string(dst, text, at); at == failed {
				return dst, failed
			}
			same = same && s.equalAt(index, dst[from:])
		}
		if at = skipWhite(text, at); at == len(text) || text[at] != ':' {
			return dst, failed
		}
		if dst, at = p.member(dst, text, at+1, s, index); at == failed {
			return dst, failed
		}
		at, more = next(text, at, '}')
	}
	if at == failed {
		return dst, failed
	}
	p.levels++
	ClosePacked(dst, start)
	if !same && !s.learn(dst[start:]) {
		p.repeated = true
	}
	return dst, at
}

// member appends the value of the member at the given index of an object with shape s.
func (p *Packer) member(dst, text []byte, at int, s *shape, index int) ([]byte, int) {
	at = skipWhite(text, at)
	if at < len(text) && (text[at] == '{' || text[at] == '[') {
		s = p.memberShape(s, index)
	}
	return p.value(dst, text, at, s)
}

// Read reads the next value from a decoder of NewDecoder and appends its packed form, see
// Append. The whole text need not be in memory.
func (p *Packer) Read(dst []byte, dec *jsontext.Decoder) (_ []byte, regular bool, err error) {
	start := len(dst)
	p.levels, p.irregular, p.repeated = math.MaxInt, false, false
	dst, err = p.read(dst, dec)
	if err != nil {
		return dst, false, err
	}
	if p.repeated {
		dst = packAnew(dst, start)
	}
	return dst, !p.irregular, nil
}

func (p *Packer) read(dst []byte, dec *jsontext.Decoder) ([]byte, error) {
	start, kind := len(dst), dec.PeekKind()
	end := jsontext.Kind(']')
	switch kind {
	case '[':
		dst = openPacked(dst, packedArray)
	case '{':
		dst, end = openPacked(dst, packedObject), '}'
	default:
		text, err := dec.ReadValue()
		if err == nil {
			dst, _ = p.value(dst, text, 0, &p.root)
		}
		return dst, err
	}
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != end {
		if kind == '{' {
			var name jsontext.Value
			if name, err = dec.ReadValue(); err != nil {
				return dst, err
			}
			dst, _ = p.string(dst, name, 0)
		}
		dst, err = p.read(dst, dec)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	if err != nil {
		return dst, err
	}
	ClosePacked(dst, start)
	if kind == '{' && !p.spare.learn(dst[start:]) {
		p.repeated = true
	}
	return dst, nil
}

// packAnew packs the value at start again without repeated names. It packs the whole
// value, because the sizes of all objects around a repeated name change.
func packAnew(dst []byte, start int) []byte {
	end := len(dst)
	dst = Packed(dst[start:]).appendUnique(dst)
	return append(dst[:start], dst[end:]...)
}

// appendUnique appends the value with each name once per object. The member has the
// position of the first value, and the last value.
func (p Packed) appendUnique(dst []byte) []byte {
	if p.Kind() != Object {
		dst, _ = p.AppendMap(dst, func(dst, _ []byte, item Packed) ([]byte, error) { return item.appendUnique(dst), nil })
		return dst
	}
	start := len(dst)
	dst = p.appendMembers(openPacked(dst, packedObject))
	ClosePacked(dst, start)
	return dst
}

func (p Packed) appendMembers(dst []byte) []byte {
	var last map[string]Packed // nil if all names are different
	if !new(names).learn(p) {
		last = map[string]Packed{}
		for parts := p.Parts(); parts.More(); {
			last[string(parts.Name())] = parts.Value()
		}
	}
	for parts := p.Parts(); parts.More(); {
		name, v := parts.Name(), parts.Value()
		if last != nil {
			var first bool
			if v, first = last[string(name)]; !first {
				continue
			}
			delete(last, string(name))
		}
		dst = v.appendUnique(appendPackedText(dst, name))
	}
	return dst
}
