package value

import (
	"encoding/binary"
	"errors"
)

// The first byte of a packed value.
const (
	packedNull byte = iota
	packedFalse
	packedTrue
	packedNumber // length, literal
	packedString // length, bytes
	packedArray  // count, items
	packedObject // count, then length, name, value of each member
)

// roomFor is for how many items room is made before they are read: a damaged
// text can claim any number.
const roomFor = 64

var errPacked = errors.New("not a packed value")

// AppendPacked appends the value in a binary form that Unpack reads back much
// faster than JSON is parsed. It is meant for spools that live as long as the
// process, not for keeping.
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
		dst = binary.AppendUvarint(append(dst, packedArray), uint64(len(v.node.items)))
		for _, item := range v.node.items {
			dst = item.AppendPacked(dst)
		}
		return dst
	default:
		dst = binary.AppendUvarint(append(dst, packedObject), uint64(len(v.node.members)))
		for _, m := range v.node.members {
			dst = m.Value.AppendPacked(appendPackedText(dst, m.Name))
		}
		return dst
	}
}

func appendPackedText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Unpack reads one packed value that fills the whole text. The strings of the
// value are parts of the text, so they share its memory.
func Unpack(packed string) (Value, error) {
	p := unpacker{rest: packed}
	v := p.value()
	if p.broken || p.rest != "" {
		return Value{}, errPacked
	}
	return v, nil
}

// unpacker eats a packed text from the front; once broken it yields nulls and
// stops quickly.
type unpacker struct {
	rest   string
	broken bool
}

func (p *unpacker) value() Value {
	if p.rest == "" {
		p.broken = true
		return Value{}
	}
	tag := p.rest[0]
	p.rest = p.rest[1:]
	switch tag {
	case packedNull:
		return Value{}
	case packedFalse:
		return Value{kind: Bool, text: "false"}
	case packedTrue:
		return Value{kind: Bool, text: "true"}
	case packedNumber:
		return Value{kind: Number, text: p.text()}
	case packedString:
		return Value{kind: String, text: p.text()}
	case packedArray:
		count := p.length()
		n := &node{items: make([]Value, 0, min(count, roomFor))}
		for ; count > 0 && !p.broken; count-- {
			n.items = append(n.items, p.value())
		}
		return Value{kind: Array, node: n}
	case packedObject:
		// Packed members have different names, so there is nothing to look
		// for and no index to build.
		count := p.length()
		n := &node{members: make([]Member, 0, min(count, roomFor))}
		for ; count > 0 && !p.broken; count-- {
			name := p.text()
			n.members = append(n.members, Member{name, p.value()})
		}
		return Value{kind: Object, node: n}
	default:
		p.broken = true
		return Value{}
	}
}

// text is the next length and so many bytes.
func (p *unpacker) text() string {
	n := p.length()
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}

// length is the next number; never more than what is left, since every item and
// every byte takes at least one byte.
func (p *unpacker) length() int {
	var n uint64
	for shift := 0; shift < 64 && p.rest != ""; shift += 7 {
		b := p.rest[0]
		p.rest = p.rest[1:]
		n |= uint64(b&0x7F) << shift
		if b < 0x80 {
			if n > uint64(len(p.rest)) {
				break
			}
			return int(n)
		}
	}
	p.broken = true
	return 0
}
