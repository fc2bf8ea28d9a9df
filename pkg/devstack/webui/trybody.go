package webui

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/textfmt"
)

// bodyLevel limits the part of a body that is shown.
type bodyLevel struct {
	bytes int64
	lines int
}

// bodyLevels returns the limits for each step of "show more".
func bodyLevels() []bodyLevel {
	return []bodyLevel{{32 << 10, 600}, {256 << 10, 6000}, {2 << 20, 30_000}}
}

// maxToken is the maximum length of a shown token in a body.
const maxToken = 4000

// bodyView is the beginning of a body in lines.
type bodyView struct {
	Lines []bodyLine
	// Cut is true if the body has more lines.
	Cut bool
	// Binary is true if the body is not text.
	Binary bool
}

// bodyLine is a line of a body. If a marked value begins on the line, Mark is data or
// next, and Label is the text beside it. Data is true if the line is a part of the data.
type bodyLine struct {
	Number, Indent int
	Tokens         []token
	Mark, Label    string
	Data           bool
}

// bodyMark marks the value at a path in a JSON body. The name "*" matches any item of a
// list.
type bodyMark struct {
	Kind, Label string
	Path        []string
}

// newBodyView lays out the beginning of a body in lines. JSON is indented and gets marks,
// even if it is cut.
func newBodyView(r io.Reader, level bodyLevel, marks []bodyMark) (bodyView, error) {
	text, err := io.ReadAll(io.LimitReader(r, level.bytes+1))
	if err != nil {
		return bodyView{}, fmt.Errorf("reading a body: %w", err)
	}
	v := bodyView{}
	if int64(len(text)) > level.bytes {
		text, v.Cut = text[:level.bytes], true
		for n := 0; n < utf8.UTFMax && len(text) > 0 && !utf8.Valid(text[max(0, len(text)-utf8.UTFMax):]); n++ {
			text = text[:len(text)-1]
		}
	}
	if !utf8.Valid(text) || strings.ContainsRune(string(text), 0) {
		v.Binary = true
		return v, nil
	}
	trimmed := strings.TrimLeft(strings.TrimPrefix(string(text), "\uFEFF"), " \t\r\n")
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		l := bodyLayout{text: trimmed, marks: marks, most: level.lines}
		l.run()
		v.Lines, v.Cut = l.lines, v.Cut || l.full
		return v, nil
	}
	for line := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n") {
		if len(v.Lines) == level.lines {
			v.Cut = true
			break
		}
		v.Lines = append(v.Lines, bodyLine{Number: len(v.Lines) + 1, Tokens: []token{{Text: textfmt.Cut(strings.TrimRight(line, "\r"), maxToken)}}})
	}
	return v, nil
}

// markOnly removes the next marks from lines with a value that is not in values. If no
// line has such a value, all marks stay.
func (v *bodyView) markOnly(values []string) {
	var others []int
	kept := false
	for i, l := range v.Lines {
		if l.Mark != "next" {
			continue
		}
		if slices.ContainsFunc(l.Tokens, func(t token) bool { return t.Kind != "key" && slices.Contains(values, bodyName(t.Text)) }) {
			kept = true
		} else {
			others = append(others, i)
		}
	}
	if !kept {
		return
	}
	for _, i := range others {
		v.Lines[i].Mark, v.Lines[i].Label = "", ""
	}
}

// bodyLayout lays out a JSON text in lines. The text may be incomplete or invalid:
// bodyLayout only looks at brackets, commas, colons and quotes, and never fails.
type bodyLayout struct {
	text  string
	marks []bodyMark
	most  int
	lines []bodyLine
	full  bool

	stack []bodyFrame
	now   bodyLine
	// dataDepth is the depth of the data while it is open, and negative otherwise.
	dataDepth int
}

// bodyFrame is an open object or list.
type bodyFrame struct {
	list bool
	// name is the name of the current member, index the index of the current item.
	name  string
	index int
	// named is true if the name of the current member was read. empty is true until the
	// first member or item.
	named, empty bool
}

func (l *bodyLayout) run() {
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
			l.stack = append(l.stack, bodyFrame{list: c == '[', empty: true})
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
			l.wrap()
			at++
		case c == ':':
			l.put("", ": ")
			at++
		default:
			word, end := bodyWord(l.text, at)
			l.word(word)
			at = end
		}
	}
	if len(l.now.Tokens) > 0 {
		l.wrap()
	}
}

// bodyWord returns the string, number or word at an offset, and its end. A string
// includes its quotes.
func bodyWord(text string, at int) (word string, end int) {
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
func (l *bodyLayout) word(word string) {
	n := len(l.stack)
	if n > 0 && !l.stack[n-1].list && !l.stack[n-1].named {
		l.open()
		l.stack[n-1].named = true
		l.stack[n-1].name = bodyName(word)
		l.put("key", word)
		return
	}
	l.begin()
	kind := "word"
	switch {
	case word[0] == '"':
		kind = "string"
	case word[0] == '-' || '0' <= word[0] && word[0] <= '9':
		kind = "number"
	}
	l.put(kind, word)
}

// bodyName returns the text of a JSON string. It returns invalid strings without their
// quotes.
func bodyName(word string) string {
	if name, err := strconv.Unquote(word); err == nil {
		return name
	}
	return strings.Trim(word, `"`)
}

// open begins a new line before the first member or item.
func (l *bodyLayout) open() {
	if n := len(l.stack); n > 0 && l.stack[n-1].empty {
		l.stack[n-1].empty = false
		l.wrap()
	}
}

// begin prepares the line for a value and marks the line if a mark is at its path.
func (l *bodyLayout) begin() {
	if n := len(l.stack); n > 0 && l.stack[n-1].list {
		l.open()
	}
	for _, m := range l.marks {
		if l.isAt(m.Path) && l.now.Mark == "" {
			l.now.Mark, l.now.Label = m.Kind, m.Label
		}
	}
}

// isAt reports whether the value that begins has the given path.
func (l *bodyLayout) isAt(path []string) bool {
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
func (l *bodyLayout) end(c byte) {
	n := len(l.stack)
	if n == 0 {
		l.put("", string(c))
		return
	}
	empty := l.stack[n-1].empty
	if !empty {
		l.wrap()
	}
	l.stack = l.stack[:n-1]
	if !empty {
		l.now.Indent = len(l.stack)
	}
	l.put("", string(c))
	if l.dataDepth == len(l.stack) {
		l.now.Data = true
		l.dataDepth = -2 // only the first match is data
	}
}

func (l *bodyLayout) put(kind, text string) {
	if len(l.now.Tokens) == 0 {
		l.now.Indent = min(len(l.stack), maxIndent)
	}
	l.now.Tokens = append(l.now.Tokens, token{kind, textfmt.Cut(text, maxToken)})
}

// wrap ends the line.
func (l *bodyLayout) wrap() {
	if len(l.lines) == l.most {
		l.full = true
		return
	}
	l.now.Number = len(l.lines) + 1
	l.now.Data = l.now.Data || l.dataDepth >= 0 || l.now.Mark == "data"
	l.now.Tokens = slices.Clip(l.now.Tokens)
	l.lines = append(l.lines, l.now)
	l.now = bodyLine{Indent: min(len(l.stack), maxIndent)}
}
