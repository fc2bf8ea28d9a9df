package webui

import (
	"fmt"
	"io"
	"slices"
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

const maxToken = 4000

type bodyView struct {
	Lines []line
	// Cut is true if the body has more lines.
	Cut bool
	// Binary is true if the body is not text.
	Binary bool
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
		l := jsonLayout{text: trimmed, marks: marks, most: level.lines, longest: maxToken}
		l.run()
		v.Lines, v.Cut = l.lines, v.Cut || l.full
		return v, nil
	}
	for shown := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n") {
		if len(v.Lines) == level.lines {
			v.Cut = true
			break
		}
		v.Lines = append(v.Lines, line{Number: len(v.Lines) + 1, Tokens: []token{{Text: textfmt.Cut(strings.TrimRight(shown, "\r"), maxToken)}}})
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
		if slices.ContainsFunc(l.Tokens, func(t token) bool { return t.Kind != "key" && slices.Contains(values, nameOf(t.Text)) }) {
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
