package decimal

import "strconv"

// AppendRegular appends a number in its regular form, which is equal for all texts of the
// same number. The regular form has a point, no superfluous zeros, and an exponent only
// if the number would be long without it. Zero keeps its sign. AppendRegular appends a
// text with an inexact exponent unchanged.
func AppendRegular(dst, literal []byte) []byte {
	f, ok := scan(literal)
	if !ok || inexact(f.exponent) {
		return append(dst, literal...)
	}
	if f.negative {
		dst = append(dst, '-')
	}
	if f.count == 0 {
		return append(dst, "0.0"...)
	}
	digits := literal[f.first:f.last]
	switch {
	case f.exponent < -15 || f.exponent > 16:
		if f.count == 1 {
			dst = append(dst, digits[0])
		} else {
			dst = appendWithPoint(dst, digits, f.count, 1)
		}
		return appendExponent(append(dst, 'e'), f.exponent-1)
	case f.exponent <= 0:
		dst = appendZeros(append(dst, "0."...), int(-f.exponent))
		return appendDigits(dst, digits, f.count)
	default:
		return appendWithPoint(dst, digits, f.count, int(f.exponent))
	}
}

// appendWithPoint appends digits with a point after the first whole digits. It adds zeros
// if there are fewer digits.
func appendWithPoint(dst, digits []byte, count, whole int) []byte {
	if whole >= count {
		dst = appendZeros(appendDigits(dst, digits, count), whole-count)
		return append(dst, ".0"...)
	}
	start := len(dst)
	dst = append(appendDigits(dst, digits, count), 0)
	copy(dst[start+whole+1:], dst[start+whole:])
	dst[start+whole] = '.'
	return dst
}

func appendDigits(dst, digits []byte, count int) []byte {
	if len(digits) == count {
		return append(dst, digits...)
	}
	for _, c := range digits {
		if c != '.' {
			dst = append(dst, c)
		}
	}
	return dst
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

func appendExponent(dst []byte, exponent int64) []byte {
	if exponent >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, exponent, 10)
}
