package decimal

import (
	"cmp"
	"strings"
)

// Literal returns the text of a number in the syntax of JSON: without a plus sign or zeros
// in front, and with digits on both sides of the point.
func Literal(text string) string {
	rest, negative := strings.CutPrefix(text, "-")
	rest = strings.TrimPrefix(rest, "+")
	mantissa, exponent := rest, ""
	if at := strings.IndexAny(rest, "eE"); at >= 0 {
		mantissa, exponent = rest[:at], rest[at:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole = cmp.Or(strings.TrimLeft(whole, "0"), "0")
	if negative {
		whole = "-" + whole
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole + exponent
}

// Digits returns the number as 0.DIGITS × 10^exponent, rounded to at most most digits,
// halves to the even digit. The digits of zero are "". Other digits neither begin nor end
// with a zero. ok is false if the exponent is inexact.
func (n Number) Digits(most int64) (digits string, exponent int64, ok bool) {
	digits = n.plainDigits()
	switch {
	case inexact(n.exponent):
		return "", 0, false
	case most < 0:
		return "", 0, true
	case most >= int64(len(digits)):
		return digits, n.exponent, true
	}
	kept, rest := "0"+digits[:most], digits[most:]
	if rest[0] > '5' || rest[0] == '5' && (len(rest) > 1 || kept[most]%2 == 1) {
		kept = next(kept)
	}
	exponent = n.exponent
	if kept[0] == '0' {
		kept = kept[1:]
	} else {
		exponent++
	}
	if kept = strings.TrimRight(kept, "0"); kept == "" {
		exponent = 0
	}
	return kept, exponent, true
}

// next increments the integer in digits. It must begin with 0.
func next(digits string) string {
	nines := len(digits) - len(strings.TrimRight(digits, "9"))
	at := len(digits) - nines - 1
	return digits[:at] + string(digits[at]+1) + strings.Repeat("0", nines)
}
