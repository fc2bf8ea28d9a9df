package langservice

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// node is a value in the text, or the position of a missing value.
type node struct {
	kind kind
	// start and end are the offsets of the value; end is exclusive. Both are the position
	// of a missing value.
	start, end int
	// closed is true if the text, the object or the list has a closing character.
	closed bool
	// name is the name of a member. Its offsets are 0, 0 for items and the root.
	name               string
	nameStart, nameEnd int
	// nameClosed is true if the name has a closing quote.
	nameClosed bool
	// colon is the offset after the colon, or 0.
	colon    int
	parent   *node
	index    int // index of an item in its list
	children []*node
}

type kind byte

// The kinds of nodes. A word is a number, true, false, null, or any other token without
// quotes.
const (
	missing kind = iota
	object
	array
	text
	word
)

// parse parses any text as JSON and reports no errors. A comma, a colon, a quote or a
// bracket may be missing or superfluous. It takes time linear in the length of the text.
func parse(source string) *node {
	p := parser{source: source, root: &node{}}
	for p.at < len(source) {
		switch c := source[p.at]; c {
		case ' ', '\t', '\r', '\n':
			p.at++
		case ',':
			p.member = nil
			p.at++
		case ':':
			p.at++
			if p.member != nil && p.member.colon == 0 {
				p.member.colon, p.member.start, p.member.end = p.at, p.at, p.at
			}
		case '{':
			p.open(object)
		case '[':
			p.open(array)
		case '}':
			p.close(object)
		case ']':
			p.close(array)
		case '"':
			p.text()
		default:
			p.word()
		}
	}
	for n := p.top; n != nil; n = n.parent {
		n.end = len(source)
	}
	return p.root
}

type parser struct {
	source string
	at     int
	root   *node
	top    *node // innermost open object or list
	member *node // member of top without a value yet
	done   bool  // true if the root has its value
	// objects and arrays are the numbers of open objects and lists.
	objects, arrays int
}

// newNode returns the node for the value at the current offset. It returns nil after the
// end of the root.
func (p *parser) newNode() *node {
	switch {
	case p.top == nil && p.done:
		return nil
	case p.top == nil:
		p.done = true
		return p.root
	case p.top.kind == object && p.member != nil:
		n := p.member
		p.member = nil
		return n
	}
	n := &node{parent: p.top, index: len(p.top.children)}
	p.top.children = append(p.top.children, n)
	return n
}

func (p *parser) open(k kind) {
	n := p.newNode()
	if n == nil {
		p.at++
		return
	}
	n.kind, n.start = k, p.at
	p.at++
	p.top, p.member = n, nil
	p.count(k, 1)
}

func (p *parser) count(k kind, by int) {
	if k == object {
		p.objects += by
	} else {
		p.arrays += by
	}
}

// close closes the innermost object or list of the kind and everything inside it. It
// skips a bracket without an open counterpart.
func (p *parser) close(k kind) {
	open := p.objects
	if k == array {
		open = p.arrays
	}
	if open > 0 {
		for n := p.top; ; n = n.parent {
			p.top = n.parent
			p.count(n.kind, -1)
			if n.kind == k {
				n.end, n.closed = p.at+1, true
				break
			}
			n.end = p.at
		}
		p.member = nil
	}
	p.at++
}

func (p *parser) text() {
	start := p.at
	end, closed := endOfText(p.source, start)
	// If a word follows the closing quote, an earlier quote is missing: {"a: "b"}.
	if closed && end < len(p.source) && !strings.ContainsRune(" \t\r\n,:{}[]\"", rune(p.source[end])) {
		if i := strings.IndexAny(p.source[start:end], ":,}]"); i > 0 {
			end, closed = start+i, false
		}
	}
	p.at = end
	// A text is a name if the previous member has no value yet and a colon follows: {"a":
	// ⏎ "b": 1}.
	rest := strings.TrimLeft(p.source[p.at:min(len(p.source), p.at+1000)], " \t\r\n")
	isName := p.top != nil && p.top.kind == object && (p.member == nil || p.member.colon == 0 || strings.HasPrefix(rest, ":"))
	if isName {
		p.name(start, end, closed)
		return
	}
	if n := p.newNode(); n != nil {
		n.kind, n.start, n.end, n.closed = text, start, end, closed
	}
}

// endOfText returns the end of a text that begins with a quote. A text ends at the end of
// its line at the latest.
func endOfText(source string, start int) (end int, closed bool) {
	for i := start + 1; i < len(source); i++ {
		switch source[i] {
		case '\\':
			if i++; i < len(source) && source[i] == '\n' {
				return i, false
			}
		case '"':
			return i + 1, true
		case '\n':
			return i, false
		}
	}
	return len(source), false
}

// endOfWord returns the end of a word. A word has at least one byte.
func endOfWord(source string, start int) int {
	if i := strings.IndexAny(source[start:], " \t\r\n,:{}[]\""); i > 0 {
		return start + i
	} else if i == 0 {
		return start + 1
	}
	return len(source)
}

func (p *parser) word() {
	start := p.at
	p.at = endOfWord(p.source, start)
	if p.top != nil && p.top.kind == object && p.member == nil {
		p.name(start, p.at, false)
		return
	}
	if n := p.newNode(); n != nil {
		n.kind, n.start, n.end, n.closed = word, start, p.at, true
	}
}

// name adds a member without a value.
func (p *parser) name(start, end int, closed bool) {
	n := &node{parent: p.top, nameStart: start, nameEnd: end, nameClosed: closed, start: end, end: end}
	n.name = unquoted(p.source[start:end], closed)
	p.top.children = append(p.top.children, n)
	p.member = n
}

// unquoted returns the content of a text. It returns an unfinished text without its
// opening quote.
func unquoted(source string, closed bool) string {
	if closed {
		if v, err := value.Parse([]byte(source)); err == nil {
			return v.Raw()
		}
		return strings.Trim(source, `"`)
	}
	return strings.TrimPrefix(source, `"`)
}

// raw returns the content of a scalar, or "" for other nodes.
func (n *node) raw(source string) string {
	switch {
	case n == nil || n.kind != text && n.kind != word:
		return ""
	case n.kind == word:
		return source[n.start:n.end]
	default:
		return unquoted(source[n.start:n.end], n.closed)
	}
}

// child returns the last member with this name, or nil.
func (n *node) child(name string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	for i := len(n.children) - 1; i >= 0; i-- {
		if n.children[i].name == name {
			return n.children[i]
		}
	}
	return nil
}
