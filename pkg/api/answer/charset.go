package answer

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// charsetOf is the character set of a setting, nil for UTF-8.
func charsetOf(s field.Section) encoding.Encoding {
	if !s.Present() {
		return nil
	}
	charset, ok := charsetNamed(s.Value.Text())
	if !ok {
		s.Problem("expected the IANA name of a character set that is known here", `for example "utf-8", "utf-16le", "iso-8859-2", "windows-1250" or "shift_jis"`)
	}
	return charset
}

// charsetNamed is the character set of that name, nil for UTF-8. A name that IANA does
// not know may be one of the Web.
func charsetNamed(name string) (charset encoding.Encoding, known bool) {
	name = strings.TrimSpace(name)
	charset, err := ianaindex.IANA.Encoding(name)
	if err != nil || charset == nil {
		charset, err = htmlindex.Get(name)
	}
	if err != nil || charset == encoding.Replacement {
		return nil, false
	}
	if charset == unicode.UTF8 || strings.EqualFold(name, "us-ascii") {
		return nil, true
	}
	return charset, true
}

// The byte order marks.
const (
	markUTF8    = "\xef\xbb\xbf"
	markUTF16BE = "\xfe\xff"
	markUTF16LE = "\xff\xfe"
)

// inUTF8 reads a text in UTF-8, without its byte order mark, which wins over the
// character set; nil is UTF-8. Bytes that are not of UTF-8 are dropped, and dropped
// says so at the end; what another character set does not know becomes U+FFFD.
func inUTF8(r io.Reader, charset encoding.Encoding, dropped *bool) (io.Reader, error) {
	head := make([]byte, len(markUTF8))
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	var mark string
	if mark, charset = marked(head[:n], charset); charset == nil {
		return &cleaner{source: io.MultiReader(bytes.NewReader(head[len(mark):n]), r), dropped: dropped}, nil
	}
	return transform.NewReader(io.MultiReader(bytes.NewReader(head[len(mark):n]), r), charset.NewDecoder()), nil
}

// marked is the byte order mark of a text, "" for none, and the character set.
func marked(head []byte, charset encoding.Encoding) (mark string, _ encoding.Encoding) {
	switch {
	case bytes.HasPrefix(head, []byte(markUTF8)):
		return markUTF8, nil
	case bytes.HasPrefix(head, []byte(markUTF16BE)):
		return markUTF16BE, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(head, []byte(markUTF16LE)):
		return markUTF16LE, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	default:
		return "", charset
	}
}

// cleaner drops the bytes that are not UTF-8.
type cleaner struct {
	source  io.Reader
	dropped *bool // set when there are any; nil where that is known
	in      [4096]byte
	n       int // bytes of in that wait
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
