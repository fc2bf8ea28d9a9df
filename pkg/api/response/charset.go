package response

import (
	"bytes"
	"io"
	"mime"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/keboola/configurable-extractor/pkg/config/field"
)

// charset is the character set of a text. The zero value is UTF-8 by default.
type charset struct {
	name     string            // name for messages, "" for UTF-8 by default
	encoding encoding.Encoding // nil for UTF-8
	// unknown is the charset of the header Content-Type if the name is unknown, otherwise
	// "".
	unknown string
}

func (c charset) label() string {
	if c.encoding == nil {
		return "UTF-8"
	}
	return c.name
}

// charsetOf returns the character set of a setting, or the zero charset if the setting is
// absent.
func charsetOf(s field.Section) charset {
	if !s.Present() {
		return charset{}
	}
	c, ok := charsetNamed(s.Value.Text())
	if !ok {
		s.Problem("expected the IANA name of a character set that is known here", `for example "utf-8", "utf-16le", "iso-8859-2", "windows-1250" or "shift_jis"`)
	}
	return c
}

// Charset returns the configured character set. It returns nil for UTF-8, and if there is
// no configured character set.
func (f Format) Charset() encoding.Encoding { return f.charset.encoding }

// declaration matches a declared character set in a header or at the beginning of a text,
// such as an XML declaration.
var declaration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:encoding|charset)\s*=\s*["']?([a-z0-9_.:-]+)`)
})

// Declared returns the character sets, other than UTF-8, that the header Content-Type and
// the beginning of the text declare.
func Declared(contentType string, head []byte) []encoding.Encoding {
	var all []encoding.Encoding
	for _, text := range []string{contentType, string(head)} {
		name := declaration().FindStringSubmatch(text)
		if name == nil {
			continue
		}
		if c, known := charsetNamed(name[1]); known && c.encoding != nil {
			all = append(all, c.encoding)
		}
	}
	return all
}

// wide has the character sets with units of several bytes, most of them zero.
var wide = map[string]encoding.Encoding{
	"utf-16": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-32": utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "utf-32be": utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "utf-32le": utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
}

// isWide reports whether a character set is one of wide, regardless of its name.
func isWide(e encoding.Encoding) bool {
	for _, w := range wide {
		if e == w {
			return true
		}
	}
	return false
}

// widened maps character sets to the larger sets that are used instead, as in browsers:
// servers name the smaller set and send the larger one. The sets differ only in bytes
// that texts in the smaller set do not use.
var widened = map[encoding.Encoding]encoding.Encoding{
	charmap.ISO8859_1: charmap.Windows1252, charmap.ISO8859_9: charmap.Windows1254, simplifiedchinese.GBK: simplifiedchinese.GB18030,
}

// charsetNamed returns the character set with a name of IANA. If IANA does not have the
// name, it uses the names of the WHATWG Encoding Standard.
func charsetNamed(name string) (c charset, known bool) {
	name = strings.TrimSpace(name)
	if e := wide[strings.ToLower(name)]; e != nil {
		return charset{name: name, encoding: e}, true
	}
	e, err := ianaindex.IANA.Encoding(name)
	if err != nil || e == nil {
		e, err = htmlindex.Get(name)
	}
	if err != nil || e == encoding.Replacement {
		return charset{}, false
	}
	if e == unicode.UTF8 || strings.EqualFold(name, "us-ascii") {
		return charset{name: name}, true
	}
	if larger := widened[e]; larger != nil {
		e = larger
	}
	return charset{name: name, encoding: e}, true
}

// IsCharset reports whether a name is the name of a known character set.
func IsCharset(name string) bool {
	_, known := charsetNamed(name)
	return known
}

// charsetParameter matches the charset in a Content-Type with wrong syntax.
var charsetParameter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[;,\s]charset\s*=\s*["']?([a-z0-9_.:-]+)`)
})

// declaredCharset returns the character set of a header Content-Type.
func declaredCharset(contentType string) charset {
	_, params, err := mime.ParseMediaType(contentType)
	name := params["charset"]
	if found := charsetParameter().FindStringSubmatch(contentType); err != nil && found != nil {
		name = found[1] // another parameter is wrong, such as a file name with blanks
	}
	if name != "" {
		c, known := charsetNamed(name)
		if !known {
			c.unknown = name
		}
		return c
	}
	return charset{}
}

// markUTF8 is the byte order mark of UTF-8.
const markUTF8 = "\xef\xbb\xbf"

// markBytes is the number of bytes that marked and unmarked need.
const markBytes = 4

