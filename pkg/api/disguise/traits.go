package disguise

import (
	"unicode"
	"unicode/utf8"
)

// traits distinguish texts from other bytes. Write counts them; it expects UTF-8.
type traits struct {
	size, zeros, evenZeros int64
	// invalid counts bytes that are not of UTF-8, and characters that a decoder did not
	// know.
	invalid int64
	// controls counts control characters of ASCII that no text has.
	// late counts those from U+0080: a text has them if it is read in a wrong character set.
	// plain counts printable characters of ASCII, graphic all printable characters.
	controls, late, characters, plain, graphic int64
	// foreign is set after a character that base64 does not have. encoded counts the
	// characters that it has.
	foreign bool
	encoded int64

	rest []byte // of a character that the next write completes
}

// Write implements io.Writer.
func (t *traits) Write(p []byte) (int, error) {
	for _, b := range p {
		if b == 0 {
			t.zeros++
			t.evenZeros += (t.size + 1) % 2
		}
		t.size++
	}
	text := p
	if len(t.rest) > 0 {
		text = append(t.rest, p...)
	}
	text = t.count(text, false)
	t.rest = append([]byte(nil), text...)
	return len(p), nil
}

// end counts a character that is not complete.
func (t *traits) end() {
	t.count(t.rest, true)
	t.rest = nil
}

// count counts the characters of a text, and returns what may be the beginning of one.
func (t *traits) count(text []byte, all bool) []byte {
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			if !all && !utf8.FullRune(text) {
				return text
			}
			r, size = utf8.DecodeRune(text)
		}
		t.add(r)
		text = text[size:]
	}
	return nil
}

func (t *traits) add(r rune) {
	t.characters++
	switch {
	case ' ' <= r && r <= '~', '\t' <= r && r <= '\r':
		t.plain++
		t.graphic++
	case r == utf8.RuneError:
		t.invalid++
	case r == 0x1a, r == 0x1b, 0x1c <= r && r <= 0x1f, r == 0x7f, r == '\b': // that old programs write
	case r < ' ':
		t.controls++
	case r < 0xa0 && r != 0x85:
		t.late++
	case unicode.IsGraphic(r) || r == 0x85 || r == 0xfeff:
		t.graphic++
	}
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '+', r == '/', r == '-', r == '_':
		t.encoded++
	case r == '=', r == '\r', r == '\n', r == ' ', r == '\t':
	default:
		t.foreign = true
	}
}

// leastEncoded is the minimum number of characters of a body that is taken for base64.
const leastEncoded = 8

// inBase64 reports whether it may all be base64.
func (t *traits) inBase64() bool { return !t.foreign && t.encoded >= leastEncoded }

// isUTF8 reports whether it is a text in UTF-8.
func (t *traits) isUTF8() bool { return t.invalid == 0 && t.zeros == 0 }

// large is the number of characters that are not free of control characters by chance: of
// 256 packed or encrypted bytes, about 20 are such characters.
const large = 256

// isText reports whether it reads like a text in a character set that was declared.
func (t *traits) isText() bool {
	return t.controls == 0 && t.late == 0 && (t.invalid+t.characters-t.graphic)*10 <= t.characters
}

// isMostlyASCII reports whether it reads like a text in a character set that was guessed.
func (t *traits) isMostlyASCII() bool {
	return t.controls == 0 && (t.plain*10 >= t.characters*6 || t.characters >= large)
}

// isASCII reports whether it reads like a text almost without other characters.
func (t *traits) isASCII() bool {
	return t.controls == 0 && t.late == 0 && t.graphic == t.characters && t.plain*10 >= t.characters*9
}
