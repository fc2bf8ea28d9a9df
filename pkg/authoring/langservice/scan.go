package langservice

import (
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// node is a value in the text, or the place of one.
type node struct {
	kind kind
	// start and end are the value, the end not included; of a missing value, the place.
	start, end int
	// closed says that a text, an object or a list has its end.
	closed bool
	// name is the name of a member. Its place is 0, 0 for items and the root.
	name               string
	nameStart, nameEnd int
	// nameClosed says that the name is in quotes.
	nameClosed bool
	// colon is the offset after the colon, 0 if there is none.
	colon    int
	parent   *node
	index    int // of an item
	children []*node
}

type kind byte

// The kinds of nodes. A word is a number, true, false, null, or something else without
// quotes.
const (
	missing kind = iota
	object
	array
	text
	word
)

// parse reads any text as JSON, as far as it is. It knows no errors: a comma, a colon, a
// quote or a bracket may be missing or superfluous. Its time grows with the text only.
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

// parser reads one text.
type parser struct {
	source string
	at     int
	root   *node
	top    *node // the innermost object or list that is open
	member *node // a member of top without a value yet
	done   bool  // the root has its value
	// objects and arrays count those that are open.
	objects, arrays int
}

// place returns the node for a value that begins here, nil after the end of the root.
func (p *parser) place() *node {
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
	n := p.place()
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

// close closes the innermost object or list of the kind, and everything inside. Without
// one the bracket is superfluous.
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
	// A quote is missing if the next one is followed by a word: {"a: "b"}.
	if closed && end < len(p.source) && !strings.ContainsRune(" \t\r\n,:{}[]\"", rune(p.source[end])) {
		if i := strings.IndexAny(p.source[start:end], ":,}]"); i > 0 {
			end, closed = start+i, false
		}
	}
	p.at = end
	// A member without a value, and the next one: {"a": ⏎ "b": 1}.
	isName := p.top != nil && p.top.kind == object && (p.member == nil || p.member.colon == 0 || p.colonFollows())
	if isName {
		p.name(start, end, closed)
		return
	}
	if n := p.place(); n != nil {
		n.kind, n.start, n.end, n.closed = text, start, end, closed
	}
}

func (p *parser) colonFollows() bool {
	rest := strings.TrimLeft(p.source[p.at:min(len(p.source), p.at+1000)], " \t\r\n")
	return strings.HasPrefix(rest, ":")
}

// endOfText returns the end of a text that begins with a quote. It ends with its line at
// the latest.
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

// endOfWord returns the end of a word, which has at least one byte.
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
	if n := p.place(); n != nil {
		n.kind, n.start, n.end, n.closed = word, start, p.at, true
	}
}

// name begins a member.
func (p *parser) name(start, end int, closed bool) {
	n := &node{parent: p.top, nameStart: start, nameEnd: end, nameClosed: closed, start: end, end: end}
	n.name = unquoted(p.source[start:end], closed)
	p.top.children = append(p.top.children, n)
	p.member = n
}

// unquoted returns what a text means. An unfinished one is taken as written.
func unquoted(source string, closed bool) string {
	if closed {
		if v, err := value.Parse([]byte(source)); err == nil {
			return v.Raw()
		}
		return strings.Trim(source, `"`)
	}
	return strings.TrimPrefix(source, `"`)
}

// raw returns the text of a scalar, "" for others.
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

// child returns the last member of that name, nil for none.
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
