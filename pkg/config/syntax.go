package config

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// SyntaxHint suggests how to fix a text that is not JSON. It recognizes a byte order
// mark, and the syntax of JavaScript, YAML and Python.
func SyntaxHint(text []byte, err *value.SyntaxError) string {
	if hint := encodingHint(text); hint != "" {
		return hint
	}
	rest := string(text[min(err.Offset, len(text)):])
	behind := strings.TrimLeft(strings.TrimPrefix(rest, ","), " \t\r\n")
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return "the file is empty: 'extractor init' writes a configuration to begin with"
	case rest == "":
		return "close its last quote and all of its brackets"
	case hasAnyPrefix(rest, "'", "‘", "’", "“", "”", "`"):
		return "write names and texts in double quotes: \""
	case hasAnyPrefix(rest, "/", "#"):
		return "JSON has no comments; write a note under a key that begins with \"__\""
	case hasAnyPrefix(rest, ",") && hasAnyPrefix(behind, "}", "]"):
		return "remove this comma, nothing follows it"
	case hasAnyPrefix(rest, "True", "False", "None"):
		return "write true, false or null"
	case hasAnyPrefix(rest, "NaN", "Infinity", "-Infinity", "+Infinity", "undefined"):
		return "JSON has no such value: write a number, a text or null"
	case hasAnyPrefix(rest, "\u00a0", "\u200b", "\ufeff"):
		return "remove the invisible character here: JSON allows only blanks, tabs and line breaks between values"
	case hasAnyPrefix(rest, "\n", "\r", "\t") && strings.Contains(err.Reason, "in string"):
		return "close the quote, or write a line break as \\n and a tab as \\t"
	case hasAnyPrefix(rest, "\\"):
		return "write a backslash twice: \\\\"
	case nameWithoutQuotes(rest):
		return "write the name in double quotes"
	}
	return "look at the comma, the quote or the bracket here and just before"
}

func hasAnyPrefix(text string, any ...string) bool {
	for _, beginning := range any {
		if strings.HasPrefix(text, beginning) {
			return true
		}
	}
	return false
}

// encodingHint returns a hint if a text begins with a byte order mark or is UTF-16,
// otherwise "".
func encodingHint(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return "the file begins with a byte order mark: save it as UTF-8 without one (without BOM)"
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")),
		bytes.HasPrefix(text, []byte("{\x00")), bytes.HasPrefix(text, []byte("\x00{")):
		return "the file is UTF-16: save it as UTF-8"
	}
	return ""
}

// nameWithoutQuotes reports whether a text begins with a name and a colon, as in
// JavaScript.
func nameWithoutQuotes(rest string) bool {
	name, _, ok := strings.Cut(rest, ":")
	name = strings.TrimRight(name, " \t")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '$' && r != '-' && r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
