package secret

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"
)

// window is a part of a text that is searched for secrets: unchanged, and with one to
// three layers of escapes undone. Each layer can have any kind of escapes, because an API
// may return a JSON text in a JSON text, or a URL in a URL. Decoding keeps all text that
// is not a valid escape.
//
// Escapes are undone at every byte where one begins, not only from left to right. In the
// text `\u00e9xy`, a reader from left to right finds "éxy". But the secret may be "e9xy",
// after a text that looks like the beginning of an escape. So each byte of the text is a
// node: the character that is decoded from there, and the node that follows it. In the
// example, "é" and "9" are both followed by "x". A sequence of nodes is a path, see path.
//
// Time and memory are linear in the size of the window, for any content.
type window struct {
	text string
	// plain has the nodes of the unchanged text. undone[n] has the nodes with n+1 layers
	// of escapes undone. level is the level that is searched, or nil for the unchanged
	// text.
	plain    level
	undone   [layers]level
	level    *level
	searched []decodedForm // decoded forms that were searched
	// doubledQuotes is the set of quotes that are undone in the text.
	doubledQuotes quoteSet

	// bytes has the folded bytes of all paths, one path after the other, so that they can
	// be searched like a string. nodeOf has the index of the node of each byte.
	bytes  []byte
	nodeOf []int32
	paths  []path
	// pathIndex is the index in bytes of each node, plus 1. It is 0 for a node that is not
	// on a path yet.
	pathIndex []int32
	// sums has the hashes of the beginnings of bytes. It is empty until hash needs it.
	sums []uint64
}

// level is the decoded form of a window with some layers of escapes undone.
type level struct {
	// nodes has one node for each byte of the text and one for its end. The other bytes
	// of characters with several bytes follow.
	nodes []node
	// origins has the index in the text of each node after the end.
	origins []int32
}

// decodedForm is the hash of the nodes of a decoded text, and the minimum number of
// layers that led to it.
type decodedForm struct {
	hash  uint64
	depth int
}

// node is a decoded byte and the index of the node after it.
type node struct {
	next int32
	char byte
}

// path is a sequence of nodes: each node follows the node before it. The bytes of a path
// are the range of window.bytes from from to to.
//
// The first path begins at the first byte of the text, and further paths begin at each
// byte that is on no path yet. A path ends at the end of the text, or before a node of an
// earlier path. So every node is on one path. In the example of window, the paths are
// "éxy" and "u00e9", and "u00e9" continues at "x".
type path struct {
	from, to int32
	// continuesAt is the index in window.bytes of the byte after the path, or -1 at the end
	// of the text.
	continuesAt int32
}

// windows are reused, because most texts are short and many.
var windows = sync.Pool{New: func() any { return &window{} }}

// layers is the maximum number of layers of escapes that are undone.
const layers = 3

// eachDecoding calls search for every decoded form of a text.
func (w *window) eachDecoding(text string, search func()) {
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

// hasEscape reports whether the unchanged text has an escape.
func (w *window) hasEscape() bool {
	var plain [maxEscape]byte
	for _, kind := range escapeKinds {
		if w.doubledQuotes.skipsKind(kind) {
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

func (w *window) readPlain() {
	w.plain.nodes = slices.Grow(w.plain.nodes[:0], len(w.text)+1)
	for i := range len(w.text) {
		w.plain.nodes = append(w.plain.nodes, node{next: int32(i + 1), char: w.text[i]})
	}
	w.plain.nodes = append(w.plain.nodes, node{})
}

// searchUndone searches the text with one more layer of escapes undone, and then with
// further layers.
func (w *window) searchUndone(from *level, depth int, search func()) {
	if depth == layers {
		return
	}
	for _, kind := range escapeKinds {
		to := &w.undone[depth]
		if w.doubledQuotes.skipsKind(kind) || !w.undo(kind, from, to) {
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

// visit records a decoded form. first reports whether it is new. again reports whether
// fewer layers led to it than before: more layers are left, so deeper layers must be
// searched again. Many forms occur more than once, because the order of independent
// kinds of escapes does not matter.
func (w *window) visit(hash uint64, depth int) (first, again bool) {
	for i, known := range w.searched {
		if known.hash == hash {
			again = depth < known.depth
			w.searched[i].depth = min(depth, known.depth)
			return false, again
		}
	}
	w.searched = append(w.searched, decodedForm{hash, depth})
	return true, false
}

// undo undoes one kind of escapes and reports whether there were any.
func (w *window) undo(kind escapeKind, from, to *level) bool {
	end := int32(len(w.text))
	undone := false
	var text, plain [maxEscape]byte
	var behind [maxEscape + 1]int32 // the node after this many bytes of text
	for i := range end {
		if from.nodes[i].char != kind.mark {
			continue
		}
		n := 0
		for at := i; n < maxEscape && at != end; n++ {
			text[n], at = from.nodes[at].char, from.nodes[at].next
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

// putCharacter replaces the node at index at by the bytes of a character. next is the
// node after the character.
func (l *level) putCharacter(at int32, character []byte, next int32) {
	origin := at
	for i, b := range character {
		if i > 0 {
			l.nodes[at].next = int32(len(l.nodes))
			at = int32(len(l.nodes))
			l.nodes, l.origins = append(l.nodes, node{}), append(l.origins, origin)
		}
		l.nodes[at].char = b
	}
	l.nodes[at].next = next
}

func (l *level) hash() uint64 {
	var h uint64
	for _, n := range l.nodes {
		h = hashSum(hashProduct(h, hashBase), uint64(n.next)<<8|uint64(n.char))
	}
	return h
}

// buildPaths writes the paths through the nodes to bytes.
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
			w.bytes, w.nodeOf = append(w.bytes, fold(l.nodes[at].char)), append(w.nodeOf, at)
			w.pathIndex[at] = int32(len(w.bytes))
		}
		w.paths = append(w.paths, path{from: from, to: int32(len(w.bytes)), continuesAt: w.pathIndex[at] - 1})
	}
}

// origin returns the index in the text of a byte of a path.
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

// end returns the index in the text after a byte of a path, and after the whole escape
// that the byte belongs to.
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

// appendNext appends up to n bytes from index at on, across paths.
func (w *window) appendNext(to []byte, at, n int) []byte {
	if w.level == nil {
		return append(to, w.bytes[at:min(at+n, len(w.bytes))]...)
	}
	for number := w.nodeOf[at]; n > 0 && int(number) != len(w.text); n-- {
		to = append(to, w.level.nodes[number].char)
		number = w.level.nodes[number].next
	}
	return to
}

// hash returns the hash of n bytes from index at of a path, and the index of the last
// byte. It returns false if fewer bytes follow.
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
		if h == 0 { // first part, and mostly the only part
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

// isWholeWord reports whether no letter or digit is beside the bytes between two
// indexes of a path.
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
