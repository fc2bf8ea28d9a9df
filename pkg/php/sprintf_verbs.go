package php

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

func (d directive) append(dst []byte, v Scalar) ([]byte, error) {
	switch d.verb {
	case 's':
		text := v.Text
		if d.precision >= 0 {
			text = text[:min(d.precision, len(text))]
		}
		return d.pads(dst, "", text), nil
	case 'd':
		n, ok := integerOf(v)
		if !ok {
			return nil, errDigits
		}
		d.avoidTrailingZeros()
		return d.pads(dst, d.sign(n.negative), n.digits), nil
	case 'u', 'x', 'X', 'o', 'b', 'c':
		n, ok := integerOf(v)
		bits, fits := n.bits()
		if !ok || !fits {
			return nil, errors.New("does not fit into 64 bits")
		}
		if d.verb == 'c' {
			return append(dst, byte(bits)), nil
		}
		if d.verb == 'u' {
			d.avoidTrailingZeros()
		}
		return d.pads(dst, "", d.digits(bits)), nil
	default:
		literal := leadingNumber(v)
		n, _ := decimal.Parse(literal)
		text, ok := d.number(n, strings.TrimLeft(literal, "+-"))
		if !ok {
			return nil, errDigits
		}
		return d.pads(dst, d.sign(n.Sign() < 0), text), nil
	}
}

// pads pads to the width in bytes. Zeros are inserted between sign and digits, other
// padding before the sign.
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

// avoidTrailingZeros replaces zeros by blanks if they would follow the digits of an integer
// and change its value.
func (d *directive) avoidTrailingZeros() {
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

// integer is an integer of any size. Its digits have no leading zeros.
type integer struct {
	negative bool
	digits   string
}

// integerOf returns the number at the beginning of a text without its fraction, or 0 if
// the text has no number there. ok is false if the number has too many digits.
func integerOf(v Scalar) (n integer, ok bool) {
	literal := leadingNumber(v)
	if strings.ContainsAny(literal, ".eE") {
		number, _ := decimal.Parse(literal)
		if literal, ok = number.Whole(maxWholeDigits); !ok {
			return n, false
		}
	}
	negative := strings.HasPrefix(literal, "-")
	digits := strings.TrimLeft(literal, "+-0")
	if digits == "" {
		return integer{false, "0"}, true
	}
	return integer{negative, digits}, true
}

// bits returns the number in 64 bits: unsigned, or in two's complement if it is negative.
func (n integer) bits() (uint64, bool) {
	if n.negative {
		i, err := strconv.ParseInt("-"+n.digits, 10, 64)
		return uint64(i), err == nil
	}
	u, err := strconv.ParseUint(n.digits, 10, 64)
	return u, err == nil
}

var leading = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`)

// leadingNumber returns the decimal number at the beginning of a literal, after white
// space, or "".
func leadingNumber(v Scalar) string {
	return leading.FindString(strings.TrimLeft(v.Literal, " \t\n\r\v\f"))
}
