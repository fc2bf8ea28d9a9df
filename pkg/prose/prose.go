// Package prose writes numbers, long texts and JSON as people read them.
package prose

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Count is a number of things: "1 row", "2 rows".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Shorten is a text of which at most so many characters are kept; an ellipsis
// follows when there are more.
func Shorten(text string, most int) string {
	for at := range text {
		if most--; most < 0 {
			return text[:at] + "…"
		}
	}
	return text
}

// Cut is a text of which at most so many bytes are kept, in whole characters; an
// ellipsis follows when there are more.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// Fit is a text of at most so many characters, the ellipsis included.
func Fit(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return Shorten(text, width-1)
}

// WriteJSON writes a value as indented JSON. The characters <, > and & are not
// escaped: addresses have them.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
