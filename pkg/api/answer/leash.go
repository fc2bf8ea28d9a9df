package answer

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxItem is how many bytes one item, or one text anywhere, may have: it stands
// in memory as a whole, packed.
const maxItem = 128 << 20

// maxText is how many bytes the text of an item may have in the buffer of the
// decoder, which doubles as it grows. A larger one is read token by token, which
// takes longer but no more memory than its largest token.
const maxText = 1 << 20

var (
	errLargeItem = errors.New("one value of it has more than 128 MiB, which is more than memory should hold")
	errLargeText = errors.New("the text of an item is too large for the buffer")
)

// leash keeps a decoder from reading on and on for a single value, and from
// holding white space.
type leash struct {
	dec    *jsontext.Decoder
	source io.Reader
	given  int64 // bytes the decoder got; its offsets count these
	limit  int64 // bytes of one value
	most   int64 // bytes of the text of an item that is read as a whole
	whole  bool  // one is read so
	start  int64 // offset of the item that is read token by token, else -1

	white   []gap // that the decoder has not come to, in order
	dropped int64 // bytes of the gaps before it

	// What was looked at to tell white space from blanks in a string, up to an
	// offset of the decoder.
	seen     int64
	inString bool
	escaped  bool
}

// gap is white space that the decoder did not get.
type gap struct {
	at   int64 // offset of the decoder
	size int64
}

// leash makes a decoder for a source.
func (s *Spooler) leash(source io.Reader) *leash {
	l := &leash{source: source, limit: s.item, most: s.text, start: -1}
	l.dec = value.NewDecoder(l)
	return l
}

// largeItem makes a user error of a value that is too large.
func largeItem(err error) error {
	if errors.Is(err, errLargeItem) {
		return failure.Userf("the response is too large: %w", errLargeItem)
	}
	return err
}

// offset is where the decoder stands in the source.
func (l *leash) offset() int64 {
	at := l.dec.InputOffset()
	for len(l.white) > 0 && l.white[0].at < at {
		l.dropped += l.white[0].size
		l.white = l.white[1:]
	}
	return at + l.dropped
}

// item appends the next value, packed: read as a whole while its text is small,
// else token by token.
func (l *leash) item(packer *value.Packer, dst []byte) (_ []byte, regular bool, err error) {
	l.whole = true
	text, err := l.dec.ReadValue()
	l.whole = false
	if err == nil {
		dst, regular = packer.Append(dst, text)
		return dst, regular, nil
	}
	if !errors.Is(err, errLargeText) {
		return dst, false, err
	}
	l.start = l.dec.InputOffset()
	dst, regular, err = packer.Read(dst, l.dec)
	l.start = -1
	return dst, regular, err
}

// Read implements io.Reader.
func (l *leash) Read(p []byte) (int, error) {
	start := l.dec.InputOffset()
	if l.start >= 0 {
		start = l.start
	}
	switch ahead := l.given - start; {
	case ahead > l.limit:
		return 0, errLargeItem
	case l.whole && ahead > l.most:
		return 0, errLargeText
	}
	n, err := l.source.Read(p)
	if isWhite(p[:n]) && !l.insideString() {
		n, err = l.skipWhite(p, n)
	}
	l.given += int64(n)
	return n, err
}

// leastWhite is how much white space is worth a gap.
const leastWhite = 32

// isWhite tells whether there is nothing but white space, and much of it.
func isWhite(p []byte) bool {
	if len(p) < leastWhite || p[len(p)-1] > ' ' {
		return false
	}
	for _, c := range p {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// skipWhite reads on to what is not white space only. The first byte of it stays,
// for it may part two values.
func (l *leash) skipWhite(p []byte, n int) (int, error) {
	g := gap{at: l.given + 1, size: int64(n - 1)}
	var err error
	for {
		n, err = l.source.Read(p[1:])
		if !isWhite(p[1 : 1+n]) {
			break
		}
		g.size += int64(n)
	}
	l.offset() // forgets those before
	l.white = append(l.white, g)
	if err == io.EOF {
		err = nil // comes again
	}
	return 1 + n, err
}

// insideString tells whether what the decoder has got ends inside a string. It
// looks at each byte once at most.
func (l *leash) insideString() bool {
	start := l.dec.InputOffset()
	if l.seen < start { // a token ends there
		l.seen, l.inString, l.escaped = start, false, false
	}
	for rest := l.dec.UnreadBuffer()[l.seen-start:]; len(rest) > 0; {
		n := 1
		switch {
		case l.escaped:
			l.escaped = false
		case !l.inString:
			if n = bytes.IndexByte(rest, '"') + 1; n == 0 {
				n = len(rest)
			} else {
				l.inString = true
			}
		default:
			if n = bytes.IndexAny(rest, `"\\`) + 1; n == 0 {
				n = len(rest)
			} else if l.inString = rest[n-1] == '\\'; l.inString {
				l.escaped = true
			}
		}
		rest = rest[n:]
	}
	l.seen = l.given
	return l.inString
}
