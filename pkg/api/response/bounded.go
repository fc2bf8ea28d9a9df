package response

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxItem is the maximum size, in bytes, of an item, and of any single string. An item is
// in memory as a whole, packed.
const maxItem = 128 << 20

// maxText is the maximum size, in bytes, of the text of an item in the buffer of the
// decoder, which doubles as it grows. Larger items are read token by token: this is
// slower, but needs no more memory than the largest token.
const maxText = 1 << 20

var (
	errLargeItem = errors.New("one value of it has more than 128 MiB, which is more than memory should hold")
	errLargeText = errors.New("the text of an item is too large for the buffer")
)

// boundedDecoder limits the memory of a jsontext.Decoder. It returns an error if a single
// value is too large, and withholds long white space. It packs the items of a list
// directly from the text, because the decoder would read them twice. If it cannot pack an
// item, because the item is large or not JSON, the decoder reads the rest of the list and
// reports the error.
type boundedDecoder struct {
	buffered // text that was read, but not yet passed to the decoder
	dec      *jsontext.Decoder
	start    []byte // bytes to pass to the decoder before the text

	given int64 // bytes passed to the decoder; its offsets count these
	whole bool  // item reads a value as a whole
	from  int64 // offset of the item that is read token by token, otherwise -1

	// State of the list with items that are packed directly from the text:

	direct bool  // items are packed directly
	after  bool  // at least one item was packed
	taken  int64 // bytes of the packed items and the white space around them

	gaps    []gap // gaps after the offset of the decoder, in order
	dropped int64 // bytes of the gaps before the offset of the decoder

	// seen is the offset of the decoder up to which insideString has looked. inString and
	// escaped are its state at this offset.
	seen     int64
	inString bool
	escaped  bool
}

// gap is a part of the text that the decoder does not get.
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

// largeItem converts errLargeItem to a user error.
func largeItem(err error) error {
	if errors.Is(err, errLargeItem) {
		return failure.Userf("the response is too large: %w", errLargeItem)
	}
	return err
}

// skipMark skips a byte order mark. JSON does not allow it, but some servers send it.
func (d *boundedDecoder) skipMark() error {
	if err := d.fillTo(len(markUTF8)); err != nil {
		return err
	}
	rest, marked := bytes.CutPrefix(d.text, []byte(markUTF8))
	if marked {
		d.text, d.dropped = rest, int64(len(markUTF8))
	}
	return nil
}

// offset returns the offset of the decoder in the text.
func (d *boundedDecoder) offset() int64 {
	at := d.dec.InputOffset()
	for len(d.gaps) > 0 && d.gaps[0].at < at {
		d.dropped += d.gaps[0].size
		d.gaps = d.gaps[1:]
	}
	return at + d.dropped
}

// addGap adds a gap after the bytes that were passed to the decoder.
func (d *boundedDecoder) addGap(size int64) {
	d.offset() // drops the gaps before the offset
	d.gaps = append(d.gaps, gap{at: d.given, size: size})
}

// beginList begins to read the items of a list. The decoder must have just read the
// opening bracket.
func (d *boundedDecoder) beginList() {
	d.direct = len(d.dec.UnreadBuffer()) == 0
	d.after, d.taken = false, 0
}

// next appends the next item of the list, packed. At the end of the list more is false,
// and the closing bracket is the next token of the decoder.
func (d *boundedDecoder) next(packer *value.Packer, dst []byte) (_ []byte, regular, more bool, err error) {
	if d.direct {
		dst, regular, more, err = d.packNext(packer, dst)
		if more || err != nil {
			return dst, regular, more, err
		}
		if err = d.resumeDecoder(); err != nil {
			return dst, false, false, err
		}
	}
	if d.dec.PeekKind() == ']' {
		return dst, false, false, nil
	}
	dst, regular, err = d.item(packer, dst)
	return dst, regular, err == nil, err
}

// packNext packs the next item directly from the text. ok is false at the end of the
// list, and for an item that the decoder must read.
func (d *boundedDecoder) packNext(packer *value.Packer, dst []byte) (_ []byte, regular, ok bool, err error) {
	size, err := d.skipWhite()
	d.taken += size
	if err != nil && err != io.EOF {
		return dst, false, false, err
	}
	if bytes.HasPrefix(d.text, []byte{']'}) {
		return dst, false, false, nil // reading ahead would be slow with many empty lists
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
			return dst, false, false, ignoreEOF(err)
		}
	}
}

// resumeDecoder lets the decoder continue after the packed items. The decoder gets an
// empty string instead of the items, because a comma may follow.
func (d *boundedDecoder) resumeDecoder() error {
	d.direct = false
	const standIn = `""`
	if !d.after || bytes.HasPrefix(d.text, []byte{']'}) {
		d.addGap(d.taken)
		return nil
	}
	d.addGap(d.taken - int64(len(standIn)))
	d.start = []byte(standIn)
	_, err := d.dec.ReadToken()
	return err
}

// item appends the next value, packed. It reads the value as a whole while its text is
// small, otherwise token by token.
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

// give copies the next bytes of the text to p, the buffer of the decoder. It ends after the
// opening bracket of a list, so that the decoder has no items in its buffer when beginList
// packs them directly from the text. If all bytes are white space, it copies a single byte
// and makes a gap of the rest.
func (d *boundedDecoder) give(p []byte) (int, error) {
	n := min(len(p), len(d.text))
	if !d.whole && d.from < 0 {
		if at := bytes.IndexByte(d.text[:n], '['); at >= 0 {
			n = at + 1
		}
	}
	copy(p, d.text[:n])
	white := n >= leastWhite && whiteSpace(p[:n]) == n && !d.insideString()
	if white {
		n = 1 // separates two values
	}
	d.text = d.text[n:]
	d.given += int64(n)
	if !white {
		return n, nil
	}
	size, err := d.skipWhite()
	d.addGap(size)
	return n, ignoreEOF(err) // the next Read returns io.EOF
}

// leastWhite is the minimum size, in bytes, of white space that becomes a gap.
const leastWhite = 32

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

// insideString reports whether the bytes passed to the decoder end inside a string. It
// looks at each byte at most once.
func (d *boundedDecoder) insideString() bool {
	start := d.dec.InputOffset()
	if d.seen < start { // a token ends at start
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
