package langservice

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

type cursor struct {
	// around is the innermost object or list, or nil at the root.
	around *node
	// on is the value or the member at the position, or nil between members.
	on *node
	// inName is true if the position is in the name of on.
	inName bool
	// after is true if the position is between the name and the value of on.
	after bool
}

func cursorAt(root *node, source string, offset int) cursor {
	at := cursor{on: root}
	for {
		n := at.on
		if n == nil || n.kind != object && n.kind != array || offset <= n.start || n.closed && offset >= n.end || offset > n.end {
			return at
		}
		at = cursor{around: n}
		i := sort.Search(len(n.children), func(i int) bool { return n.children[i].begin() > offset })
		// Only the last child that begins at or before the offset can contain it. The
		// loop also visits the next child, which never matches.
		for _, c := range n.children[max(0, i-1):min(len(n.children), i+1)] {
			switch {
			case c.inName(offset):
				return cursor{around: n, on: c, inName: true}
			case c.valueContains(source, offset):
				at.on = c
			case c.nameEnd > 0 && offset >= c.nameEnd && offset < max(c.colon, c.nameEnd+1):
				return cursor{around: n, on: c, after: true}
			}
		}
	}
}

// begin returns the offset of the name, or of the value if there is no name.
func (n *node) begin() int {
	if n.nameEnd > 0 {
		return n.nameStart
	}
	return n.start
}

func (n *node) inName(offset int) bool {
	if n.nameClosed {
		return offset > n.nameStart && offset < n.nameEnd
	}
	return n.nameEnd > 0 && offset >= n.nameStart && offset <= n.nameEnd
}

// valueContains reports whether an offset is in the value of a node, or where a missing
// value would be.
func (n *node) valueContains(source string, offset int) bool {
	switch {
	case n.kind == missing:
		return n.colon > 0 && offset >= n.colon && strings.Trim(source[n.colon:min(offset, n.colon+1000)], " \t") == ""
	case n.kind == word:
		return offset >= n.start && offset <= n.end
	case n.kind == text && !n.closed:
		return offset > n.start && offset <= n.end
	case !n.closed:
		return offset > n.start && offset <= n.end
	default:
		return offset > n.start && offset < n.end
	}
}

// path returns the nodes from below the root to n.
func (n *node) path() []*node {
	var all []*node
	for ; n != nil && n.parent != nil; n = n.parent {
		all = append(all, n)
	}
	slices.Reverse(all)
	return all
}

func (n *node) pointer() string {
	var b strings.Builder
	for _, step := range n.path() {
		token := step.name
		if step.nameEnd == 0 {
			token = strconv.Itoa(step.index)
		}
		b.WriteString(failure.PointerJoin("", token))
	}
	return b.String()
}
