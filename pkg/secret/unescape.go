package secret

import (
	"bytes"
	"html"
	"unicode/utf16"
	"unicode/utf8"
)

// escapeKind is a kind of escapes. undo appends the character of the escape at the
// beginning of a text, and returns the size of the escape in bytes. It returns 0 if the
// text does not begin with an escape.
type escapeKind struct {
	mark byte // first byte of every escape
	undo func(plain, text []byte) ([]byte, int)
}

// escapeKinds are the escapes of JSON (and \xNN of quoted Go strings),
// percent-encoding, HTML, the character sets UTF-16 and UTF-32, and the doubled quotes
// of CSV. A plus sign instead of a blank is not among them: fold makes the two equal.
var escapeKinds = [...]escapeKind{
	{'\\', jsonEscape},
	{'%', func(plain, text []byte) ([]byte, int) { return hexByte(plain, text, 1) }},
	{'&', htmlEscape},
	{0, wideCharacter},
	{'"', doubledQuote},
	{'\'', doubledQuote},
}

// quoteSet is the set of quotes that are in secrets. Other doubled quotes are not
// undone, because many texts have empty strings ("").
type quoteSet struct{ quotes, apostrophes bool }

func (d quoteSet) skipsKind(kind escapeKind) bool {
	return kind.mark == '"' && !d.quotes || kind.mark == '\'' && !d.apostrophes
}

// wideCharacter decodes an ASCII character in UTF-16 or UTF-32: a byte after one to
// three zero bytes. In little-endian texts, these are the zero bytes of the previous
// character.
func wideCharacter(plain, text []byte) ([]byte, int) {
	const zeros = 3
	for n := 1; n < len(text) && n <= zeros; n++ {
		if text[n] != 0 {
			return append(plain, text[n]), n + 1
		}
	}
	return plain, 0
}

func doubledQuote(plain, text []byte) ([]byte, int) {
	if len(text) < 2 || text[1] != text[0] {
		return plain, 0
	}
	return append(plain, text[0]), 2
}

// maxEscape is the maximum size of an escape in bytes: two surrogates of JSON.
const maxEscape = len(`\ud83d\ude00`)

func jsonEscape(plain, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return plain, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return append(plain, c), 2
	case 'b':
		return append(plain, '\b'), 2
	case 'f':
		return append(plain, '\f'), 2
	case 'n':
		return append(plain, '\n'), 2
	case 'r':
		return append(plain, '\r'), 2
	case 't':
		return append(plain, '\t'), 2
	case 'x':
		return hexByte(plain, text, 2)
	case 'u':
		return unicodeEscape(plain, text)
	default:
		return plain, 0
	}
}

// unicodeEscape decodes \uXXXX, or two of them for a character above U+FFFF.
func unicodeEscape(plain, text []byte) ([]byte, int) {
	first, ok := hexDigits(text, 2, 4)
	if !ok {
		return plain, 0
	}
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(plain, first), 6
	}
	if len(text) > 8 && text[6] == '\\' && text[7] == 'u' {
		if second, ok := hexDigits(text, 8, 4); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return utf8.AppendRune(plain, r), 12
			}
		}
	}
	return utf8.AppendRune(plain, utf8.RuneError), 6
}

// bareEntities are the entities that readers of HTML accept without a semicolon, for
// the characters that must be escaped.
var bareEntities = [...]string{"&amp", "&lt", "&gt", "&quot", "&AMP", "&LT", "&GT", "&QUOT"}

// htmlEscape decodes numeric entities, also with leading zeros and without a semicolon,
// and short named entities.
func htmlEscape(plain, text []byte) ([]byte, int) {
	if size := entityNumber(text); size > 0 {
		plain = append(plain, html.UnescapeString(string(text[:size])+";")...)
		if size < len(text) && text[size] == ';' {
			size++
		}
		return plain, size
	}
	if size := bytes.IndexByte(text, ';') + 1; size >= len("&lt;") {
		entity := string(text[:size])
		character := html.UnescapeString(entity)
		if character != entity && (len(character) == 1 || character[len(character)-1] != ';') {
			return append(plain, character...), size
		}
		// The text is not an entity, or the entity ends before the semicolon.
	}
	for _, name := range bareEntities {
		if bytes.HasPrefix(text, []byte(name)) {
			return append(plain, html.UnescapeString(name)...), len(name)
		}
	}
	return plain, 0
}

// entityNumber returns the size of the numeric entity at the beginning of a text,
// without its semicolon. It returns 0 if the text does not begin with a numeric entity.
func entityNumber(text []byte) int {
	if len(text) < 3 || text[0] != '&' || text[1] != '#' {
		return 0
	}
	first, hex := 2, text[2]|0x20 == 'x'
	if hex {
		first = 3
	}
	end := first
	for end < len(text) && ('0' <= text[end] && text[end] <= '9' || hex && 'a' <= text[end]|0x20 && text[end]|0x20 <= 'f') {
		end++
	}
	if end == first {
		return 0
	}
	return end
}

// hexByte decodes the two hexadecimal digits at index at, the end of the prefix of an
// escape.
func hexByte(plain, text []byte, at int) ([]byte, int) {
	n, ok := hexDigits(text, at, 2)
	if !ok {
		return plain, 0
	}
	return append(plain, byte(n)), at + 2
}

func hexDigits(text []byte, at, count int) (n rune, ok bool) {
	if len(text) < at+count {
		return 0, false
	}
	for _, c := range text[at : at+count] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		n = n<<4 | rune(c)
	}
	return n, true
}
