package value

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Packer packs JSON texts without building values. It remembers what objects
// look like, because most are like the one before. It is not safe for concurrent
// use; the zero Packer is ready.
type Packer struct {
	text  []byte
	at    int // how far the text was read
	known []names
	depth int // of objects around
	// irregular tells that the text had an irregular number, repeated that an
	// object in it had a name twice.
	irregular, repeated bool
}

// Append appends the packed form of a JSON text that a decoder of NewDecoder has
// accepted as one value. regular tells that equal values have equal packed
// forms: where it is false, there are numbers that could be written in another
// way, and Regular writes them so.
func (p *Packer) Append(dst []byte, text jsontext.Value) (_ []byte, regular bool) {
	start := len(dst)
	p.text, p.at, p.depth, p.irregular, p.repeated = text, 0, 0, false, false
	dst = p.value(dst)
	p.text = nil
	if p.repeated {
		dst = packAnew(dst, start)
	}
	return dst, !p.irregular
}

// next is the first byte that is no white space.
func (p *Packer) next() byte {
	for p.text[p.at] <= ' ' {
		p.at++
	}
	return p.text[p.at]
}

func (p *Packer) value(dst []byte) []byte {
	switch p.next() {
	case '"':
		return p.string(append(dst, packedString))
	case '{':
		return p.object(dst)
	case '[':
		return p.array(dst)
	case 'n':
		p.at += len("null")
		return append(dst, packedNull)
	case 't':
		p.at += len("true")
		return append(dst, packedTrue)
	case 'f':
		p.at += len("false")
		return append(dst, packedFalse)
	default:
		return p.number(append(dst, packedNumber))
	}
}

func (p *Packer) number(dst []byte) []byte {
	rest := p.text[p.at:]
	end, integer := 0, true
	for ; end < len(rest); end++ {
		c := rest[end]
		if '0' <= c && c <= '9' || c == '-' {
			continue
		}
		if c != '.' && c != 'e' && c != 'E' && c != '+' {
			break
		}
		integer = false
	}
	p.at += end
	literal := rest[:end]
	p.irregular = p.irregular || !integer && !regular(literal)
	return appendPackedText(dst, literal)
}

// string appends the length and the contents of a string.
func (p *Packer) string(dst []byte) []byte {
	rest := p.text[p.at:]
	end := 1 + bytes.IndexByte(rest[1:], '"')
	if contents := rest[1:end]; bytes.IndexByte(contents, '\\') < 0 {
		p.at += end + 1
		return appendPackedText(dst, contents)
	}
	end = 1
	for ; rest[end] != '"'; end++ {
		if rest[end] == '\\' {
			end++
		}
	}
	p.at += end + 1
	return appendUnquoted(dst, rest[:end+1])
}

// appendUnquoted appends the length and the contents of a string with escapes.
// The length is mostly one byte; where it is not, the contents move.
func appendUnquoted(dst []byte, quoted []byte) []byte {
	start := len(dst)
	dst = append(dst, 0)
	// A lone surrogate becomes U+FFFD, which is all that could be complained of.
	dst, _ = jsontext.AppendUnquote(dst, quoted)
	n := len(dst) - start - 1
	if n < 0x80 {
		dst[start] = byte(n)
		return dst
	}
	contents := bytes.Clone(dst[start+1:])
	return appendPackedText(dst[:start], contents)
}

func (p *Packer) array(dst []byte) []byte {
	start := len(dst)
	dst = openPacked(dst, packedArray)
	p.at++ // the bracket
	for p.next() != ']' {
		dst = p.value(dst)
		p.comma()
	}
	p.at++
	closePacked(dst, start)
	return dst
}

func (p *Packer) comma() {
	if p.next() == ',' {
		p.at++
	}
}

