package sandbox

import (
	"bytes"
	"unicode"
)

// headBytes is how much of an output or a line is kept: more than is ever shown, in
// any script and after masking.
const headBytes = 512 << 10

// head keeps the beginning of a text. The zero value is empty.
type head struct {
	text []byte
	cut  bool // there was more
}

func (h *head) write(piece []byte) {
	if len(h.text) == 0 {
		piece = bytes.TrimLeftFunc(piece, unicode.IsSpace)
	}
	if room := headBytes - len(h.text); len(piece) > room {
		piece, h.cut = piece[:room], true
	}
	h.text = append(h.text, piece...)
}

// lines splits a text into lines and passes on each one when it is complete.
type lines struct {
	line head
	give func(head)
}

func (l *lines) write(piece []byte) {
	for {
		line, rest, complete := bytes.Cut(piece, []byte("\n"))
		l.line.write(line)
		if !complete {
			return
		}
		l.end()
		piece = rest
	}
}

// end passes on the last line if it is incomplete.
func (l *lines) end() {
	if len(l.line.text) > 0 {
		l.give(l.line)
	}
	l.line = head{text: l.line.text[:0]}
}
