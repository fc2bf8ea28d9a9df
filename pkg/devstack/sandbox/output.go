package sandbox

import (
	"bytes"
	"unicode"
)

// headBytes is how much of an output or a line is kept. It is more than is ever
// shown of one, in any script, and leaves room for what masking takes away.
const headBytes = 512 << 10

// head keeps the beginning of a text. The zero value is empty.
type head struct {
	text []byte
	cut  bool // there was more than is kept
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

// lines parts a text into lines and gives each one as soon as it is complete.
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

// end gives the line that is not complete, if there is one.
func (l *lines) end() {
	if len(l.line.text) > 0 {
		l.give(l.line)
	}
	l.line = head{text: l.line.text[:0]}
}