func (p *Packer) object(dst []byte) []byte {
	start := len(dst)
	dst = openPacked(dst, packedObject)
	p.at++ // the brace
	if p.depth == len(p.known) {
		p.known = append(p.known, names{})
	}
	depth, same := p.depth, true
	p.depth++
	for place := 0; p.next() != '}'; place++ {
		from := len(dst)
		dst = p.string(dst)
		if same {
			name, _ := cutPackedText(dst[from:])
			same = p.known[depth].at(place, name)
		}
		p.next()
		p.at++ // the colon
		dst = p.value(dst)
		p.comma()
	}
	p.depth--
	p.at++
	closePacked(dst, start)
	if !same && !p.known[depth].learn(dst[start:]) {
		p.repeated = true
	}
	return dst
}

// Read appends the packed form of the next value of a decoder of NewDecoder, as
// Append does, without having its text in memory as a whole.
func (p *Packer) Read(dst []byte, dec *jsontext.Decoder) (_ []byte, regular bool, err error) {
	start := len(dst)
	p.depth, p.irregular, p.repeated = 0, false, false
	dst, err = p.read(dst, dec)
	p.text = nil
	if err != nil {
		return dst, false, err
	}
	if p.repeated {
		dst = packAnew(dst, start)
	}
	return dst, !p.irregular, nil
}

func (p *Packer) read(dst []byte, dec *jsontext.Decoder) (_ []byte, err error) {
	switch dec.PeekKind() {
	case '[':
		return p.readArray(dst, dec)
	case '{':
		return p.readObject(dst, dec)
	default:
		p.text, err = dec.ReadValue()
		if err != nil {
			return dst, err
		}
		p.at = 0
		return p.value(dst), nil
	}
}

func (p *Packer) readArray(dst []byte, dec *jsontext.Decoder) (_ []byte, err error) {
	start := len(dst)
	dst = openPacked(dst, packedArray)
	for _, err = dec.ReadToken(); err == nil && dec.PeekKind() != ']'; {
		dst, err = p.read(dst, dec)
	}
	if err == nil {
		_, err = dec.ReadToken()
		closePacked(dst, start)
	}
	return dst, err
}

func (p *Packer) readObject(dst []byte, dec *jsontext.Decoder) (_ []byte, err error) {
	start := len(dst)
	dst = openPacked(dst, packedObject)
	if p.depth == len(p.known) {
		p.known = append(p.known, names{})
	}
	depth, same, place := p.depth, true, 0
	p.depth++
	for _, err = dec.ReadToken(); err == nil && dec.PeekKind() != '}'; place++ {
		p.text, err = dec.ReadValue()
		if err != nil {
			break
		}
		from := len(dst)
		p.at = 0
		dst = p.string(dst)
		if same {
			name, _ := cutPackedText(dst[from:])
			same = p.known[depth].at(place, name)
		}
		dst, err = p.read(dst, dec)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	if err != nil {
		return dst, err
	}
	p.depth--
	closePacked(dst, start)
	if !same && !p.known[depth].learn(dst[start:]) {
		p.repeated = true
	}
	return dst, nil
}

// packAnew packs the value that begins at start once more, where names were
// repeated: the whole of it, for each object lies in all those around it.
func packAnew(dst []byte, start int) []byte {
	end := len(dst)
	dst = Packed(dst[start:]).appendUnique(dst)
	return append(dst[:start], dst[end:]...)
}

// appendUnique appends the value with each name once in an object: of equal
// names the last value counts, at the place of the first.
func (p Packed) appendUnique(dst []byte) []byte {
	k := p.Kind()
	if k != Array && k != Object {
		return append(dst, p...)
	}
	start := len(dst)
	dst = openPacked(dst, p[0])
	if k == Array {
		for parts := p.Parts(); parts.More(); {
			dst = parts.Value().appendUnique(dst)
		}
	} else {
		dst = p.appendMembers(dst)
	}
	closePacked(dst, start)
	return dst
}

func (p Packed) appendMembers(dst []byte) []byte {
	var last map[string]Packed // nil where all names are different
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
