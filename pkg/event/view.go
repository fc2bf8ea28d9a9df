package event

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text as its reader sees it once escapes are undone, with the way
// back to where each byte stood.
type view struct {
	text string
	// at has the place of each byte in the original, and one entry more for its
	// end; nil when the text is the original.
	at []int
}

const (
	// viewDepth is how many escapes around each other are undone: a JSON text in
	// a JSON text in a JSON text, an address in an address.
	viewDepth = 3
	// mostViews bounds the work for a text that has escapes of every kind.
	mostViews = 12
)

// viewsOf lists the text as it is and the ways to undo escapes in it that make a
// difference: JSON, percent-encoding, the same with + for a blank, HTML, and these
// around each other, for an API may give back a JSON body inside a JSON text. What
// needs fewer steps comes first.
func viewsOf(text string) []view {
	views := []view{{text: text}}
	from := 0
	for range viewDepth {
		to := len(views)
		for _, v := range views[from:to] {
			for _, next := range v.unescaped() {
				if len(views) < mostViews && !slices.ContainsFunc(views, func(known view) bool { return known.text == next.text }) {
					views = append(views, next)
				}
			}
		}
		from = to
	}
	return views
}

// unescaped is the view with each kind of escapes undone that it may hold.
func (v view) unescaped() []view {
	var all []view
	for _, kind := range []struct {
		mark   string
		escape func(string) (string, int)
	}{{`\`, jsonEscape}, {"%", percentEscape}, {"+", formEscape}, {"&", htmlEscape}} {
		if strings.Contains(v.text, kind.mark) {
			all = append(all, v.decode(kind.escape))
		}
	}
	return all
}

// span is the part of the original that a part of the view came from; an escape
// that is touched is part of it as a whole.
func (v view) span(from, to int) Span {
	if v.at == nil {
		return Span{from, to}
	}
	for v.at[to] == v.at[to-1] {
		to++
	}
	return Span{v.at[from], v.at[to]}
}

// decode undoes one kind of escapes. The function gets the rest of the text and
// returns what stands at its beginning and how many bytes that took, 0 when
// nothing is escaped there.
func (v view) decode(escape func(rest string) (plain string, size int)) view {
	var b strings.Builder
	at := make([]int, 0, len(v.text)+1)
	for i := 0; i < len(v.text); {
		plain, size := escape(v.text[i:])
		if size == 0 {
			plain, size = v.text[i:i+1], 1
		}
		b.WriteString(plain)
		for range len(plain) {
			at = append(at, v.origin(i))
		}
		i += size
	}
	return view{text: b.String(), at: append(at, v.origin(len(v.text)))}
}

func (v view) origin(i int) int {
	if v.at == nil {
		return i
	}
	return v.at[i]
}

func percentEscape(rest string) (string, int) {
	if rest[0] != '%' {
		return "", 0
	}
	return hexByte(rest, 1)
}

func formEscape(rest string) (string, int) {
	if rest[0] == '+' {
		return " ", 1
	}
	return percentEscape(rest)
}

// jsonEscape knows the escapes of JSON, and \xNN, which quoted Go strings have.
func jsonEscape(rest string) (string, int) {
	if rest[0] != '\\' || len(rest) < 2 {
		return "", 0
	}
	switch c := rest[1]; c {
	case '"', '\\', '/':
		return rest[1:2], 2
	case 'b':
		return "\b", 2
	case 'f':
		return "\f", 2
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case 'x':
		return hexByte(rest, 2)
	case 'u':
		return unicodeEscape(rest)
	default:
		return "", 0
	}
}

// longestEntity is the length of what HTML calls a character by, at most, of those
// that a writer must or might escape.
const longestEntity = len("&#x1F600;")

// htmlEscape knows numbers and the names that are short.
func htmlEscape(rest string) (string, int) {
	if rest[0] != '&' {
		return "", 0
	}
	size := strings.IndexByte(rest[:min(len(rest), longestEntity)], ';') + 1
	if size == 0 {
		return "", 0
	}
	plain := html.UnescapeString(rest[:size])
	if plain == rest[:size] {
		return "", 0
	}
	return plain, size
}

// hexByte reads the two digits at that place.
func hexByte(s string, at int) (string, int) {
	n, ok := hexDigits(s, at, 2)
	if !ok {
		return "", 0
	}
	return string([]byte{byte(n)}), at + 2
}

// unicodeEscape reads \uXXXX, two of them for a character beyond the first
// plane.
func unicodeEscape(s string) (string, int) {
	first, ok := hexDigits(s, 2, 4)
	if !ok {
		return "", 0
	}
	if !utf16.IsSurrogate(first) {
		return string(first), 6
	}
	if len(s) > 8 && s[6:8] == `\u` {
		if second, ok := hexDigits(s, 8, 4); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return string(r), 12
			}
		}
	}
	return string(utf8.RuneError), 6
}

func hexDigits(s string, at, count int) (rune, bool) {
	if len(s) < at+count {
		return 0, false
	}
	n, err := strconv.ParseUint(s[at:at+count], 16, 32)
	return rune(n), err == nil
}
