package response

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxItem is how many bytes one item, or one text anywhere, may have: it is
// in memory as a whole, packed.
const maxItem = 128 << 20

// maxText is how many bytes the text of an item may have in a buffer, which
// doubles as it grows. A larger one is read token by token, which takes longer but
// no more memory than its largest token.
const maxText = 1 << 20

var (
	errLargeItem = errors.New("one value of it has more than 128 MiB, which is more than memory should hold")
	errLargeText = errors.New("the text of an item is too large for the buffer")
)

// boundedDecoder keeps a decoder from reading on and on for a single value, and from
// holding white space. The items of a list do not pass through the decoder, which
// would read them twice: they are packed where they stand. Only where one of them is
// not taken (it is large, or no JSON), the decoder gets the rest of the list, and
// says what is wrong.
type boundedDecoder struct {
	buffered // what was read of the text, and not given
	dec      *jsontext.Decoder
	start    []byte // to be given before the text

	given int64 // bytes the decoder got; its offsets count these
	whole bool  // an item is read as a whole
	from  int64 // offset of the item that is read token by token, else -1

	// Of the list whose items are packed where they stand:

	direct bool
	after  bool  // an item was there
	taken  int64 // bytes

	gaps    []gap // that the decoder has not come to, in order
	dropped int64 // bytes of the gaps before it

	// What was looked at to distinguish white space from blanks in a string, up to an
	// offset of the decoder.
	seen     int64
	inString bool
	escaped  bool
}

// gap is a part of the text that the decoder did not get.
type gap struct {
	at   int64 // offset of the decoder
	size int64
}

func (s *Spool) bounded(offset int64) (_ *boundedDecoder, err error) {
	d := &boundedDecoder{from: -1}
	if d.buffered, err = s.buffered(offset); err != nil {
		return nil, err
	}
	d.dec = value.NewDecoder(d)
	return d, nil
}

// largeItem makes a user error of a value that is too large.
func largeItem(err error) error {
	if errors.Is(err, errLargeItem) {
		return failure.Userf("the response is too large: %w", errLargeItem)
	}
	return err
}

