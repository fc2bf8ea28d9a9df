package mapping

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"hash"

	"github.com/keboola/configurable-extractor/pkg/php"
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
	h.buf = php.AppendObjectHead(h.buf, object.Len()+len(extra))
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
		h.buf = php.AppendArrayHead(h.buf, n)
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
		h.buf = php.AppendNull(h.buf)
	case value.Bool:
		h.buf = php.AppendBool(h.buf, v.True())
	case value.Number:
		h.buf = php.AppendNumber(h.buf, v.Raw())
	case value.String:
		h.string(v.Raw())
	case value.Array:
		h.array(v)
	default:
		h.buf = php.AppendObjectHead(h.buf, v.Len())
		h.members(v)
		h.buf = append(h.buf, '}')
	}
	if len(h.buf) >= hashFlush {
		h.md5.Write(h.buf)
		h.buf = h.buf[:0]
	}
}

func (h *hasher) string(s []byte) {
	h.buf = php.AppendStringHead(h.buf, len(s))
	if len(s) >= hashFlush {
		s = h.long(s)
	}
	h.buf = append(append(h.buf, s...), `";`...)
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
	h.buf = php.AppendArrayHead(h.buf, array.Len())
	for i, items := 0, array.Parts(); items.More(); i++ {
		h.buf = php.AppendInt(h.buf, int64(i))
		h.value(items.Value())
	}
	h.buf = append(h.buf, '}')
}

// columns appends the members of a PHP array.
func (h *hasher) columns(columns value.Packed) {
	for members := columns.Parts(); members.More(); {
		h.buf = php.AppendKey(h.buf, members.Name())
		h.value(members.Value())
	}
}

func (h *hasher) members(object value.Packed) {
	for members := object.Parts(); members.More(); {
		h.name(members.Name())
		h.value(members.Value())
	}
}
