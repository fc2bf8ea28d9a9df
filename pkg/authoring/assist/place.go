package assist

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/language"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// position is a place in the text, with what is there.
type position struct {
	// around is the innermost object or list, nil at the root.
	around *node
	// on is the value or the member at the place, nil between them.
	on *node
	// inName says that the place is in the name of on; after, that it is between the name
	// and the value.
	inName, after bool
}

// positionAt finds a place. Between members, on is nil.
func positionAt(root *node, source string, offset int) position {
	s := position{on: root}
	for {
		n := s.on
		if n == nil || n.kind != object && n.kind != array || offset <= n.start || n.closed && offset >= n.end || offset > n.end {
			return s
		}
		s = position{around: n}
		i := sort.Search(len(n.children), func(i int) bool { return n.children[i].begin() > offset })
		// The one that begins before, or right here.
		for _, c := range n.children[max(0, i-1):min(len(n.children), i+1)] {
			switch {
			case c.inName(offset):
				return position{around: n, on: c, inName: true}
			case c.holds(source, offset):
				s.on = c
			case c.nameEnd > 0 && offset >= c.nameEnd && offset < max(c.colon, c.nameEnd+1):
				return position{around: n, on: c, after: true}
			}
		}
	}
}

// begin is the offset of the name or of the value.
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

// holds reports whether an offset is in the value of a node, or where it is missing.
func (n *node) holds(source string, offset int) bool {
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

// pointer returns the JSON pointer of a node.
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

// declared is what the language says about a value.
type declared struct {
	field *field.Field // nil for items, and for members without a declaration
	kind  *field.Type  // nil allows any value
	// expression says that an expression may be there; attributes that it is an attribute
	// of config.
	expression, attribute bool
}

// declaredAt returns the declaration of a node.
func declaredAt(l *language.Language, n *node) declared {
	at := declared{kind: l.Tree.Root()}
	for _, step := range n.path() {
		at = at.inside(step)
	}
	return at
}

// inside returns the declaration of a member or an item.
func (d declared) inside(step *node) declared {
	parent := step.parent
	switch {
	case d.kind == nil || isExpression(d.kind):
		return declared{kind: d.kind, expression: d.expression}
	case parent.kind == array:
		return typed(nil, d.kind.Item())
	case alone(d.kind, parent):
		d = typed(d.field, d.kind.Others)
	}
	f, inner := d.kind.Inside(step.name)
	switch {
	case f != nil || inner != nil:
		return typed(f, inner)
	case d.expression:
		return declared{kind: config.ExpressionType, expression: true}
	case d.kind.Loose || d.kind.Base != nil && d.kind.Base.Loose:
		return declared{kind: config.ExpressionType, expression: true, attribute: true}
	default:
		return declared{}
	}
}

func typed(f *field.Field, t *field.Type) declared {
	return declared{field: f, kind: t, expression: t != nil && (isExpression(t) || strings.HasSuffix(t.Describes(), "or expression"))}
}

func isExpression(t *field.Type) bool { return t.Name == config.ExpressionType.Name }

// alone reports whether an object is a single item instead of an object of items. Only
// the texts of its members are looked at.
func alone(t *field.Type, n *node) bool {
	if t.Alone == nil || n.kind != object {
		return false
	}
	var members []value.Member
	for _, c := range n.children {
		if c.kind == text && c.closed {
			members = append(members, value.Member{Name: c.name, Value: value.OfString("…")})
		}
	}
	return t.Alone(value.OfMembers(members...))
}
