package har

import (
	"bytes"
	"encoding/base64"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// notText is the reason to omit a body that is not a text.
const notText = "it is not a text, so it cannot be searched for secrets"

// candidate is a possible character set of a text.
type candidate struct {
	charset encoding.Encoding
	// fits reports whether the decoded body looks like a text.
	fits func(*traits) bool
}

// readText reads a body that is not packed, or packed without a header.
func (l *searcher) readText(open opener, head []byte, depth int, raw traits, found bool) (readResult, error) {
	if raw.isUTF8() {
		if raw.inBase64() {
			if depth == maxDepth {
				return readResult{unknown: tooDeep}, nil
			}
			inner, err := l.readBase64(open, depth)
			if err != nil || inner.found && inner.unknown == "" || inner.unknown == tooDeep {
				return inner, err
			}
		}
		return readResult{found: found, text: true, write: l.masked(open)}, nil
	}
	isText := raw.invalid == 0
	var best *readResult
	for _, c := range l.candidates(head, raw) {
		decoded := func() (io.Reader, error) {
			source, err := open()
			if err != nil {
				return nil, err
			}
			return transform.NewReader(source, c.charset.NewDecoder()), nil
		}
		t, inside, err := l.search(decoded, depth)
		if err != nil {
			return readResult{}, err
		}
		isText = isText || c.fits(&t)
		if inside && best == nil {
			best = &readResult{found: true, write: func(w io.Writer) error {
				out := transform.NewWriter(w, encoding.ReplaceUnsupported(c.charset.NewEncoder()))
				if err := l.masked(decoded)(out); err != nil {
					return err
				}
				return out.Close()
			}}
		}
	}
	if raw.invalid > 0 && best == nil && !found {
		valid := func() (io.Reader, error) { return l.readValid(open) }
		_, inside, err := l.search(valid, depth)
		if err != nil {
			return readResult{}, err
		}
		if inside {
			best = &readResult{found: true, write: l.masked(valid)}
		}
	}
	switch {
	case !isText && depth < maxDepth:
		return l.readUnknown(open, depth)
	case !isText:
		return readResult{unknown: tooDeep}, nil // it may be deflate without a header
	case best != nil:
		return *best, nil
	default:
		return readResult{found: found, text: raw.invalid == 0, write: l.masked(open)}, nil
	}
}

// readValid reads a text as the extractor does: without the bytes that are not UTF-8.
func (l *searcher) readValid(open opener) (io.Reader, error) {
	source, err := open()
	if err != nil {
		return nil, err
	}
	return transform.NewReader(source, transform.Chain(runes.ReplaceIllFormed(), runes.Remove(runes.Predicate(func(r rune) bool { return r == utf8.RuneError })))), nil
}

// candidates returns the possible character sets of a body, the declared ones first. It
// adds others, because an API may not declare them: EBCDIC and wide character sets, which
// encode the letters and digits of ASCII with other bytes, and ISO-8859-1.
func (l *searcher) candidates(head []byte, raw traits) []candidate {
	var all []candidate
	declared := func(charset encoding.Encoding) { all = append(all, candidate{charset, (*traits).isText}) }
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			declared(m.charset)
		}
	}
	for _, charset := range l.charsets {
		declared(charset)
	}
	if raw.zeros > 0 {
		return append(all, wide(head, raw)...)
	}
	return append(all, candidate{charmap.CodePage037, (*traits).isASCII}, candidate{charmap.CodePage1047, (*traits).isASCII}, candidate{charmap.ISO8859_1, (*traits).isMostlyASCII})
}

// marks are the byte order marks. They remain in the text as a character.
var marks = []struct {
	mark    string
	charset encoding.Encoding
}{
	{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
}

// wide returns the character sets of a body with zero bytes, the likely ones first.
func wide(head []byte, raw traits) []candidate {
	order16, order32 := unicode.LittleEndian, utf32.LittleEndian
	if raw.evenZeros*2 > raw.zeros {
		order16 = unicode.BigEndian
	}
	if len(head) > 0 && head[0] == 0 {
		order32 = utf32.BigEndian
	}
	in16 := candidate{unicode.UTF16(order16, unicode.IgnoreBOM), (*traits).isText}
	in32 := candidate{utf32.UTF32(order32, utf32.IgnoreBOM), (*traits).isText}
	if raw.zeros*2 > raw.size {
		return []candidate{in32, in16}
	}
	return []candidate{in16, in32}
}

// readBase64 reads a body in base64, in any alphabet and with lines of any length.
func (l *searcher) readBase64(open opener, depth int) (readResult, error) {
	inner, err := l.read(func() (io.Reader, error) {
		source, err := open()
		if err != nil {
			return nil, err
		}
		return &lenientReader{Reader: base64.NewDecoder(base64.RawStdEncoding, onlyBase64{source})}, nil
	}, depth+1)
	inner.text, inner.packed = true, false
	if write := inner.write; write != nil {
		inner.write = func(w io.Writer) error {
			out := base64.NewEncoder(base64.StdEncoding, w)
			if err := write(out); err != nil {
				return err
			}
			return out.Close()
		}
	}
	return inner, err
}

// onlyBase64 drops padding and white space, and converts the URL alphabet to the standard
// alphabet.
type onlyBase64 struct{ io.Reader }

func (r onlyBase64) Read(p []byte) (int, error) {
	for {
		n, err := r.Reader.Read(p)
		kept := 0
		for _, b := range p[:n] {
			switch b {
			case '=', '\r', '\n', ' ', '\t':
				continue
			case '-':
				b = '+'
			case '_':
				b = '/'
			}
			p[kept] = b
			kept++
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}
