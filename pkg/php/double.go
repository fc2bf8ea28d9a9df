package php

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// Double implements (string) of a double. precision is the php.ini setting of that name:
// the number of significant digits. Trailing zeros are dropped. A number with a decimal
// exponent below -4 or not below the precision has the form 1.0E+25. A precision of 0
// stands for the setting -1: the fewest digits that give the same double, in the form for
// 17 digits.
func Double(f float64, precision int) string { return string(appendDouble(nil, f, precision)) }

// appendDouble appends the result of Double.
func appendDouble(b []byte, f float64, precision int) []byte {
	if math.IsNaN(f) {
		return append(b, "NAN"...)
	}
	if math.Signbit(f) {
		b = append(b, '-')
	}
	if math.IsInf(f, 0) {
		return append(b, "INF"...)
	}
	if f == 0 {
		return append(b, '0')
	}
	digits := precision - 1
	if precision == 0 {
		digits, precision = -1, 17
	}
	var text [64]byte
	all, exponent := significant(strconv.AppendFloat(text[:0], math.Abs(f), 'e', digits, 64))
	return appendSignificant(b, all, exponent, precision)
}

// appendSignificant appends the number D.IGITS × 10^exponent.
func appendSignificant(b, all []byte, exponent, precision int) []byte {
	switch {
	case exponent < -4 || exponent >= precision:
		b = append(append(b, all[0]), '.')
		if len(all) == 1 {
			b = append(b, '0')
		}
		return fmt.Appendf(append(b, all[1:]...), "E%+d", exponent)
	case exponent < 0:
		return append(appendZeros(append(b, "0."...), -exponent-1), all...)
	case len(all) <= exponent+1:
		return appendZeros(append(b, all...), exponent+1-len(all))
	default:
		return append(append(append(b, all[:exponent+1]...), '.'), all[exponent+1:]...)
	}
}

// significant returns the digits of a number in the form 1.25e+10, without trailing
// zeros, and its exponent. It overwrites text.
func significant(text []byte) (digits []byte, exponent int) {
	digits, power, _ := bytes.Cut(text, []byte("e"))
	exponent, _ = strconv.Atoi(string(power))
	if len(digits) > 1 {
		digits[1] = digits[0] // overwrites the point
		digits = digits[1:]
	}
	return bytes.TrimRight(digits, "0"), exponent
}

func appendZeros(b []byte, n int) []byte {
	for range n {
		b = append(b, '0')
	}
	return b
}
