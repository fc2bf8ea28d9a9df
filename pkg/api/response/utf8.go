package response

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// inUTF8 converts a text without a byte order mark to UTF-8. It drops bytes that are not
// UTF-8; in other character sets, invalid bytes become U+FFFD. Both set damaged.
func (c charset) inUTF8(r io.Reader, damaged *bool) io.Reader {
	if c.encoding == nil {
		return &cleaner{source: r, dropped: damaged}
	}
	return transform.NewReader(r, newDecoder(c.encoding, damaged))
}

// textDecoder decodes a character set and detects invalid bytes.
type textDecoder struct {
	*encoding.Decoder
	replacement []byte // U+FFFD in the character set, nil if it does not have the character
	damaged     *bool
}

// inUnicode is U+FFFD in UTF-8.
var inUnicode = []byte("\uFFFD")

func newDecoder(e encoding.Encoding, damaged *bool) *textDecoder {
	d := &textDecoder{Decoder: e.NewDecoder(), damaged: damaged}
	if own, err := e.NewEncoder().Bytes(inUnicode); err == nil {
		d.replacement = own
	}
	return d
}

// Transform implements transform.Transformer. It distinguishes a U+FFFD in the text from
// one that replaces invalid bytes. Only a decoder can do this, because it sees whole
// characters.
func (d *textDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = d.Decoder.Transform(dst, src, atEOF)
	if n := bytes.Count(dst[:nDst], inUnicode); n > 0 && !*d.damaged {
		*d.damaged = len(d.replacement) == 0 || n > bytes.Count(src[:nSrc], d.replacement)
	}
	return nDst, nSrc, err
}

// cleaner drops bytes that are not UTF-8.
type cleaner struct {
	source  io.Reader
	dropped *bool // set to true if bytes are dropped; may be nil
	in      [4096]byte
	n       int // number of bytes in in that begin an incomplete character
	out     []byte
	err     error
}

func (c *cleaner) Read(p []byte) (int, error) {
	for len(c.out) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		c.fill()
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

func (c *cleaner) fill() {
	var n int
	n, c.err = c.source.Read(c.in[c.n:])
	rest := c.in[:c.n+n]
	c.out = c.out[:0]
	if utf8.Valid(rest) {
		c.out, c.n = append(c.out, rest...), 0
		return
	}
	for len(rest) > 0 {
		if c.err == nil && !utf8.FullRune(rest) {
			break
		}
		r, size := utf8.DecodeRune(rest)
		if r != utf8.RuneError || size > 1 {
			c.out = append(c.out, rest[:size]...)
		} else if c.dropped != nil {
			*c.dropped = true
		}
		rest = rest[size:]
	}
	c.n = copy(c.in[:], rest)
}
