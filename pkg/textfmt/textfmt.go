// Package textfmt formats numbers, long texts and JSON for people.
package textfmt

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns a number with its noun: "1 row", "2 rows".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Seconds returns a number of seconds with its noun: "1 second", "0.5 seconds".
func Seconds(n float64) string {
	if n == 1 {
		return "1 second"
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " seconds"
}

// Shorten shortens a text to at most most characters. If the text was longer, it appends
// an ellipsis, which is an additional character.
func Shorten(text string, most int) string {
	for at := range text {
		if most--; most < 0 {
			return text[:at] + "…"
		}
	}
	return text
}

// Cut shortens a text to at most most bytes, in whole characters. If the text was longer,
// it appends a blank and an ellipsis.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// Fit shortens a text to at most width characters, including the ellipsis.
func Fit(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return Shorten(text, width-1)
}

// OneLine replaces every unprintable character with a blank, so that the text stays on
// one line and cannot control the terminal.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if isUnprintable(r) {
			return ' '
		}
		return r
	}, text)
}

// Printable replaces unprintable characters with Go escapes, so that a text from another
// source cannot control the terminal. It replaces invalid UTF-8 with U+FFFD.
func Printable(s string) string {
	if strings.IndexFunc(s, isUnprintable) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isUnprintable(r) {
			escaped := strconv.QuoteRune(r)
			b.WriteString(escaped[1 : len(escaped)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// PrintableLines applies Printable to each line of a text.
func PrintableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return strings.Join(lines, "\n")
}

func isUnprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }

// Letters returns the ASCII letters and digits of a name in lower case, so that its
// spellings agree: "API-Key", "api_key" and "apiKey" become "apikey".
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
}

// WriteJSON writes a value as indented JSON. It does not escape <, > and &, which occur
// in URLs.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
