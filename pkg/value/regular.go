package value

import (
	"bytes"
	"math"
	"strconv"
)

// A number with a fraction or an exponent is a double, and the same double can be
// written in many ways. Its regular form has the fewest digits that give the double,
// and a point and no exponent unless that is long. Integers have one form only.

// regular reports whether the literal of such a number is certainly regular. It does
// not compute: decimals of up to 15 digits are all different doubles.
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
	f, _ := strconv.ParseFloat(string(literal), 64)
	if math.IsInf(f, 0) {
		return append(dst, number...)
	}
	// Without an exponent the largest double has 309 digits.
	if size := math.Abs(f); size != 0 && (size < 1e-16 || size >= 1e16) {
		return appendPackedText(append(dst, packedNumber), strconv.AppendFloat(nil, f, 'e', -1, 64))
	}
	text := strconv.AppendFloat(nil, f, 'f', -1, 64)
	if bytes.IndexByte(text, '.') < 0 {
		text = append(text, ".0"...)
	}
	return appendPackedText(append(dst, packedNumber), text)
}
