package har

import (
	"unicode"
	"unicode/utf8"
)

// traits distinguish texts from other bytes. Write counts them; it expects UTF-8.
type traits struct {
	size, zeros, evenZeros int64
	// invalid counts bytes that are not UTF-8, and characters that a decoder did not
	// know.
	invalid int64
	// controls counts control characters of ASCII that do not occur in texts. late counts
	// control characters from U+0080 on, which occur in texts that are read in a wrong
	// character set. plain counts printable characters of ASCII, and graphic all
	// printable characters.
	controls, late, characters, plain, graphic int64
	// foreign is set if there is a character outside base64. encoded counts the
	// characters of base64.
	foreign bool
	encoded int64

	rest []byte // start of a character that the next write completes
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

// end counts an incomplete character at the end.
func (t *traits) end() {
	t.count(t.rest, true)
	t.rest = nil
}

// count counts the characters of a text, and returns an incomplete character at its end.
// If all is set, it counts the incomplete character, too.
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
	case r == 0x1a, r == 0x1b, 0x1c <= r && r <= 0x1f, r == 0x7f, r == '\b': // used by old programs
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

// leastEncoded is the minimum number of characters of a body that is treated as base64.
const leastEncoded = 8

// inBase64 reports whether the whole body may be base64.
func (t *traits) inBase64() bool { return !t.foreign && t.encoded >= leastEncoded }

func (t *traits) isUTF8() bool { return t.invalid == 0 && t.zeros == 0 }

// large is the number of characters that do not lack control characters by chance: among
// 256 packed or encrypted bytes, about 20 are control characters.
const large = 256

// isText reports whether the body looks like a text in a declared character set.
func (t *traits) isText() bool {
	return t.controls == 0 && t.late == 0 && (t.invalid+t.characters-t.graphic)*10 <= t.characters
}

// isMostlyASCII reports whether the body looks like a text in a guessed character set.
func (t *traits) isMostlyASCII() bool {
	return t.controls == 0 && (t.plain*10 >= t.characters*6 || t.characters >= large)
}

// isASCII reports whether the body looks like a text of almost only ASCII.
func (t *traits) isASCII() bool {
	return t.controls == 0 && t.late == 0 && t.graphic == t.characters && t.plain*10 >= t.characters*9
}
