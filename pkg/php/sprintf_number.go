package php

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// maxWholeDigits is the maximum number of digits before the point of a formatted number that
// was written with an exponent.
const maxWholeDigits = 400

var errDigits = fmt.Errorf("has more than %d digits", maxWholeDigits)

// number formats a number that is not negative. ok is false if it has too many digits.
// PHP rounds the binary value of a double, ties to even. number does the same only if it
// must round and n is PHP's text of a double. Otherwise it formats the decimal digits:
// 0.1 with 20 digits ends with zeros.
func (d directive) number(n decimal.Number, literal string) (text string, ok bool) {
	precision := 6
	if d.precision >= 0 {
		precision = min(d.precision, maxPrecision)
	}
	digits, exponent, ok := n.Digits(maxExactDigits)
	if !ok {
		return "", false
	}
	most := int64(max(precision, 1)) // number of digits in the result
	switch d.verb {
	case 'f', 'F':
		if exponent > maxWholeDigits {
			return "", false
		}
		most = exponent + int64(precision)
	case 'e', 'E':
		most = int64(precision) + 1
	}
	if int64(len(digits)) > most {
		if f, err := strconv.ParseFloat(literal, 64); err == nil && decimal.Same(Double(f, 0), literal) {
			return d.double(f, precision), true
		}
		digits, exponent, _ = n.Digits(most)
	}
	return d.exact(digits, exponent, precision), true
}

// maxExactDigits exceeds the number of digits that any format writes.
const maxExactDigits = 1 << 20

// double formats the binary value of a double.
func (d directive) double(f float64, precision int) string {
	switch d.verb {
	case 'f', 'F':
		return strconv.FormatFloat(f, 'f', precision, 64)
	case 'e', 'E':
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', precision, 64), "e")
		return mantissa + string(d.verb) + exponent[:1] + cmp.Or(strings.TrimLeft(exponent[1:], "0"), "0")
	default:
		return d.lowerExponent(Double(f, max(precision, 1)))
	}
}

// exact formats the number 0.DIGITS × 10^exponent without rounding. digits has at most as
// many digits as the format writes.
func (d directive) exact(digits string, exponent int64, precision int) string {
	switch d.verb {
	case 'f', 'F':
		whole := "0"
		if exponent > 0 {
			digits += strings.Repeat("0", max(0, int(exponent)-len(digits)))
			whole, digits = digits[:exponent], digits[exponent:]
		} else if digits != "" {
			digits = strings.Repeat("0", int(-exponent)) + digits
		}
		if precision == 0 {
			return whole
		}
		return whole + "." + digits + strings.Repeat("0", precision-len(digits))
	case 'e', 'E':
		if digits == "" {
			digits, exponent = "0", 1
		}
		mantissa := digits[:1]
		if precision > 0 {
			mantissa += "." + digits[1:] + strings.Repeat("0", precision-len(digits)+1)
		}
		return fmt.Sprintf("%s%c%+d", mantissa, d.verb, exponent-1)
	default:
		if digits == "" {
			return "0"
		}
		return d.lowerExponent(string(appendSignificant(nil, []byte(digits), int(exponent-1), max(precision, 1))))
	}
}

// lowerExponent returns text with a lower-case exponent letter if the verb is a lower-case
// letter.
func (d directive) lowerExponent(text string) string {
	if d.verb == 'g' || d.verb == 'h' {
		return strings.Replace(text, "E", "e", 1)
	}
	return text
}
