package mapping

import (
	"crypto/md5"
	"encoding/hex"
	"hash"
	"slices"
	"strconv"

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
	// buf is the text to be hashed, or the end of it: what came before is in md5 when
	// flushed is set.
	buf     []byte
	md5     hash.Hash
	flushed bool
	digest  [md5.Size]byte // what sum returns
	// counting is how many objects and lists are open whose number of parts is not
	// known yet. It is before the parts, so nothing is flushed meanwhile.
	openCounts int
	// names are those of the object before, in the order they were hashed: rows mostly
	// have the same. place is how many came so far in this one.
	lastNames []hashedName
	nameIndex int
}

// hashedName is a name as it is in packed objects, and how it is hashed.
type hashedName struct{ packed, text []byte }

// maxHashedNames and maxHashedName are how many names are kept, and how long ones.
const (
	maxHashedNames = 200
	maxHashedName  = 100
)

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
	h.begin()
	h.object(object, extra)
	h.buf = append(h.buf, outer...)
	sum := h.sum()
	h.buf = append(n.appendPath(h.buf[:0]), '_')
	h.buf = hex.AppendEncode(h.buf, sum)
	return h.buf
}

// key is the hash of a row, followed by the user and parent columns where there
// are any. It refers to a row of a mapped table that has no primary key.
func (h *hasher) key(row, columns value.Packed) []byte {
	h.begin()
	h.value(row, row.Kind(), row.Cell())
	if n := columns.Len(); n > 0 {
		h.buf = php.AppendArrayHead(h.buf, n)
		h.columns(columns)
		h.buf = append(h.buf, '}')
	}
	return hex.AppendEncode(nil, h.sum())
}

// begin begins a hash.
func (h *hasher) begin() {
	h.buf, h.nameIndex = h.buf[:0], 0
	if h.flushed {
		h.md5.Reset()
		h.flushed = false
	}
}

// flush hashes the text so far.
func (h *hasher) flush() {
	h.md5.Write(h.buf) // never fails, says package hash
	h.buf, h.flushed = h.buf[:0], true
}

// sum is the hash. It is gone when the next one is made.
func (h *hasher) sum() []byte {
	if h.flushed {
		h.flush()
		return h.md5.Sum(h.digest[:0])
	}
	h.digest = md5.Sum(h.buf)
	return h.digest[:]
}

// value appends a value, whose kind and cell are known.
func (h *hasher) value(v value.Packed, k value.Kind, cell []byte) {
	switch k {
	case value.Null:
		h.buf = php.AppendNull(h.buf)
	case value.Bool:
		h.buf = php.AppendBool(h.buf, v.True())
	case value.Number:
		h.buf = php.AppendNumber(h.buf, cell)
	case value.String:
		h.string(cell)
	case value.Array:
		h.array(v)
	default:
		h.object(v, nil)
	}
	if len(h.buf) >= hashFlush && h.openCounts == 0 {
		h.flush()
	}
}

func (h *hasher) string(s []byte) {
	h.buf = php.AppendStringHead(h.buf, len(s))
	for len(s) >= hashFlush { // a long string is not copied as a whole
		h.buf = append(h.buf, s[:hashFlush]...)
		h.flush()
		s = s[hashFlush:]
	}
	h.buf = append(append(h.buf, s...), `";`...)
}

// object appends an object and members that are not in it.
func (h *hasher) object(object value.Packed, extra []hashedMember) {
	if len(object) >= hashFlush {
		h.buf = php.AppendObjectHead(h.buf, object.Len()+len(extra))
		h.members(object)
	} else {
		h.buf = php.AppendObjectHead(h.buf, 0)
		at := h.openCount()
		n := h.members(object)
		h.closeCount(at, n+len(extra))
	}
	for _, m := range extra {
		h.string([]byte(m.name))
		h.value(m.value, m.value.Kind(), m.value.Cell())
	}
	h.buf = append(h.buf, '}')
}

// count begins to count the parts of what is smaller than hashFlush. The head with
// the number 0 is there already.
func (h *hasher) openCount() (at int) {
	h.openCounts++
	return len(h.buf) - len("0:{")
}

// counted replaces the 0 at a place by the number of parts.
func (h *hasher) closeCount(at, n int) {
	h.openCounts--
	if n < 10 {
		h.buf[at] = '0' + byte(n)
		return
	}
	h.buf = slices.Replace(h.buf, at, at+1, []byte(strconv.Itoa(n))...)
}

func (h *hasher) members(object value.Packed) (n int) {
	for members := object.Parts(); members.More(); n++ {
		h.name(&members)
		h.value(members.Cell())
	}
	return n
}

// name appends the name of the next member.
func (h *hasher) name(members *value.Parts) {
	at := h.nameIndex
	h.nameIndex++
	if at < len(h.lastNames) && value.NextIs(members, h.lastNames[at].packed) {
		h.buf = append(h.buf, h.lastNames[at].text...)
		return
	}
	start := len(h.buf)
	name := members.Name()
	h.string(name)
	if at >= maxHashedNames || at > len(h.lastNames) || len(name) > maxHashedName {
		return // a name before it may be too long to be kept
	}
	if at == len(h.lastNames) {
		h.lastNames = append(h.lastNames, hashedName{})
	}
	known := &h.lastNames[at]
	known.packed = value.PackName(known.packed[:0], name)
	known.text = append(known.text[:0], h.buf[start:]...)
}

func (h *hasher) array(array value.Packed) {
	if len(array) >= hashFlush {
		h.buf = php.AppendArrayHead(h.buf, array.Len())
		h.items(array)
	} else {
		h.buf = php.AppendArrayHead(h.buf, 0)
		at := h.openCount()
		h.closeCount(at, h.items(array))
	}
	h.buf = append(h.buf, '}')
}

func (h *hasher) items(array value.Packed) (n int) {
	for items := array.Parts(); items.More(); n++ {
		h.buf = php.AppendInt(h.buf, int64(n))
		h.value(items.Cell())
	}
	return n
}

// columns appends the members of a PHP array.
func (h *hasher) columns(columns value.Packed) {
	for members := columns.Parts(); members.More(); {
		h.buf = php.AppendKey(h.buf, members.Name())
		h.value(members.Cell())
	}
}
