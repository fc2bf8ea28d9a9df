package order

import (
	"cmp"
	"strconv"
	"strings"
)

// number is ± 0.digits × 10^exponent. Zero has no digits and no sign; others have
// neither a zero in front nor at the end.
type number struct {
	negative bool
	digits   string
	exponent int64
}

// maxExponent is how many digits an exponent may have. No API counts as far.
const maxExponent = 15

// numberOf reads digits with a sign, a fraction and an exponent where there are such.
// A text of anything else is not a number.
func numberOf(text string) (n number, ok bool) {
	rest := text
	switch {
	case strings.HasPrefix(rest, "-"):
		n.negative, rest = true, rest[1:]
	case strings.HasPrefix(rest, "+"):
		rest = rest[1:]
	}
	mantissa := rest
	if at := strings.IndexAny(rest, "eE"); at >= 0 {
		var exponent string
		mantissa, exponent = rest[:at], rest[at+1:]
		if len(exponent) > maxExponent || !digitsOnly(strings.TrimLeft(exponent, "+-")) {
			return number{}, false
		}
		var err error
		if n.exponent, err = strconv.ParseInt(exponent, 10, 64); err != nil {
			return number{}, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || whole != "" && !digitsOnly(whole) || fraction != "" && !digitsOnly(fraction) {
		return number{}, false
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	n.exponent += int64(len(digits) - len(fraction))
	if n.digits = strings.TrimRight(digits, "0"); n.digits == "" {
		return number{}, true
	}
	return n, true
}

func digitsOnly(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

func (n number) compare(m number) int {
	if sign := n.sign(); sign != m.sign() || sign == 0 {
		return cmp.Compare(sign, m.sign())
	}
	size := cmp.Or(cmp.Compare(n.exponent, m.exponent), strings.Compare(n.digits, m.digits))
	if n.negative {
		return -size
	}
	return size
}

func (n number) sign() int {
	switch {
	case n.digits == "":
		return 0
	case n.negative:
		return -1
	default:
		return 1
	}
}
