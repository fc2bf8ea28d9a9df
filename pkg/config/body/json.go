package body

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// json scans a JSON text. It must parse with any values, so it is parsed here, and not
// again when the values are known.
func (s *scanner) json() *Fault {
	quoted := false
	for !s.done() {
		switch c := s.text[s.at]; {
		case c == '"':
			quoted = !quoted
			s.at++
		case c == '\\' && quoted:
			s.escape()
		case quoted:
			s.takeName(inQuotes)
		default:
			s.takeName(inJSON)
		}
	}
	text := s.filled(func(p position) string {
		if p == inJSON {
			return "null"
		}
		return ""
	})
	_, err := value.Parse([]byte(text))
	if err == nil {
		return nil
	}
	hint := failure.Text("a value with its braces is a JSON value of its own, or a part of a string in quotes")
	if len(s.names) == 0 {
		hint = ""
	}
	fault := &Fault{Expected: "expected JSON after the values are filled in: " + failure.Part(err.Error()), Hint: hint}
	if e, ok := errors.AsType[*value.SyntaxError](err); ok {
		fault.Line = e.Line
	}
	return fault
}

// escape skips an escape in a string. Its digits cannot be part of a name.
func (s *scanner) escape() {
	const escaped, digits = 2, 4
	s.at += escaped
	if s.at <= len(s.text) && s.text[s.at-1] == 'u' {
		s.at += digits
	}
}

const expectedJSON = "outside quotes, expected a number, true, false, null, an object, a list, or a text that is a number, true, false or null; write quotes around the braces for any other text"

// writeJSON appends a value outside quotes. A text must be the JSON of a scalar other than
// a string.
func writeJSON(dst []byte, v value.Value) (text []byte, wrong string) {
	if v.Kind() != value.String {
		text := asJSON(v).AppendJSON(nil)
		if !utf8.Valid(text) {
			return dst, "the value is not UTF-8"
		}
		return append(dst, text...), ""
	}
	raw := strings.Trim(v.Raw(), " \t\r\n")
	parsed, err := value.Parse([]byte(raw))
	if k := parsed.Kind(); err != nil || k != value.Number && k != value.Bool && k != value.Null {
		return dst, expectedJSON + ", found another text"
	}
	return append(dst, raw...), ""
}

// asJSON writes the numbers of a value as in the body of a job.
func asJSON(v value.Value) value.Value {
	switch v.Kind() {
	case value.Array:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = asJSON(item)
		}
		return value.OfItems(items...)
	case value.Object:
		members := make([]value.Member, v.Len())
		for i, m := range v.Members() {
			members[i] = value.Member{Name: m.Name, Value: asJSON(m.Value)}
		}
		return value.OfMembers(members...)
	default:
		return v.InJSON()
	}
}
