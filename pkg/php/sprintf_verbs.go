package php

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// append formats one scalar.
func (d directive) append(dst []byte, v Scalar) ([]byte, error) {
	switch d.verb {
	case 's':
		text := v.Text
		if d.precision >= 0 {
			text = text[:min(d.precision, len(text))]
		}
		return d.pads(dst, "", text), nil
	case 'd':
		n := integerOf(v)
		d.noZerosBehind()
		return d.pads(dst, d.sign(n.negative), n.digits), nil
	case 'u', 'x', 'X', 'o', 'b', 'c':
		bits, ok := integerOf(v).bits()
		if !ok {
			return nil, errors.New("does not fit into 64 bits")
		}
		if d.verb == 'c' {
			return append(dst, byte(bits)), nil
		}
		if d.verb == 'u' {
			d.noZerosBehind()
		}
		return d.pads(dst, "", d.digits(bits)), nil
	default:
		f := doubleOf(v)
		return d.pads(dst, d.sign(f < 0), d.double(math.Abs(f))), nil
	}
}

// pads pads to the width in bytes. Zeros go between sign and digits, other padding
// before the sign.
func (d directive) pads(dst []byte, sign, text string) []byte {
	missing := strings.Repeat(string([]byte{d.pad}), max(0, d.width-len(sign)-len(text)))
	switch {
	case d.left:
		return append(append(append(dst, sign...), text...), missing...)
	case d.pad == '0':
		return append(append(append(dst, sign...), missing...), text...)
	default:
		return append(append(append(dst, missing...), sign...), text...)
	}
}

// noZerosBehind replaces zeros by blanks if they would follow the digits of an integer
// and change its value.
func (d *directive) noZerosBehind() {
	if d.left && d.pad == '0' {
		d.pad = ' '
	}
}

func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.plus:
		return "+"
	default:
		return ""
	}
}

// digits formats an unsigned integer in the base of the verb.
func (d directive) digits(bits uint64) string {
	text := strconv.FormatUint(bits, map[byte]int{'x': 16, 'X': 16, 'o': 8, 'b': 2, 'u': 10}[d.verb])
	if d.verb == 'X' {
		return strings.ToUpper(text)
	}
	return text
}

// double formats a number that is not negative. It rounds the exact binary value, ties
// to even.
func (d directive) double(f float64) string {
	precision := 6
	if d.precision >= 0 {
		precision = min(d.precision, mostDigits)
	}
	switch {
	case math.IsInf(f, 0):
		return "Inf"
	case d.verb == 'f' || d.verb == 'F':
		return strconv.FormatFloat(f, 'f', precision, 64)
	case d.verb == 'e' || d.verb == 'E':
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', precision, 64), "e")
		return mantissa + string(d.verb) + exponent[:1] + cmp.Or(strings.TrimLeft(exponent[1:], "0"), "0")
	default:
		text := Double(f, max(precision, 1))
		if d.verb == 'g' || d.verb == 'h' {
			text = strings.Replace(text, "E", "e", 1)
		}
		return text
	}
}

// integer is a whole number of any size: digits without leading zeros.
type integer struct {
	negative bool
	digits   string
}

// integerOf is the number at the beginning of a text without its fraction, else 0.
func integerOf(v Scalar) integer {
	literal := leadingNumber(v)
	if strings.ContainsAny(literal, ".eE") {
		f := math.Trunc(doubleOf(v))
		if math.IsInf(f, 0) {
			f = 0
		}
		literal = strconv.FormatFloat(f, 'f', 0, 64)
	}
	negative := strings.HasPrefix(literal, "-")
	digits := strings.TrimLeft(literal, "+-0")
	if digits == "" {
		return integer{false, "0"}
	}
	return integer{negative, digits}
}

// bits is the number in 64 bits, unsigned, or in two's complement if negative.
func (n integer) bits() (uint64, bool) {
	if n.negative {
		i, err := strconv.ParseInt("-"+n.digits, 10, 64)
		return uint64(i), err == nil
	}
	u, err := strconv.ParseUint(n.digits, 10, 64)
	return u, err == nil
}

// doubleOf is the number at the beginning of a text, else 0.
func doubleOf(v Scalar) float64 {
	f, err := strconv.ParseFloat(leadingNumber(v), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0
	}
	return f
}

var decimal = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`)

// leadingNumber is the decimal number at the beginning of a literal, after blanks; ""
// if there is none.
func leadingNumber(v Scalar) string {
	return decimal.FindString(strings.TrimLeft(v.Literal, " \t\n\r\v\f"))
}
