package httpclient

import (
	"fmt"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// Piece is a part of an endpoint: a text of the configuration, or a value inserted into
// it.
type Piece struct {
	Text string
	// Value is true if the piece is a value.
	Value bool
	// Encoded is true if the value is already percent-encoded.
	Encoded bool
	// Name names the value in errors, as in "the placeholder 'id'".
	Name string
}

// Endpoint joins the pieces of an endpoint. It encodes the characters of a value that
// would change the structure of the URL: # ? % + & and blanks, depending on the part of
// the URL. A slash stays, because a value may be a path. A value that begins the endpoint
// is a URL and stays unchanged. It is a user error if a value makes a segment . or .., or
// changes the host.
func Endpoint(pieces []Piece) (string, error) {
	e := endpoint{pieces: pieces, absolute: isAbsolute(beginning(pieces))}
	for i, p := range pieces {
		if err := e.add(i, p); err != nil {
			return "", err
		}
	}
	if err := e.checkDots(); err != nil {
		return "", err
	}
	switch text := string(e.text); {
	case e.absolute || !isAbsolute(text):
		return text, nil
	case text[0] == '/':
		return "/." + text, nil // a dot segment keeps the path from being a host
	default:
		return "./" + text, nil
	}
}

// Harmless reports whether a value has only letters, digits, - and _. Such a value needs
// no encoding in any part of a URL.
func Harmless(value string) bool {
	for i := range len(value) {
		if c := value[i]; c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// beginning returns the text up to the first value that is not the first piece. It
// decides whether the endpoint is an absolute URL.
func beginning(pieces []Piece) string {
	var text strings.Builder
	for i, p := range pieces {
		if p.Value && i > 0 {
			break
		}
		text.WriteString(p.Text)
	}
	return text.String()
}

func isAbsolute(endpoint string) bool {
	return hasScheme(endpoint) || strings.HasPrefix(endpoint, "//")
}

// endpoint is the state of joining pieces.
type endpoint struct {
	pieces   []Piece
	absolute bool
	text     []byte
	values   []valueRange // values in the path
}

// valueRange is the range of text that a value takes up.
type valueRange struct {
	start, end int
	name       string
}

func (e *endpoint) add(i int, p Piece) error {
	if !p.Value || i == 0 {
		e.text = append(e.text, p.Text...)
		return nil
	}
	e.closeEscape()
	start := len(e.text)
	switch where := e.where(); {
	case where == inHost && e.beginsPath(i):
		e.text = appendEncoded(e.text, p.Text, "#?", true)
	case where == inHost:
		if err := e.checkHost(i); err != nil {
			return err
		}
		e.text = append(e.text, p.Text...)
	case p.Encoded || where == inFragment:
		e.text = append(e.text, p.Text...)
	case where == inQuery && e.isName(i):
		e.text = appendEncoded(e.text, p.Text, "&#+%=", false)
	case where == inQuery:
		e.text = appendEncoded(e.text, p.Text, "&#+%", false)
	default:
		e.text = appendEncoded(e.text, p.Text, "#?", true)
	}
	e.values = append(e.values, valueRange{start, len(e.text), p.Name})
	return nil
}

// closeEscape encodes a percent sign at the end of the text. Otherwise the next value
// could complete it to an escape.
func (e *endpoint) closeEscape() {
	n := len(e.text)
	for _, digits := range []int{0, 1} {
		at := n - 1 - digits
		if at < 0 || e.text[at] != '%' || digits == 1 && !isHex(e.text[n-1]) {
			continue
		}
		rest := string(e.text[at+1:])
		e.text = append(append(e.text[:at], "%25"...), rest...)
		return
	}
}

// position is a part of a URL.
type position int

const (
	inPath position = iota
	inHost
	inQuery
	inFragment
)

// where returns the part of the URL at the end of the text.
func (e *endpoint) where() position {
	text := string(e.text)
	switch {
	case strings.Contains(text, "#"):
		return inFragment
	case strings.Contains(text, "?"):
		return inQuery
	case !e.absolute:
		return inPath
	}
	_, authority, ok := strings.Cut(text, "//")
	if ok && strings.Contains(authority, "/") {
		return inPath
	}
	return inHost
}

// beginsPath reports whether a value directly after a host is a path. Such a value begins
// with a slash, and no text that continues the host follows it.
func (e *endpoint) beginsPath(i int) bool {
	return strings.HasPrefix(e.pieces[i].Text, "/") && !strings.HasSuffix(string(e.text), "/") && !strings.HasSuffix(string(e.text), "@") && e.endsHost(i)
}

func (e *endpoint) endsHost(i int) bool {
	return i+1 == len(e.pieces) || e.pieces[i+1].Value || strings.IndexAny(e.pieces[i+1].Text, "/?#") == 0
}

// checkHost refuses a value in the host of a URL that would end the host, or make another
// part of the URL the host. A value that is the whole host may have a port and a path.
func (e *endpoint) checkHost(i int) error {
	forbidden := "/?#@\\%:[]"
	begins := strings.HasSuffix(string(e.text), "//") || strings.HasSuffix(string(e.text), "@")
	if begins && e.endsHost(i) && (i+1 == len(e.pieces) || !e.pieces[i+1].Value) {
		forbidden = "?#@\\%"
	}
	for _, c := range []byte(e.pieces[i].Text) {
		if blank(c) || strings.IndexByte(forbidden, c) >= 0 {
			return failure.Userf("%s is part of the host in the URL and contains a character that is not allowed in a host", e.pieces[i].Name)
		}
	}
	return nil
}

// isName reports whether a value in the query belongs to the name of a parameter, because
// the configuration continues with = after it.
func (e *endpoint) isName(i int) bool {
	text := string(e.text)
	if strings.Contains(text[max(strings.LastIndexByte(text, '&'), strings.IndexByte(text, '?')):], "=") {
		return false
	}
	for _, p := range e.pieces[i+1:] {
		if p.Value {
			continue
		}
		if at := strings.IndexAny(p.Text, "=&#"); at >= 0 {
			return p.Text[at] == '='
		}
	}
	return false
}

// slashes replaces an escaped slash, which servers decode, by three slashes. The length
// of the path stays the same.
var slashes = strings.NewReplacer("%2f", "///", "%2F", "///")

// checkDots refuses a segment . or .. that contains text of a value, because it would
// lead to another path.
func (e *endpoint) checkDots() error {
	path := string(e.text)
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	start := 0
	for segment := range strings.SplitSeq(slashes.Replace(path), "/") {
		end := start + len(segment)
		if dots := unescapePath(escape(segment, pathCharacters)); dots == "." || dots == ".." {
			for _, v := range e.values {
				if v.start < end && v.end > start && v.start < v.end {
					return failure.Userf("%s makes '%s' a segment of the path, which would lead to another path", v.name, dots)
				}
			}
		}
		start = end + len("/")
	}
	return nil
}

// appendEncoded appends a text and percent-encodes the given characters, blanks and
// control characters. If escapes is set, it also encodes a percent sign that begins no
// escape.
func appendEncoded(dst []byte, text, encoded string, escapes bool) []byte {
	for i := range len(text) {
		c := text[i]
		switch {
		case blank(c) || strings.IndexByte(encoded, c) >= 0,
			escapes && c == '%' && !(i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2])):
			dst = fmt.Appendf(dst, "%%%02X", c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func blank(c byte) bool { return c <= ' ' || c == 0x7F }
