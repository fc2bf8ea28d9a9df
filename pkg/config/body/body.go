// Package body compiles the text of a request body and fills in its values. No value can
// change the structure of a text in XML, JSON or a form: each value is escaped for the
// type of the body and for the position of its name. A position where no escape helps,
// such as the name of an element, is a fault of the text.
//
// The package does not evaluate expressions. Its faults and errors contain names and
// parts of the text, never values, because a value may be a secret.
package body

import (
	"mime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// Template is a compiled text. It is immutable.
type Template struct {
	pieces []piece
}

// piece is a text or a value.
type piece struct {
	text     string
	name     string // name of the value, or "" for a text
	position position
}

// position is a kind of position in a text. It decides how a value is written there.
type position int

const (
	asIs position = iota
	inForm
	inElement   // between the tags of XML
	inAttribute // in the quoted value of an attribute
	inQuotes    // in a JSON string
	inJSON      // a JSON value of its own
)

// Fault is a mistake in a type or a text.
type Fault struct {
	// Line is the line of the text, counted from 1, or 0 if the fault concerns the whole
	// text.
	Line                  int
	Found, Expected, Hint failure.Text
}

// CheckType returns the fault of a media type, or nil.
func CheckType(text string) *Fault {
	media, params, err := mime.ParseMediaType(text)
	switch charset, ok := params["charset"]; {
	case err != nil || !strings.Contains(media, "/") || strings.ContainsFunc(text, unicode.IsControl):
		return &Fault{Found: failure.Part(quoted(text)), Expected: "expected a media type", Hint: `write "text/xml; charset=utf-8", "application/json" or another type`}
	case ok && !isUTF8(charset):
		return &Fault{Found: failure.Part(quoted(charset)), Expected: "expected the character set utf-8: a body is always sent in UTF-8"}
	}
	return nil
}

func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}

// quoted returns a text as a JSON string.
func quoted(text string) string { return value.OfString(text).JSON() }

// Parse compiles a text. mediaType must have passed CheckType. Braces stay in the text
// unless there is one of the names between them.
func Parse(mediaType, text string, names []string) (Template, *Fault) {
	media, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return Template{}, CheckType(mediaType)
	}
	s := &scanner{text: text, names: names}
	switch {
	case !utf8.ValidString(text):
		return Template{}, &Fault{Expected: "expected a text in UTF-8"}
	case media == "text/xml" || media == "application/xml" || strings.HasSuffix(media, "+xml"):
		err := s.xml()
		return s.template(), err
	case media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json"):
		err := s.json()
		return s.template(), err
	case media == "application/x-www-form-urlencoded":
		err := s.form()
		return s.template(), err
	default:
		for !s.done() {
			s.takeName(asIs)
		}
		return s.template(), nil
	}
}

// CheckName returns the fault of the name of a value, or nil.
func CheckName(name string) *Fault {
	allowed := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("#_.:-", r)
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !allowed(r) }) {
		return &Fault{Found: failure.Part(quoted(name)), Expected: "expected a name of letters, digits and the characters # _ . : -"}
	}
	return nil
}

// Uses reports whether a value with the name is in the text.
func (t Template) Uses(name string) bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool { return p.name == name && name != "" })
}

// ValueError is an error about a value.
type ValueError struct {
	Name string // name of the value
	Text string // what is wrong
}

// Error implements error.
func (e *ValueError) Error() string { return e.Text }

// Fill returns the text with its values. get returns the value with a name. secrets are
// the ranges of values that are marked as secrets. An error is a *ValueError.
func (t Template) Fill(get func(name string) value.Value) (text []byte, secrets []secret.Span, err error) {
	for _, p := range t.pieces {
		if p.name == "" {
			text = append(text, p.text...)
			continue
		}
		v, from := get(p.name), len(text)
		var wrong string
		if text, wrong = p.position.write(text, v); wrong != "" {
			return nil, nil, &ValueError{p.name, wrong}
		}
		if v.Secret() && len(text) > from {
			secrets = append(secrets, secret.Span{From: from, To: len(text)})
		}
	}
	return text, secrets, nil
}

// write appends a value. wrong describes a value that the position cannot hold.
func (p position) write(dst []byte, v value.Value) (text []byte, wrong string) {
	if p == inJSON {
		return writeJSON(dst, v)
	}
	var raw string
	switch k := v.Kind(); {
	case k == value.Object || k == value.Array:
		return dst, "expected a text, a number, true, false or null, found " + k.WithArticle()
	case k == value.Bool && p != inForm:
		raw = v.Raw()
	case k == value.Bool && !v.True():
		raw = "0" // as in the form of a job
	default:
		raw = v.Text()
	}
	if !utf8.ValidString(raw) {
		return dst, "the value is not UTF-8"
	}
	switch p {
	case inElement, inAttribute:
		return writeXML(dst, raw)
	case inQuotes:
		text := value.OfString(raw).AppendJSON(nil)
		return append(dst, text[1:len(text)-1]...), ""
	case inForm:
		return writeForm(dst, raw), ""
	default:
		return append(dst, raw...), ""
	}
}

// scanner finds the names in a text. It knows the position of each.
type scanner struct {
	text   string
	names  []string
	at     int
	from   int // start of the text that is not in pieces yet
	pieces []piece
}

func (s *scanner) done() bool { return s.at >= len(s.text) }

// nameAt returns the name between the braces that begin at an offset, or "".
func (s *scanner) nameAt(at int) string {
	if at >= len(s.text) || s.text[at] != '{' {
		return ""
	}
	for _, name := range s.names {
		if rest, ok := strings.CutPrefix(s.text[at+1:], name); ok && strings.HasPrefix(rest, "}") {
			return name
		}
	}
	return ""
}

// takeName takes a name in braces as a value, or one byte as text.
func (s *scanner) takeName(p position) {
	name := s.nameAt(s.at)
	if name == "" {
		s.at++
		return
	}
	s.flush()
	s.pieces = append(s.pieces, piece{name: name, position: p})
	s.at += len("{") + len(name) + len("}")
	s.from = s.at
}

func (s *scanner) flush() {
	if s.at = min(s.at, len(s.text)); s.at > s.from {
		s.pieces = append(s.pieces, piece{text: s.text[s.from:s.at]})
	}
	s.from = s.at
}

func (s *scanner) template() Template {
	s.flush()
	return Template{s.pieces}
}

// filled returns the text with other texts instead of the values.
func (s *scanner) filled(with func(position) string) string {
	var b strings.Builder
	for _, p := range s.template().pieces {
		if b.WriteString(p.text); p.name != "" {
			b.WriteString(with(p.position))
		}
	}
	return b.String()
}

// misplaced returns the fault of a name at a position where a value could change the
// structure of the text.
func (s *scanner) misplaced(at int, where, hint failure.Text) *Fault {
	return &Fault{Line: 1 + strings.Count(s.text[:at], "\n"), Found: failure.Part(quoted("{" + s.nameAt(at) + "}")), Expected: "expected no value " + where, Hint: hint}
}

// nameIn returns the offset of the first name in a range of the text, or -1.
func (s *scanner) nameIn(from, to int) int {
	for at := from; at < min(to, len(s.text)); at++ {
		if s.nameAt(at) != "" {
			return at
		}
	}
	return -1
}
