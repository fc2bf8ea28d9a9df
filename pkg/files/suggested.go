package files

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// SuggestedName returns the name that a response gives its file: the name in the header
// Content-Disposition, otherwise the last segment of the path of its URL that is not
// empty. It returns "" if there is neither. The name is any text, see SafeName.
func SuggestedName(header http.Header, u *url.URL) string {
	for _, line := range header.Values("Content-Disposition") {
		if name := dispositionName(line); name != "" {
			return name
		}
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	segment := path[strings.LastIndexByte(path, '/')+1:]
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}

// dispositionName returns the file name in a header Content-Disposition (RFC 6266), or "".
// filename* precedes filename. Unlike mime.ParseMediaType it accepts the headers that
// browsers accept too: blanks without quotes, characters beyond ASCII, encoded words of
// mails, and backslashes of Windows paths.
func dispositionName(line string) string {
	var plain, extended string
	for rest := line; rest != ""; {
		var name, text string
		if name, text, rest = nextParameter(rest); text == "" {
			continue
		}
		switch {
		case strings.EqualFold(name, "filename*") && extended == "":
			extended = extendedText(text)
		case strings.EqualFold(name, "filename") && plain == "":
			plain = decodedText(text)
		}
	}
	if extended != "" {
		return extended
	}
	return plain
}

// nextParameter returns the next part of a header between semicolons, as name and value,
// and the rest of the header.
func nextParameter(line string) (name, text, rest string) {
	at := strings.IndexAny(line, ";=")
	switch {
	case at < 0:
		return "", "", ""
	case line[at] == ';':
		return "", "", line[at+1:]
	}
	name, line = strings.TrimSpace(line[:at]), strings.TrimLeft(line[at+1:], " \t")
	if !strings.HasPrefix(line, `"`) {
		text, rest, _ = strings.Cut(line, ";")
		return name, strings.TrimSpace(text), rest
	}
	text, rest = quotedText(line[1:])
	_, rest, _ = strings.Cut(rest, ";")
	return name, text, rest
}

// quotedText returns the text up to the closing quote, and the rest behind it. A
// backslash escapes only a quote and a backslash, because servers send the backslashes of
// paths without escapes.
func quotedText(line string) (text, rest string) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			return b.String(), line[i+1:]
		case c == '\\' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\'):
			i++
			b.WriteByte(line[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// extendedText decodes a value such as UTF-8'en'na%C3%AFve.txt (RFC 5987). It returns "" if
// the value is not valid.
func extendedText(text string) string {
	charset, rest, ok := strings.Cut(text, "'")
	_, escaped, ok2 := strings.Cut(rest, "'")
	if !ok || !ok2 {
		return ""
	}
	raw, err := url.PathUnescape(escaped)
	if err != nil {
		return ""
	}
	return inUTF8(charset, raw)
}

// inUTF8 converts a text from a character set. It returns "" if the character set is
// unknown or the text is not valid in it.
func inUTF8(charset, raw string) string {
	set, err := htmlindex.Get(charset)
	if err != nil {
		return ""
	}
	text, err := set.NewDecoder().String(raw)
	if err != nil || strings.EqualFold(charset, "utf-8") && !utf8.ValidString(raw) {
		return ""
	}
	return text
}

// decodedText decodes the encoded words of mails (RFC 2047). A text that is not UTF-8 is
// Latin 1, the character set of HTTP headers.
func decodedText(text string) string {
	if !utf8.ValidString(text) {
		if latin, err := charmap.Windows1252.NewDecoder().String(text); err == nil {
			text = latin
		}
	}
	words := mime.WordDecoder{CharsetReader: func(charset string, in io.Reader) (io.Reader, error) {
		set, err := htmlindex.Get(charset)
		if err != nil {
			return nil, err
		}
		return set.NewDecoder().Reader(in), nil
	}}
	if decoded, err := words.DecodeHeader(text); err == nil {
		return decoded
	}
	return text
}
