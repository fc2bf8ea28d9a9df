package sandbox

import (
	"bytes"
	"unicode"
)

// headBytes is the number of bytes of an output or a line that are kept. This is more than
// any message shows, in any script and after masking.
const headBytes = 512 << 10

// head stores the beginning of a text. The zero value is empty.
type head struct {
	text []byte
	cut  bool // whether the text was longer
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

// lines splits a text into lines and calls give with each complete line.
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

func (l *lines) end() {
	if len(l.line.text) > 0 {
		l.give(l.line)
	}
	l.line = head{text: l.line.text[:0]}
}