// skipMark steps over a byte order mark, which some servers send although JSON
// knows none.
func (d *boundedDecoder) skipMark() error {
	const mark = "\xef\xbb\xbf"
	for len(d.text) < len(mark) {
		if err := d.fill(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	if string(d.text[:len(mark)]) == mark {
		d.text = d.text[len(mark):]
		d.dropped = int64(len(mark))
	}
	return nil
}

// offset is where the decoder is in the text.
func (d *boundedDecoder) offset() int64 {
	at := d.dec.InputOffset()
	for len(d.gaps) > 0 && d.gaps[0].at < at {
		d.dropped += d.gaps[0].size
		d.gaps = d.gaps[1:]
	}
	return at + d.dropped
}

// leave makes a gap at the end of what the decoder got.
func (d *boundedDecoder) leave(size int64) {
	d.offset() // forgets those before
	d.gaps = append(d.gaps, gap{at: d.given, size: size})
}

// list begins with the items of the list whose bracket the decoder has just read.
func (d *boundedDecoder) list() {
	d.direct = len(d.dec.UnreadBuffer()) == 0
	d.after, d.taken = false, 0
}

// next appends the next item of the list, packed; more is false at its end, where
// the decoder comes to the bracket.
func (d *boundedDecoder) next(packer *value.Packer, dst []byte) (_ []byte, regular, more bool, err error) {
	if d.direct {
		dst, regular, more, err = d.take(packer, dst)
		if more || err != nil {
			return dst, regular, more, err
		}
		if err = d.giveRest(); err != nil {
			return dst, false, false, err
		}
	}
	if d.dec.PeekKind() == ']' {
		return dst, false, false, nil
	}
	dst, regular, err = d.item(packer, dst)
	return dst, regular, err == nil, err
}

// take packs the next item where it stands; ok is false when there is none, or one
// that the decoder should read.
func (d *boundedDecoder) take(packer *value.Packer, dst []byte) (_ []byte, regular, ok bool, err error) {
	size, err := d.skipWhite()
	d.taken += size
	if err != nil && err != io.EOF {
		return dst, false, false, err
	}
	if bytes.HasPrefix(d.text, []byte{']'}) {
		return dst, false, false, nil // without reading on, which costs time where many lists are empty
	}
	at := 0
	if d.after {
		if !bytes.HasPrefix(d.text, []byte{','}) {
			return dst, false, false, nil
		}
		at = 1
	}
	start := len(dst)
	for {
		n := 0
		dst, n, regular = packer.Next(dst, d.text[at:])
		if n > 0 && at+n < len(d.text) && int64(n) <= d.home.item {
			d.text = d.text[at+n:]
			d.taken += int64(at + n)
			d.after = true
			return dst, regular, true, nil
		}
		dst = dst[:start]
		if int64(len(d.text)) >= min(d.home.text, d.home.item) {
			return dst, false, false, nil
		}
		if err := d.fill(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return dst, false, false, err
		}
	}
}

// giveRest has the decoder continue with the list after the items that were taken. An
// empty string stands for them: what follows them may be a comma.
func (d *boundedDecoder) giveRest() error {
	d.direct = false
	const standIn = `""`
	if !d.after || bytes.HasPrefix(d.text, []byte{']'}) {
		d.leave(d.taken)
		return nil
	}
	d.leave(d.taken - int64(len(standIn)))
	d.start = []byte(standIn)
	_, err := d.dec.ReadToken()
	return err
}

// item appends the next value, packed: read as a whole while its text is small,
// else token by token.
func (d *boundedDecoder) item(packer *value.Packer, dst []byte) (_ []byte, regular bool, err error) {
	d.whole = true
	text, err := d.dec.ReadValue()
	d.whole = false
	if err == nil {
		dst, regular = packer.Append(dst, text)
		return dst, regular, nil
	}
	if !errors.Is(err, errLargeText) {
		return dst, false, err
	}
	d.from = d.dec.InputOffset()
	dst, regular, err = packer.Read(dst, d.dec)
	d.from = -1
	return dst, regular, err
}

// Read implements io.Reader for the decoder.
func (d *boundedDecoder) Read(p []byte) (int, error) {
	from := d.dec.InputOffset()
	if d.from >= 0 {
		from = d.from
	}
	switch ahead := d.given - from; {
	case ahead > d.home.item:
		return 0, errLargeItem
	case d.whole && ahead > d.home.text:
		return 0, errLargeText
	}
	if len(d.start) > 0 {
		n := copy(p, d.start)
		d.start = d.start[n:]
		d.given += int64(n)
		return n, nil
	}
	if len(d.text) == 0 {
		if err := d.fill(); err != nil {
			return 0, err
		}
	}
	return d.give(p)
}

// give gives the decoder what comes next of the text: no more than one bracket of a
// list, whose items may be packed where they stand, and no more than one byte of
// white space.
func (d *boundedDecoder) give(p []byte) (int, error) {
	n := min(len(p), len(d.text))
	if !d.whole && d.from < 0 {
		if at := bytes.IndexByte(d.text[:n], '['); at >= 0 {
			n = at + 1
		}
	}
	copy(p, d.text[:n])
	white := isWhite(p[:n]) && !d.insideString()
	if white {
		n = 1 // it may part two values
	}
	d.text = d.text[n:]
	d.given += int64(n)
	if !white {
		return n, nil
	}
	size, err := d.skipWhite()
	d.leave(size)
	if err == io.EOF {
		err = nil // comes again
	}
	return n, err
}

// leastWhite is how much white space is worth a gap.
const leastWhite = 32

// isWhite reports whether there is only white space, and much of it.
func isWhite(p []byte) bool {
	return len(p) >= leastWhite && whiteSpace(p) == len(p)
}

func whiteSpace(text []byte) int {
	for i, c := range text {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return i
		}
	}
	return len(text)
}

func (d *boundedDecoder) skipWhite() (size int64, err error) {
	for {
		n := whiteSpace(d.text)
		d.text = d.text[n:]
		size += int64(n)
		if len(d.text) > 0 {
			return size, nil
		}
		if err := d.fill(); err != nil {
			return size, err
		}
	}
}

// insideString reports whether what the decoder has got ends inside a string. It
// looks at each byte once at most.
func (d *boundedDecoder) insideString() bool {
	start := d.dec.InputOffset()
	if d.seen < start { // a token ends there
		d.seen, d.inString, d.escaped = start, false, false
	}
	for rest := d.dec.UnreadBuffer()[d.seen-start:]; len(rest) > 0; {
		n := 1
		switch {
		case d.escaped:
			d.escaped = false
		case !d.inString:
			if n = bytes.IndexByte(rest, '"') + 1; n == 0 {
				n = len(rest)
			} else {
				d.inString = true
			}
		default:
			if n = bytes.IndexAny(rest, `"\\`) + 1; n == 0 {
				n = len(rest)
			} else if d.inString = rest[n-1] == '\\'; d.inString {
				d.escaped = true
			}
		}
		rest = rest[n:]
	}
	d.seen = d.given
	return d.inString
}
