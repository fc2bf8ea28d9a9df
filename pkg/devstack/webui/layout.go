package webui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// maxIndent is the depth below which values are written on one line. Real data are not
// that deep, and the output would grow with the square of the depth.
const maxIndent = 64

// line is a line of a JSON text.
type line struct {
	// Number counts from 1. It is 0 if Absent is true. Indent is the depth.
	Number, Indent int
	Tokens         []token
	// Notes are the problems of the values that begin on this line.
	Notes []note
	// Absent is true if the line shows a missing key. The document does not contain the
	// line.
	Absent bool
	// If a marked value begins on the line, Mark is data or next, and Label is the text
	// beside it. Data is true if the line is a part of the data.
	Mark, Label string
	Data        bool
}

// token is a part of a line. Kind is key, string, number, word (true, false, null),
// hidden, or "" for punctuation and for plain text.
type token struct{ Kind, Text string }

// jsonLayout lays out a JSON text in lines. The text may be incomplete or invalid:
// jsonLayout only looks at brackets, commas, colons and quotes, and never fails.
type jsonLayout struct {
	text  string
	marks []bodyMark
	most  int
	// longest is the maximum length of a token.
	longest int
	lines   []line
	full    bool
	// starts and ends belong to a document. They are nil for other texts.
	starts, ends map[string]int

	stack []frame
	now   line
	// dataDepth is the depth of the data while it is open, and negative otherwise.
	dataDepth int
}

type frame struct {
	list bool
	// name is the name of the current member, index the index of the current item.
	name  string
	index int
	// named is true if the name of the current member was read. empty is true until the
	// first member or item.
	named, empty bool
}

func (l *jsonLayout) run() {
	l.dataDepth = -1
	for at := 0; at < len(l.text) && !l.full; {
		c := l.text[at]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		case c == '{' || c == '[':
			l.begin()
			l.put("", string(c))
			if l.dataDepth < 0 && l.now.Mark == "data" {
				l.dataDepth = len(l.stack)
			}
			l.stack = append(l.stack, frame{list: c == '[', empty: true})
			at++
		case c == '}' || c == ']':
			l.end(c)
			at++
		case c == ',':
			l.put("", ",")
			if n := len(l.stack); n > 0 {
				l.stack[n-1].index++
				l.stack[n-1].named = false
			}
			l.wrapUnlessDeep()
			at++
		case c == ':':
			l.put("", ": ")
			at++
		default:
			word, end := wordAt(l.text, at)
			l.word(word)
			at = end
		}
	}
	if len(l.now.Tokens) > 0 {
		l.wrap()
	}
}

// wordAt returns the string, number or word at an offset, and its end. A string
// includes its quotes.
func wordAt(text string, at int) (word string, end int) {
	if text[at] == '"' {
		for end = at + 1; end < len(text); end++ {
			if text[end] == '\\' {
				end++
			} else if text[end] == '"' {
				return text[at : end+1], end + 1
			}
		}
		return text[at:], len(text)
	}
	end = at
	for end < len(text) && !strings.ContainsRune("{}[],: \t\r\n\"", rune(text[end])) {
		end++
	}
	return text[at:max(end, at+1)], max(end, at+1)
}

// word adds a name or a scalar.
func (l *jsonLayout) word(word string) {
	n := len(l.stack)
	if n > 0 && !l.stack[n-1].list && !l.stack[n-1].named {
		l.open()
		l.stack[n-1].named = true
		l.stack[n-1].name = nameOf(word)
		l.put("key", word)
		return
	}
	l.begin()
	kind := "word"
	switch {
	case word == `"`+secret.Hidden+`"`:
		kind = "hidden"
	case word[0] == '"':
		kind = "string"
	case word[0] == '-' || '0' <= word[0] && word[0] <= '9':
		kind = "number"
	}
	l.put(kind, word)
}

// nameOf returns the text of a JSON string. It returns invalid strings without their
// quotes.
func nameOf(word string) string {
	if name, err := strconv.Unquote(word); err == nil {
		return name
	}
	return strings.Trim(word, `"`)
}

// open begins a new line before the first member or item.
func (l *jsonLayout) open() {
	if n := len(l.stack); n > 0 && l.stack[n-1].empty {
		l.stack[n-1].empty = false
		l.wrapUnlessDeep()
	}
}

// begin prepares the line for a value and marks the line if a mark is at its path.
func (l *jsonLayout) begin() {
	if n := len(l.stack); n > 0 && l.stack[n-1].list {
		l.open()
	}
	if l.starts != nil && len(l.stack) <= maxIndent {
		l.starts[l.pointer()] = len(l.lines)
	}
	for _, m := range l.marks {
		if l.isAt(m.Path) && l.now.Mark == "" {
			l.now.Mark, l.now.Label = m.Kind, m.Label
		}
	}
}

// isAt reports whether the value that begins has the given path.
func (l *jsonLayout) isAt(path []string) bool {
	if len(path) != len(l.stack) {
		return false
	}
	for i, f := range l.stack {
		switch {
		case f.list && path[i] == "*":
		case f.list && path[i] != strconv.Itoa(f.index), !f.list && path[i] != f.name:
			return false
		}
	}
	return true
}

// end closes an object or a list.
func (l *jsonLayout) end(c byte) {
	n := len(l.stack)
	if n == 0 {
		l.put("", string(c))
		return
	}
	empty := l.stack[n-1].empty
	if !empty {
		l.wrapUnlessDeep()
	}
	l.stack = l.stack[:n-1]
	if !empty && len(l.stack) < maxIndent {
		l.now.Indent = len(l.stack)
		if l.ends != nil {
			l.ends[l.pointer()] = len(l.lines)
		}
	}
	l.put("", string(c))
	if l.dataDepth == len(l.stack) {
		l.now.Data = true
		l.dataDepth = -2 // only the first match is data
	}
}

func (l *jsonLayout) put(kind, text string) {
	if len(l.now.Tokens) == 0 {
		l.now.Indent = min(len(l.stack), maxIndent)
	}
	l.now.Tokens = append(l.now.Tokens, token{kind, textfmt.Cut(text, l.longest)})
}

// pointer returns the JSON pointer of the value that begins or ends.
func (l *jsonLayout) pointer() string {
	var b strings.Builder
	for _, f := range l.stack {
		name := f.name
		if f.list {
			name = strconv.Itoa(f.index)
		}
		b.WriteString(failure.PointerJoin("", name))
	}
	return b.String()
}

// wrapUnlessDeep ends the line unless the values in it are deeper than maxIndent.
func (l *jsonLayout) wrapUnlessDeep() {
	if len(l.stack) <= maxIndent {
		l.wrap()
	}
}

// wrap ends the line.
func (l *jsonLayout) wrap() {
	if len(l.lines) == l.most {
		l.full = true
		return
	}
	l.now.Number = len(l.lines) + 1
	l.now.Data = l.now.Data || l.dataDepth >= 0 || l.now.Mark == "data"
	l.now.Tokens = slices.Clip(l.now.Tokens)
	l.lines = append(l.lines, l.now)
	l.now = line{Indent: min(len(l.stack), maxIndent)}
}
