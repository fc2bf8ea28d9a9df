package response

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// skip scans the next value for the fingerprint and the volume only.
func (s *scan) skip() error {
	depth := s.dec.StackDepth()
	for {
		var err error
		switch s.dec.PeekKind() {
		case '{', '}', '[', ']':
			err = s.token()
		default:
			_, err = s.scalar()
		}
		if err != nil {
			return err
		}
		if s.dec.StackDepth() == depth {
			return nil
		}
	}
}

// token reads a brace or a bracket and adds it to the fingerprint and the volume.
func (s *scan) token() error {
	_, elements := s.dec.StackIndex(s.dec.StackDepth())
	tok, err := s.dec.ReadToken()
	if err != nil {
		return err
	}
	if k := tok.Kind(); k == '{' || k == '[' {
		s.volume.opening()
	} else {
		s.volume.closing(elements)
	}
	return s.hash.WriteByte(byte(tok.Kind()))
}

// scalar reads a scalar and adds it to the fingerprint and the volume: strings without
// their escapes, integers by their digits, other numbers by their exact value.
func (s *scan) scalar() (jsontext.Value, error) {
	raw, err := s.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	s.hash.WriteByte(raw[0])
	switch c := raw[0]; {
	case c == '"':
		s.text(raw)
	case c == '-' || '0' <= c && c <= '9':
		s.number(raw)
	default:
		s.hash.Write(raw[1:])
		s.volume.literal(raw)
	}
	return raw, nil
}

// contents returns the contents of a string, without quotes and escapes. It shares the
// memory of raw if there are no escapes.
func contents(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return unquote(nil, raw)
	}
	return raw[1 : len(raw)-1]
}

// text adds the contents of a string to the fingerprint and the volume.
func (s *scan) text(raw jsontext.Value) {
	contents := []byte(raw[1 : len(raw)-1])
	if bytes.IndexByte(contents, '\\') >= 0 {
		s.buf = unquote(s.buf[:0], raw)
		contents = s.buf
	}
	s.hash.Write(contents)
	s.hash.WriteByte('"')
	s.volume.text(contents)
}

// unquote appends the contents of a string that the decoder accepted. A lone surrogate,
// the only possible error of AppendUnquote, becomes U+FFFD.
func unquote(dst []byte, raw jsontext.Value) []byte {
	dst, _ = jsontext.AppendUnquote(dst, raw)
	return dst
}

func (s *scan) number(raw []byte) {
	regular := raw
	if bytes.ContainsAny(raw, ".eE") {
		s.buf = decimal.AppendRegular(s.buf[:0], raw)
		regular = s.buf
		s.volume.fraction(raw)
	} else {
		s.volume.literal(raw)
	}
	s.hash.Write(regular)
	s.hash.WriteByte(',')
}

func kindOf(k jsontext.Kind) value.Kind {
	switch k {
	case '{':
		return value.Object
	case '[':
		return value.Array
	case '"':
		return value.String
	case 't', 'f':
		return value.Bool
	case '0':
		return value.Number
	default:
		return value.Null
	}
}
