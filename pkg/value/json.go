package value

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// NewDecoder returns a decoder with the rules of the whole program: duplicate names are
// allowed (the last value counts), and a lone surrogate becomes U+FFFD.
func NewDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Parse parses one JSON text. Its error is a *SyntaxError.
func Parse(text []byte) (Value, error) {
	dec := NewDecoder(bytes.NewBuffer(text)) // a Buffer is not copied
	v, err := Read(dec)
	if err != nil {
		// ReadToken finds an error such as a trailing comma where it is, ReadValue after it.
		dec = NewDecoder(bytes.NewReader(text))
		for err = nil; err == nil; {
			_, err = dec.ReadToken()
		}
		return Value{}, syntaxError(text, dec.InputOffset(), err)
	}
	end := dec.InputOffset()
	if _, err := dec.ReadToken(); err != io.EOF {
		if err == nil {
			err = errors.New("more text after the value")
		}
		return Value{}, syntaxError(text, end+1, err)
	}
	return v, nil
}

// SyntaxError is the reason and the position of an error in a JSON text.
type SyntaxError struct {
	Line, Column int // both start at 1; columns count bytes
	Offset       int // offset in bytes
	Reason       string
	cause        error
}

// Error returns a message such as "line 3, column 7: invalid character …".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Unwrap returns the error of the decoder.
func (e *SyntaxError) Unwrap() error { return e.cause }

// syntaxError adds the position to an error. It uses offset if the error itself has no
// position.
func syntaxError(text []byte, offset int64, err error) error {
	e := &SyntaxError{Reason: err.Error(), cause: err}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset, e.Reason = s.ByteOffset, Complaint(s)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e.Reason = "unexpected end of the text"
	}
	before := text[:min(int(offset), len(text))]
	e.Offset = len(before)
	e.Line = 1 + bytes.Count(before, []byte("\n"))
	e.Column = len(before) - bytes.LastIndexByte(before, '\n')
	return e
}

// Complaint returns the message of a decoder's error without the position.
func Complaint(err *jsontext.SyntacticError) string {
	text := err.Err.Error()
	if strings.Contains(text, "max depth") {
		return "it is nested more than 10000 levels deep"
	}
	return text
}

// Read reads the next value. It returns io.EOF if there is no value.
func Read(dec *jsontext.Decoder) (Value, error) {
	text, err := dec.ReadValue()
	if err != nil {
		return Value{}, err
	}
	packed, _ := new(Packer).Append(nil, text)
	return Packed(packed).indexed(), nil
}

// AppendJSON appends the value as compact JSON. Slashes and characters beyond ASCII are
// not escaped, and numbers keep their literals.
func (v Value) AppendJSON(dst []byte) []byte { return v.append(dst, ",", ":", appendString) }

// AppendEscapedJSON appends the value as compact JSON in the form of the original
// extractor: slashes as \/ and characters beyond ASCII as \uXXXX. Table cells, manifests
// and the state have this form.
func (v Value) AppendEscapedJSON(dst []byte) []byte {
	return v.append(dst, ",", ":", appendEscapedString)
}

// JSON returns the value as compact JSON, see AppendJSON.
func (v Value) JSON() string { return string(v.AppendJSON(nil)) }

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// append appends the value on one line. str appends a string.
func (v Value) append(dst []byte, comma, colon string, str func([]byte, string) []byte) []byte {
	switch v.kind {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, v.text...)
	case String:
		return str(dst, v.text)
	case Array:
		dst = append(dst, '[')
		for i, item := range v.node.items {
			if i > 0 {
				dst = append(dst, comma...)
			}
			dst = item.append(dst, comma, colon, str)
		}
		return append(dst, ']')
	default:
		dst = append(dst, '{')
		for i, m := range v.node.members {
			if i > 0 {
				dst = append(dst, comma...)
			}
			dst = append(str(dst, m.Name), colon...)
			dst = m.Value.append(dst, comma, colon, str)
		}
		return append(dst, '}')
	}
}

func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, rune(s[i]))
		from = i + 1
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

func appendEscapedString(dst []byte, s string) []byte {
	return append(appendEscaped(append(dst, '"'), s), '"')
}

// appendEscaped appends the contents of a string, without quotes.
func appendEscaped(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '/':
			dst = append(dst, '\\', '/')
		case r < 0x20 || r == '"' || r == '\\':
			dst = appendEscape(dst, r)
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		case r > 0xFFFF:
			r -= 0x10000
			dst = appendU(appendU(dst, 0xD800+r>>10), 0xDC00+r&0x3FF)
		default:
			dst = appendU(dst, r)
		}
	}
	return dst
}

func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return appendU(dst, r)
	}
}

func appendU(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
