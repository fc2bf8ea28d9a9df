package value

import (
	"bytes"

	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// A number with a fraction or an exponent has many literals, see decimal.AppendRegular.
// An integer has a single literal, and differs from numbers with a fraction: 1 and 1.0
// have different types in PHP.

// regular reports whether the literal of a number with a fraction or an exponent is
// certainly regular.
func regular(literal []byte) bool {
	point := bytes.IndexByte(literal, '.')
	if point < 0 || len(literal) > len(".")+15 || bytes.ContainsAny(literal[point:], "eE") {
		return false
	}
	last := len(literal) - 1
	return literal[last] != '0' || last == point+1
}

// Regular appends the value with all numbers in regular form.
func (p Packed) Regular(dst []byte) []byte {
	if p.Kind() == Number {
		return appendRegular(dst, p)
	}
	dst, _ = p.AppendMap(dst, func(dst, _ []byte, part Packed) ([]byte, error) { return part.Regular(dst), nil })
	return dst
}

func appendRegular(dst []byte, number Packed) []byte {
	literal := number.Raw()
	if !bytes.ContainsAny(literal, ".eE") || regular(literal) {
		return append(dst, number...)
	}
	var buf [64]byte
	return appendPackedText(append(dst, packedNumber), decimal.AppendRegular(buf[:0], literal))
}
