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

// bodyLevel is how much of a body is shown at once.
type bodyLevel struct {
	bytes int64
	lines int
}

// bodyLevels are the steps of "show more".
func bodyLevels() []bodyLevel {
	return []bodyLevel{{32 << 10, 600}, {256 << 10, 6000}, {2 << 20, 30_000}}
}

// maxToken is how much of a text in a body is shown.
const maxToken = 4000

// bodyView is the beginning of a body in lines.
type bodyView struct {
	Lines []bodyLine
	// Cut says that there is more.
	Cut bool
	// Binary says that the body is not text.
	Binary bool
}

// bodyLine is a line of a body. Mark is data or next for where such a value begins, and
// Label what is written beside it; Data says that the line is a part of the data.
type bodyLine struct {
	Number, Indent int
	Tokens         []token
	Mark, Label    string
	Data           bool
}

// bodyMark is a place in a JSON body to mark. A name "*" is any item of a list.
type bodyMark struct {
	Kind, Label string
	Path        []string
}

// newBodyView lays out the beginning of a body. JSON gets lines and marks, also if it is cut.
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

// markOnly keeps those marks of values for the next page whose value is one of these; all
// marks if none is.
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

// bodyLayout lays out a JSON text that may be incomplete or not JSON at all: it splits it
// at its signs and never fails.
type bodyLayout struct {
	text  string
	marks []bodyMark
	most  int
	lines []bodyLine
	full  bool

	stack []bodyFrame
	now   bodyLine
	// dataDepth is the depth of the data while it is open, -1 otherwise.
	dataDepth int
}

// bodyFrame is an object or a list that is open.
type bodyFrame struct {
	list bool
	// name is that of the current member, index that of the current item.
	name  string
	index int
	// named says that the name of the current member has come.
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

// bodyWord is a text with its quotes, or a number or word.
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

// word is a name or a scalar.
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

// bodyName is the name in a JSON text.
func bodyName(word string) string {
	if name, err := strconv.Unquote(word); err == nil {
		return name
	}
	return strings.Trim(word, `"`)
}

// open makes a new line for what comes first in an object or a list.
func (l *bodyLayout) open() {
	if n := len(l.stack); n > 0 && l.stack[n-1].empty {
		l.stack[n-1].empty = false
		l.wrap()
	}
}

// begin is called before a value: it marks the line if the value is to be marked.
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

// isAt reports whether the value that begins is at a path.
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
		l.dataDepth = -2 // marked once
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
