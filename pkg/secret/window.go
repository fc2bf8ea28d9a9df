package secret

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"
)

// window is a part of a text, and the ways to read it: as it is, and with one to
// three layers of escapes undone, each of any kind. An API may return a JSON
// text in a JSON text, or an address in an address. Each way undoes what it can and
// leaves the rest as it is, so that nothing that is beside a secret hides it.
//
// Escapes are undone from every byte on, not only from the first: what is
// before a secret may look like the beginning of an escape, and would take the
// first bytes of the secret with it. So each byte of the window is a node that
// has the character read there and leads to the next one. Most nodes lie on one
// path through the window; the others, inside of escapes, soon meet it. To search
// them as strings, all paths are written one after the other, each to where it
// meets another one.
//
// All work and memory is linear in the size of the window, no matter what is in it.
type window struct {
	text string
	// plain are the nodes of the text as it is, undone those with so many layers
	// of escapes undone. read are those that are searched, nil for the text as it
	// is.
	plain    level
	undone   [layers]level
	level    *level
	searched []readResult // what was searched
	// doubled is the set of quotes that are undone in the text.
	doubled doubling

	// paths through the nodes, one after the other, with their bytes (folded) and
	// the node of each.
	bytes  []byte
	nodeOf []int32
	paths  []path
	// met is the place in bytes of each node, from 1.
	pathIndex []int32
	// sums are the hashes of the beginnings of bytes, made when they are needed.
	sums []uint64
}

// level are the nodes of a window.
type level struct {
	// nodes are those of the bytes of the text, one for its end, and more for
	// characters of several bytes.
	nodes []node
	// origins are the places in the text of the nodes after the end.
	origins []int32
}

// reading is one way to read a text: the hash of its nodes, and the least number of
// layers that led to it.
type readResult struct {
	hash  uint64
	depth int
}

// node is a byte of a text and the number of the node after it.
type node struct {
	next int32
	b    byte
}

// path is a part of window.bytes, and the place there where it continues, -1 for
// nowhere.
type path struct{ from, to, continuesAt int32 }

// windows are used again: most texts are short and many.
var windows = sync.Pool{New: func() any { return &window{} }}

// layers is how many layers of escapes are undone.
const layers = 3

// each calls a function with every way to read a text.
func (w *window) eachReading(text string, search func()) {
	w.text, w.level = text, nil
	w.bytes = append(w.bytes[:0], text...)
	w.nodeOf, w.sums, w.searched = w.nodeOf[:0], w.sums[:0], w.searched[:0]
	w.paths = append(w.paths[:0], path{to: int32(len(text)), continuesAt: -1})
	escaped := w.hasEscape()
	for i, b := range w.bytes {
		w.bytes[i] = fold(b)
	}
	search()
	if escaped {
		w.readPlain()
		w.searchUndone(&w.plain, 0, search)
	}
}

// escaped reports whether there is an escape in the text as it is.
func (w *window) hasEscape() bool {
	var plain [maxEscape]byte
	for _, kind := range escapeKinds {
		if w.doubled.skipsKind(kind) {
			continue
		}
		for at := 0; ; at++ {
			next := bytes.IndexByte(w.bytes[at:], kind.mark)
			if next < 0 {
				break
			}
			at += next
			if _, size := kind.undo(plain[:0], w.bytes[at:min(len(w.bytes), at+maxEscape)]); size > 0 {
				return true
			}
		}
	}
	return false
}

// begin makes the nodes of the text as it is.
func (w *window) readPlain() {
	w.plain.nodes = slices.Grow(w.plain.nodes[:0], len(w.text)+1)
	for i := range len(w.text) {
		w.plain.nodes = append(w.plain.nodes, node{next: int32(i + 1), b: w.text[i]})
	}
	w.plain.nodes = append(w.plain.nodes, node{})
}

// deeper searches what is left when one more layer of escapes is undone, and more
// of them.
func (w *window) searchUndone(from *level, depth int, search func()) {
	if depth == layers {
		return
	}
	for _, kind := range escapeKinds {
		to := &w.undone[depth]
		if w.doubled.skipsKind(kind) || !w.undo(kind, from, to) {
			continue
		}
		if first, again := w.visit(to.hash(), depth); first {
			w.buildPaths(to)
			search()
		} else if !again {
			continue
		}
		w.searchUndone(to, depth+1, search)
	}
}

// visit reports whether this is the first time that something is read, and whether it
// is again worth looking deeper, since more layers are left than before. The order
// of kinds that have nothing to do with each other does not matter, so much is read
// more than once.
func (w *window) visit(hash uint64, depth int) (first, again bool) {
	for i, known := range w.searched {
		if known.hash == hash {
			again = depth < known.depth
			w.searched[i].depth = min(depth, known.depth)
			return false, again
		}
	}
	w.searched = append(w.searched, readResult{hash, depth})
	return true, false
}

