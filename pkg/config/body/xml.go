package body

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// xml scans an XML text. Values are allowed between tags and in attributes only. The text
// must be well-formed with and without values.
func (s *scanner) xml() *Fault {
	if fault := s.xmlPositions(); fault != nil {
		return fault
	}
	for _, with := range []string{"", "x"} {
		if fault := wellFormed(s.filled(func(position) string { return with })); fault != nil {
			return fault
		}
	}
	return nil
}

func (s *scanner) xmlPositions() *Fault {
	inTag, quote := false, byte(0)
	for !s.done() {
		c := s.text[s.at]
		switch {
		case !inTag && c == '<':
			if skipped, fault := s.section(); skipped || fault != nil {
				if fault != nil {
					return fault
				}
				continue
			}
			inTag = true
			s.at++
		case c == '&' && (!inTag || quote != 0):
			if fault := s.entity(); fault != nil {
				return fault
			}
		case !inTag:
			s.takeName(inElement)
		case quote != 0 && c != quote:
			s.takeName(inAttribute)
		case quote != 0:
			quote = 0
			s.at++
		case s.nameAt(s.at) != "":
			return s.misplaced(s.at, "inside a tag", "a value may be between tags, or in the quotes of an attribute")
		default:
			if c == '"' || c == '\'' {
				quote = c
			}
			inTag = c != '>'
			s.at++
		}
	}
	return nil
}

// section skips a part of the text that cannot hold values.
func (s *scanner) section() (skipped bool, fault *Fault) {
	for _, one := range []struct {
		start, end string
		where      failure.Text
	}{
		{"<!--", "-->", "inside a comment"},
		{"<![CDATA[", "]]>", "inside CDATA"},
		{"<?", "?>", "inside a processing instruction"},
		{"<!", ">", "inside a declaration"},
	} {
		if !strings.HasPrefix(s.text[s.at:], one.start) {
			continue
		}
		end := len(s.text)
		if i := strings.Index(s.text[s.at+len(one.start):], one.end); i >= 0 {
			end = s.at + len(one.start) + i + len(one.end)
		}
		if at := s.nameIn(s.at, end); at >= 0 {
			hint := failure.Text("a value may be between tags, or in the quotes of an attribute")
			if one.start == "<![CDATA[" {
				hint = "remove the CDATA around it: the value is escaped"
			}
			return false, s.misplaced(at, one.where+", where it cannot be escaped", hint)
		}
		s.at = end
		return true, nil
	}
	return false, nil
}

// entity skips a reference such as &amp;, which a value must not complete.
func (s *scanner) entity() *Fault {
	s.at++
	for !s.done() && !strings.ContainsRune(";<>&\"' \t\r\n", rune(s.text[s.at])) {
		if s.nameAt(s.at) != "" {
			return s.misplaced(s.at, "inside a reference", "write &amp; for an ampersand")
		}
		s.at++
	}
	return nil
}

// wellFormed returns the fault of an XML document, or nil. Prefixes of names need no
// declaration.
func wellFormed(text string) *Fault {
	fault := func(line int, reason string) *Fault {
		return &Fault{Line: line, Expected: "expected well-formed XML: " + failure.Part(reason)}
	}
	d := xml.NewDecoder(strings.NewReader(text))
	encoding := ""
	d.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		encoding = charset
		return nil, errors.New("another character set")
	}
	depth, roots := 0, 0
	for {
		token, err := d.Token()
		line, _ := d.InputPos()
		syntax, isSyntax := errors.AsType[*xml.SyntaxError](err)
		switch {
		case encoding != "":
			return &Fault{Line: 1, Found: failure.Part(quoted(encoding)), Expected: "expected the encoding utf-8 in the XML declaration: a body is always sent in UTF-8"}
		case err == io.EOF && roots == 0:
			return fault(0, "it has no element")
		case err == io.EOF:
			return nil
		case isSyntax:
			return fault(syntax.Line, syntax.Msg)
		case err != nil:
			return fault(line, err.Error())
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				roots++
			}
			if roots > 1 {
				return fault(line, "it has a second root element")
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && strings.TrimLeft(string(token), " \t\r\n") != "" {
				return fault(line, "text outside the root element")
			}
		}
	}
}

// writeXML appends a text for the content of an element or the value of an attribute.
func writeXML(dst []byte, text string) (_ []byte, wrong string) {
	trimmed := len(strings.TrimRight(text, "]"))
	start := len(dst)
	for i, r := range text {
		switch {
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '"':
			dst = append(dst, "&quot;"...)
		case r == '\'':
			dst = append(dst, "&#39;"...)
		case r == '\t' || r == '\n' || r == '\r': // a reader replaces them unless they are escaped
			dst = fmt.Appendf(dst, "&#%d;", r)
		case r == ']' && i >= trimmed: // the text behind the value may begin with the end of CDATA
			dst = append(dst, "&#93;"...)
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
			return dst[:start], fmt.Sprintf("the value contains the character U+%04X, which XML cannot hold", r)
		default:
			dst = append(dst, string(r)...)
		}
	}
	return dst, ""
}
