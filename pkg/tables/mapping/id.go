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

// hashFlush is the number of bytes that are buffered before they are hashed.
const hashFlush = 32 << 10

// hasher computes the ids that link the rows of arrays and of child tables to their
// parents. It hashes the row in PHP's serialisation format. The ids must not change
// between versions of the program, and must equal the ids of the original extractor,
// because rows that were loaded earlier refer to them.
type hasher struct {
	// buf is the text to hash. If flushed is true, md5 has the beginning of the text
	// and buf only the rest.
	buf     []byte
	md5     hash.Hash
	flushed bool
	digest  [md5.Size]byte // memory for the result of sum
	// openCounts is the number of open objects and lists with a number of parts that is
	// not known yet. The number precedes the parts, so buf is not flushed until it is
	// known.
	openCounts int
	// lastNames are the names of the previous hash in the order they were hashed,
	// because rows mostly have the same names. nameIndex is the number of names so far
	// in the current hash.
	lastNames []hashedName
	nameIndex int
}

// hashedName is a name as packed objects contain it, and its serialised text.
type hashedName struct{ packed, text []byte }

// maxHashedNames is the maximum number of names that are kept, and maxHashedName the
// maximum size of a name in bytes.
const (
	maxHashedNames = 200
	maxHashedName  = 100
)

func newHasher() *hasher { return &hasher{md5: md5.New()} }

// hashedMember is a member that is hashed with an object without being part of it.
type hashedMember struct {
	name  string
	value value.Packed
}

// id returns the path of the node, "_", and the hash of the object followed by outer,
// the id of what contains the object. Extra members are hashed as if they were the last
// members of the object. The result is valid until the next call.
func (h *hasher) id(n *node, object value.Packed, extra []hashedMember, outer []byte) []byte {
	h.begin()
	h.object(object, extra)
	h.buf = append(h.buf, outer...)
	sum := h.sum()
	h.buf = append(n.appendPath(h.buf[:0]), '_')
	h.buf = hex.AppendEncode(h.buf, sum)
	return h.buf
}

// key returns the hash of a row, followed by the user and parent columns, if there are
// any. It refers to a row of a mapped table that has no primary key.
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

func (h *hasher) begin() {
	h.buf, h.nameIndex = h.buf[:0], 0
	if h.flushed {
		h.md5.Reset()
		h.flushed = false
	}
}

func (h *hasher) flush() {
	h.md5.Write(h.buf) // never fails, see package hash
	h.buf, h.flushed = h.buf[:0], true
}

// sum returns the hash. The result is valid until the next call.
func (h *hasher) sum() []byte {
	if h.flushed {
		h.flush()
		return h.md5.Sum(h.digest[:0])
	}
	h.digest = md5.Sum(h.buf)
	return h.digest[:]
}

// value appends a value of kind k. cell is its text as a cell.
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

// object appends an object with extra members.
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

// openCount begins to count the parts of an object or list that is smaller than
// hashFlush. The caller has appended its head with the number 0. It returns the index
// of the 0.
func (h *hasher) openCount() (at int) {
	h.openCounts++
	return len(h.buf) - len("0:{")
}

// closeCount replaces the 0 at index at by the number of parts.
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
		return // at is beyond lastNames if an earlier name was too long
	}
	if at == len(h.lastNames) {
		h.lastNames = append(h.lastNames, hashedName{})
	}
	known := &h.lastNames[at]
	known.packed = value.AppendName(known.packed[:0], name)
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

// columns appends the members of an object like the elements of a PHP array.
func (h *hasher) columns(columns value.Packed) {
	for members := columns.Parts(); members.More(); {
		h.buf = php.AppendKey(h.buf, members.Name())
		h.value(members.Cell())
	}
}