// marked returns the byte order mark at the beginning of a text with its character set,
// or "".
func marked(head []byte) (mark string, c charset) {
	for _, m := range []struct{ mark, name string }{
		{markUTF8, "utf-8"}, {"\x00\x00\xfe\xff", "utf-32be"}, {"\xff\xfe\x00\x00", "utf-32le"}, {"\xfe\xff", "utf-16be"}, {"\xff\xfe", "utf-16le"},
	} {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.mark, charset{name: m.name, encoding: wide[m.name]}
		}
	}
	return "", charset{}
}

// unmarked detects UTF-16 and UTF-32 without a byte order mark by the zero bytes of ASCII
// characters at the beginning.
func unmarked(head []byte) (c charset, ok bool) {
	if len(head) < markBytes {
		return charset{}, false
	}
	var zeros [markBytes]byte
	for i := range zeros {
		zeros[i] = '0'
		if head[i] != 0 {
			zeros[i] = 'x'
		}
	}
	name, ok := map[string]string{"x0x0": "utf-16le", "0x0x": "utf-16be", "x000": "utf-32le", "000x": "utf-32be"}[string(zeros[:])]
	return charset{name: name, encoding: wide[name]}, ok
}

// charset returns the character set of the text and the byte order mark. Precedence: the
// mark, the configuration, zero bytes at the beginning, the header. The header is ignored
// if the text is UTF-8, because many servers send UTF-8 and declare another character
// set.
func (s *Spool) charset(configured charset) (c charset, mark string, err error) {
	head, err := s.Head(markBytes)
	if err != nil {
		return charset{}, "", err
	}
	if mark, c := marked(head); mark != "" {
		return c, mark, nil
	}
	if configured.name != "" {
		return configured, "", nil
	}
	if c, ok := unmarked(head); ok {
		return c, "", nil
	}
	switch c := s.declared; {
	case c.encoding == nil:
		return c, "", nil
	case extendsASCII(c.encoding):
		if s.HasInvalidUTF8() {
			return c, "", nil
		}
		return charset{}, "", nil
	default:
		return s.decideCharset(c)
	}
}

// inUTF8 returns a reader of the text in UTF-8, without its byte order mark, and the
// original character set.
func (s *Spool) inUTF8(configured charset, damaged *bool) (io.Reader, charset, error) {
	c, mark, err := s.charset(configured)
	if err != nil {
		return nil, c, err
	}
	raw := s.Raw()
	_, err = io.CopyN(io.Discard, raw, int64(len(mark)))
	return c.inUTF8(raw, damaged), c, err
}

// decideCharset decides between UTF-8 and a declared character set that does not extend
// ASCII. A text in UTF-16 or UTF-32 has zero bytes. A text in EBCDIC has letters and
// digits beyond ASCII.
func (s *Spool) decideCharset(c charset) (charset, string, error) {
	zero, beyond, err := zeroAndBeyond(s.Raw())
	switch isWide := isWide(c.encoding); {
	case err != nil:
		return charset{}, "", err
	case isWide && zero < 0, !isWide && beyond && !s.HasInvalidUTF8(), !isWide && !beyond && !decodesUnchanged(c.encoding, []byte("a1")):
		return charset{}, "", nil
	case isWide && strings.EqualFold(c.name, "utf-16") && zero%2 == 1:
		c.encoding = wide["utf-16le"]
	}
	return c, "", nil
}

// zeroAndBeyond returns the offset of the first zero byte, or -1, and whether there are
// bytes beyond ASCII.
func zeroAndBeyond(r io.Reader) (zero int64, beyond bool, err error) {
	zero = -1
	buf := make([]byte, window)
	for at := int64(0); ; {
		n, err := r.Read(buf)
		for _, b := range buf[:n] {
			beyond = beyond || b >= 0x80
		}
		if i := bytes.IndexByte(buf[:n], 0); i >= 0 && zero < 0 {
			zero = at + int64(i)
		}
		at += int64(n)
		if err == io.EOF || zero >= 0 && beyond {
			return zero, beyond, nil
		}
		if err != nil {
			return 0, false, rereading(err)
		}
	}
}

// extendsASCII reports whether a character set decodes all of ASCII unchanged.
func extendsASCII(e encoding.Encoding) bool {
	var ascii [0x80]byte
	for i := range ascii {
		ascii[i] = byte(i)
	}
	return decodesUnchanged(e, ascii[:])
}

// decodesUnchanged reports whether a character set decodes these bytes of ASCII
// unchanged.
func decodesUnchanged(e encoding.Encoding, ascii []byte) bool {
	text, err := e.NewDecoder().Bytes(ascii)
	return err == nil && bytes.Equal(text, ascii)
}
