package mapping

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"hash"
	"strconv"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// hashFlush is how many bytes are gathered before they are hashed.
const hashFlush = 32 << 10

// hasher makes the generated ids that link the rows of arrays and of child
// tables to their parents. They must not change from one version of the program
// to another, nor differ from those of the original: rows loaded earlier refer
// to them. What is hashed is the row in PHP's serialisation format.
type hasher struct {
	md5 hash.Hash
	buf []byte
	sum [md5.Size]byte
	// names are those of the object before, in the order they were hashed: rows mostly
	// have the same. place is how many came so far in this one.
	names []hashedName
	place int
}

// hashedName is a name, and how it is hashed.
type hashedName struct{ name, text []byte }

// maxHashedNames and maxHashedName are how many names are kept, and how long ones.
const (
	maxHashedNames = 200
	maxHashedName  = 100
)

// name appends the name of a member.
func (h *hasher) name(name []byte) {
	at := h.place
	h.place++
	if at < len(h.names) && bytes.Equal(h.names[at].name, name) {
		h.buf = append(h.buf, h.names[at].text...)
		return
	}
	start := len(h.buf)
	h.string(name)
	if at >= maxHashedNames || at > len(h.names) || len(name) > maxHashedName {
		return // a name before it may be too long to be kept
	}
	if at == len(h.names) {
		h.names = append(h.names, hashedName{})
	}
	known := &h.names[at]
	known.name = append(known.name[:0], name...)
	known.text = append(known.text[:0], h.buf[start:]...)
}

func newHasher() *hasher { return &hasher{md5: md5.New()} }

// hashedMember is a member that is hashed with an object, but is not in it.
type hashedMember struct {
	name  string
	value value.Packed
}

// id is the path of a node, "_", and the hash of the object followed by the id
// of what is around it. Extra members are hashed as if they were the object's last. The
// id is gone when the next one is made.
func (h *hasher) id(n *node, object value.Packed, extra []hashedMember, outer []byte) []byte {
	h.place = 0
	h.md5.Reset()
	h.buf = h.buf[:0]
	h.objectHead(object.Len() + len(extra))
	h.members(object)
	for _, m := range extra {
		h.string([]byte(m.name))
		h.value(m.value)
	}
	h.buf = append(h.buf, '}')
	h.buf = append(h.buf, outer...)
	h.md5.Write(h.buf) // never fails, says package hash
	h.buf = append(n.appendPath(h.buf[:0]), '_')
	h.buf = hex.AppendEncode(h.buf, h.md5.Sum(h.sum[:0]))
	return h.buf
}

// key is the hash of a row, followed by the user and parent columns where there
// are any. It refers to a row of a mapped table that has no primary key.
func (h *hasher) key(row, columns value.Packed) []byte {
	h.place = 0
	h.md5.Reset()
	h.buf = h.buf[:0]
	h.value(row)
	if n := columns.Len(); n > 0 {
		h.arrayHead(n)
		h.columns(columns)
		h.buf = append(h.buf, '}')
	}
	h.md5.Write(h.buf) // never fails, says package hash
	return hex.AppendEncode(nil, h.md5.Sum(h.sum[:0]))
}

// value appends the serialised value.
func (h *hasher) value(v value.Packed) {
	switch v.Kind() {
	case value.Null:
		h.buf = append(h.buf, "N;"...)
	case value.Bool:
		h.bool(v.True())
	case value.Number:
		h.number(v.Raw())
	case value.String:
		h.string(v.Raw())
	case value.Array:
		h.array(v)
	default:
		h.objectHead(v.Len())
		h.members(v)
		h.buf = append(h.buf, '}')
	}
	if len(h.buf) >= hashFlush {
		h.md5.Write(h.buf)
		h.buf = h.buf[:0]
	}
}

func (h *hasher) bool(b bool) {
	if b {
		h.buf = append(h.buf, "b:1;"...)
	} else {
		h.buf = append(h.buf, "b:0;"...)
	}
}

// number appends an integer that fits 64 bits, or else a double with 17
// significant digits.
func (h *hasher) number(literal []byte) {
	// Neither a fraction nor an exponent can be read as an integer.
	if i, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		h.buf = append(h.buf, "i:"...)
		h.buf = strconv.AppendInt(h.buf, i, 10)
		h.buf = append(h.buf, ';')
		return
	}
	// A number always is a double; a huge one is infinite.
	f, _ := strconv.ParseFloat(string(literal), 64)
	h.buf = append(h.buf, "d:"...)
	h.buf = append(h.buf, value.FormatDouble(f, 17)...)
	h.buf = append(h.buf, ';')
}

func (h *hasher) string(s []byte) {
	h.buf = append(h.buf, "s:"...)
	h.buf = strconv.AppendInt(h.buf, int64(len(s)), 10)
	h.buf = append(h.buf, `:"`...)
	if len(s) >= hashFlush {
		s = h.long(s)
	}
	h.buf = append(h.buf, s...)
	h.buf = append(h.buf, `";`...)
}

// long takes all but the end of a long string, which is not copied as a whole.
func (h *hasher) long(s []byte) []byte {
	for len(s) >= hashFlush {
		h.buf = append(h.buf, s[:hashFlush]...)
		h.md5.Write(h.buf)
		h.buf, s = h.buf[:0], s[hashFlush:]
	}
	return s
}

func (h *hasher) array(array value.Packed) {
	h.arrayHead(array.Len())
	for i, items := 0, array.Parts(); items.More(); i++ {
		h.buf = append(h.buf, "i:"...)
		h.buf = strconv.AppendInt(h.buf, int64(i), 10)
		h.buf = append(h.buf, ';')
		h.value(items.Value())
	}
	h.buf = append(h.buf, '}')
}

// columns appends the members of a PHP array, where a name that is a number is
// one.
func (h *hasher) columns(columns value.Packed) {
	for members := columns.Parts(); members.More(); {
		if name := members.Name(); IsIndex(string(name)) {
			h.buf = append(append(append(h.buf, "i:"...), name...), ';')
		} else {
			h.string(name)
		}
		h.value(members.Value())
	}
}

// IsIndex tells whether PHP takes a name of a member for a number: an integer of 64
// bits as it would be printed.
func IsIndex(name string) bool {
	i, err := strconv.ParseInt(name, 10, 64)
	return err == nil && strconv.FormatInt(i, 10) == name
}

func (h *hasher) arrayHead(items int) {
	h.buf = append(h.buf, "a:"...)
	h.buf = strconv.AppendInt(h.buf, int64(items), 10)
	h.buf = append(h.buf, ":{"...)
}

func (h *hasher) objectHead(members int) {
	h.buf = append(h.buf, `O:8:"stdClass":`...)
	h.buf = strconv.AppendInt(h.buf, int64(members), 10)
	h.buf = append(h.buf, ":{"...)
}

func (h *hasher) members(object value.Packed) {
	for members := object.Parts(); members.More(); {
		h.name(members.Name())
		h.value(members.Value())
	}
}