// undo undoes one kind of escapes; it is false when there are none.
func (w *window) undo(kind escapes, from, to *level) bool {
	end := int32(len(w.text))
	undone := false
	var text, plain [maxEscape]byte
	var behind [maxEscape + 1]int32 // the node after this many bytes of text
	for i := range end {
		if from.nodes[i].b != kind.mark {
			continue
		}
		n := 0
		for at := i; n < maxEscape && at != end; n++ {
			text[n], at = from.nodes[at].b, from.nodes[at].next
			behind[n+1] = at
		}
		character, size := kind.undo(plain[:0], text[:n])
		if size == 0 {
			continue
		}
		if !undone {
			undone = true
			to.nodes = append(to.nodes[:0], from.nodes...)
			to.origins = append(to.origins[:0], from.origins...)
		}
		to.putCharacter(i, character, behind[size])
	}
	return undone
}

// put puts a character into a node.
func (l *level) putCharacter(at int32, character []byte, next int32) {
	origin := at
	for i, b := range character {
		if i > 0 {
			l.nodes[at].next = int32(len(l.nodes))
			at = int32(len(l.nodes))
			l.nodes, l.origins = append(l.nodes, node{}), append(l.origins, origin)
		}
		l.nodes[at].b = b
	}
	l.nodes[at].next = next
}

func (l *level) hash() uint64 {
	var h uint64
	for _, n := range l.nodes {
		h = hashSum(hashProduct(h, hashBase), uint64(n.next)<<8|uint64(n.b))
	}
	return h
}

// follow writes down the paths through the nodes.
func (w *window) buildPaths(l *level) {
	w.level = l
	w.bytes, w.nodeOf, w.paths, w.sums = w.bytes[:0], w.nodeOf[:0], w.paths[:0], w.sums[:0]
	w.pathIndex = slices.Grow(w.pathIndex[:0], len(l.nodes))[:len(l.nodes)]
	clear(w.pathIndex)
	end := int32(len(w.text))
	for i := range end {
		if w.pathIndex[i] > 0 {
			continue
		}
		from := int32(len(w.bytes))
		at := i
		for ; at != end && w.pathIndex[at] == 0; at = l.nodes[at].next {
			w.bytes, w.nodeOf = append(w.bytes, fold(l.nodes[at].b)), append(w.nodeOf, at)
			w.pathIndex[at] = int32(len(w.bytes))
		}
		w.paths = append(w.paths, path{from: from, to: int32(len(w.bytes)), continuesAt: w.pathIndex[at] - 1})
	}
}

// origin is the place in the text of a byte.
func (w *window) origin(at int) int {
	if w.level == nil {
		return at
	}
	number := int(w.nodeOf[at])
	if number > len(w.text) {
		number = int(w.level.origins[number-len(w.text)-1])
	}
	return number
}

// end is the place in the text after a byte, and after the whole escape that it
// is part of.
func (w *window) end(at int) int {
	if w.level == nil {
		return at + 1
	}
	next := w.level.nodes[w.nodeOf[at]].next
	for int(next) > len(w.text) {
		next = w.level.nodes[next].next
	}
	return int(next)
}

// take appends at most n bytes that follow from a place on, across paths.
func (w *window) appendNext(to []byte, at, n int) []byte {
	if w.level == nil {
		return append(to, w.bytes[at:min(at+n, len(w.bytes))]...)
	}
	for number := w.nodeOf[at]; n > 0 && int(number) != len(w.text); n-- {
		to = append(to, w.level.nodes[number].b)
		number = w.level.nodes[number].next
	}
	return to
}

// hash is the hash of n bytes from a place of a path on, and the place of the last
// of them; it is false when fewer follow.
func (w *window) hash(on path, at, n int) (h uint64, last int, ok bool) {
	if len(w.sums) == 0 {
		w.sums = slices.Grow(w.sums, len(w.bytes)+1)
		var sum uint64
		w.sums = append(w.sums, sum)
		for _, b := range w.bytes {
			sum = hashAppend(sum, b)
			w.sums = append(w.sums, sum)
		}
	}
	for {
		size := min(n, int(on.to)-at)
		part := hashPart(w.sums[at+size], w.sums[at], size)
		if h == 0 { // the first part, mostly the only one
			h = part
		} else {
			h = hashJoin(h, part, size)
		}
		if n -= size; n == 0 {
			return h, at + size - 1, true
		}
		if on.continuesAt < 0 {
			return 0, 0, false
		}
		at = int(on.continuesAt)
		i, _ := slices.BinarySearchFunc(w.paths, on.continuesAt, func(one path, at int32) int { return int(one.to - 1 - at) })
		on = w.paths[i]
	}
}

// alone reports whether the bytes from one place of a path to another one have no
// letter or digit beside them.
func (w *window) isWholeWord(on path, from, last int) bool {
	before, _ := utf8.DecodeLastRune(w.bytes[on.from:from])
	if from == int(on.from) {
		before, _ = utf8.DecodeLastRuneInString(w.text[:w.origin(from)])
	}
	var room [utf8.UTFMax + 1]byte
	behind := w.appendNext(room[:0], last, len(room))
	after, _ := utf8.DecodeRune(behind[1:])
	return !alphanumeric(before) && !alphanumeric(after)
}
