package response

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// noOtherFormat returns an error if the text is an HTML page, or a document of another
// format. APIs often send these instead of an empty list of records.
func (t *textReader) noOtherFormat() error {
	_ = t.fillTo(window) // an error recurs with the next read
	head := bytes.TrimLeft(t.text[:min(len(t.text), window)], " \t\r\n")
	switch whole := len(t.text) < window; {
	case isHTML(head):
		return t.malformed("it is an HTML page")
	case hasPrefixFold(head, "<?xml"):
		return t.malformed("it is XML")
	case whole && len(head) > 0 && (head[0] == '{' || head[0] == '[') && json.Valid(head):
		return t.malformed("it is JSON")
	default:
		return nil
	}
}

func isHTML(head []byte) bool {
	return hasPrefixFold(head, "<!doctype html") || hasPrefixFold(head, "<html")
}

func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}

// hint returns a hint about the setting that reads a response that is not in its format,
// or "". It looks only at the beginning of the response.
func (d *decodeState) hint(m *formatError, head []byte, redact func(string) string) string {
	f := d.query.Format
	if m.packed != "" {
		return f.unpackHint(m, m.packed)
	}
	if packed := CompressionOf(head); packed != "" && (m.what != "" || f.Plain()) {
		return f.unpackHint(m, packed)
	}
	if login := loginPage(head, redact); m.what == "" && login != "" {
		return login
	}
	if m.what != "" || f.Name != "" {
		return ""
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(markUTF8)), " \t\r\n")
	switch {
	case isHTML(text):
		return ""
	case bytes.HasPrefix(text, []byte("<")):
		return `"response": {"format": "xml"} reads XML`
	case isLines(text):
		return `"response": {"format": "jsonl"} reads one value a line`
	default:
		if c := delimiterOf(text); c != 0 {
			return csvHint(c)
		}
		return ""
	}
}

// packedHead is the number of bytes that CompressionOf needs.
const packedHead = 4

// unpackHint returns a hint about the setting that unpacks a file with the magic bytes of
// a compression, or "".
func (f Format) unpackHint(m *formatError, wrapper string) string {
	switch {
	case m.what != "" && (m.what == wrapper || m.what != f.unpack[0]):
		return "" // the file is damaged, or a compressed file inside another one
	case m.what != "":
		return `it is a file in ` + wrapper + `: set "unpack" to "` + wrapper + `"`
	case len(f.unpack) > 0:
		return `"unpack": ["` + strings.Join(append(slices.Clone(f.unpack), wrapper), `", "`) + `"] reads it`
	case wrapper == "zip":
		return `"response": {"unpack": "zip"} reads the files of a zip`
	default:
		return `"response": {"unpack": "` + wrapper + `"} reads a file in ` + wrapper
	}
}

func csvHint(delimiter byte) string {
	switch delimiter {
	case ',':
		return `"response": {"format": "csv"} reads CSV`
	case '\t':
		return `"response": {"format": "csv", "delimiter": "\t"} reads values separated by tabs`
	default:
		return `"response": {"format": "csv", "delimiter": "` + string(delimiter) + `"} reads CSV`
	}
}

// isLines reports whether the first two lines are JSON values.
func isLines(text []byte) bool {
	first, rest, ok := bytes.Cut(text, []byte("\n"))
	second, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte("\n"))
	return ok && json.Valid(first) && json.Valid(second)
}
