// Package decimal implements exact decimal numbers of any size and precision, for the
// numbers in responses. A number is never expanded: 1e999999999 needs as little memory as
// 1. Functions that write digits limit their number.
package decimal

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// Number is ±0.DIGITS × 10^exponent. The zero Number is 0. All exponents of at least
// maxExponent are equal.
type Number struct {
	negative bool
	digits   string // digits from the first to the last that is not 0; may contain the point
	count    int    // number of digits, without the point
	exponent int64
}

// maxExponent is the maximum exponent that is read from a text. Together with the number
// of digits of the mantissa it fits into an int64.
const maxExponent = 1e17

// inexact reports whether an exponent may be larger in the text.
func inexact(exponent int64) bool { return max(exponent, -exponent) > maxExponent/10 }

// Parse parses a decimal number: digits with an optional sign, fraction and exponent. The
// digits before or after the point may be missing.
func Parse(text string) (Number, bool) {
	f, ok := scan(text)
	if !ok || f.count == 0 {
		return Number{}, ok
	}
	return Number{negative: f.negative, digits: text[f.first:f.last], count: f.count, exponent: f.exponent}, true
}

// form is the result of scan.
type form struct {
	negative    bool
	first, last int // range of the significant digits in the text; both are 0 for zero
	count       int // number of significant digits, without the point
	exponent    int64
}

func scan[T string | []byte](text T) (f form, ok bool) {
	i, point, found := 0, -1, false
	f.first = -1
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		f.negative = text[0] == '-'
		i = 1
	}
mantissa:
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '0':
			found = true
		case '1' <= c && c <= '9':
			if f.first < 0 {
				f.first = i
			}
			f.last, found = i+1, true
		case c == '.' && point < 0:
			point = i
		default:
			break mantissa
		}
	}
	end := i
	if !found || !scanExponent(text, end, &f) {
		return form{}, false
	}
	switch {
	case f.first < 0:
		return form{negative: f.negative}, true
	case point < 0:
		point = end
	}
	f.count = f.last - f.first
	switch {
	case point < f.first:
		f.exponent -= int64(f.first - point - 1)
	case point < f.last:
		f.count--
		fallthrough
	default:
		f.exponent += int64(point - f.first)
	}
	return f, true
}

// scanExponent reads the exponent, if there is one, and reports whether the text ends after
// it.
func scanExponent[T string | []byte](text T, at int, f *form) bool {
	if at == len(text) {
		return true
	}
	if text[at] != 'e' && text[at] != 'E' {
		return false
	}
	at++
	negative := false
	if at < len(text) && (text[at] == '-' || text[at] == '+') {
		negative = text[at] == '-'
		at++
	}
	digits := at
	for ; at < len(text) && '0' <= text[at] && text[at] <= '9'; at++ {
		f.exponent = min(10*f.exponent+int64(text[at]-'0'), maxExponent)
	}
	if negative {
		f.exponent = -f.exponent
	}
	return at > digits && at == len(text)
}

// Same reports whether two texts denote the same number.
func Same(a, b string) bool {
	x, ok := Parse(a)
	if !ok {
		return false
	}
	y, ok := Parse(b)
	return ok && x.Compare(y) == 0
}

// Sign returns -1, 0 or 1.
func (n Number) Sign() int {
	switch {
	case n.count == 0:
		return 0
	case n.negative:
		return -1
	default:
		return 1
	}
}

// Compare returns -1 if n is less than m, 1 if it is greater, otherwise 0.
func (n Number) Compare(m Number) int {
	if sign := n.Sign(); sign != m.Sign() || sign == 0 {
		return cmp.Compare(sign, m.Sign())
	}
	size := cmp.Compare(n.exponent, m.exponent)
	if size == 0 {
		size = compareDigits(n.digits, m.digits)
	}
	if n.negative {
		return -size
	}
	return size
}

// compareDigits compares fractions by their digits. It ignores points.
func compareDigits(a, b string) int {
	if len(a) == len(b) && a == b {
		return 0
	}
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		if i < len(a) && a[i] == '.' {
			i++
		}
		if j < len(b) && b[j] == '.' {
			j++
		}
		switch {
		case i == len(a) || j == len(b):
			return cmp.Compare(len(a)-i, len(b)-j)
		case a[i] != b[j]:
			return cmp.Compare(a[i], b[j])
		}
	}
}

// plainDigits returns the digits without the point.
func (n Number) plainDigits() string {
	if len(n.digits) == n.count {
		return n.digits
	}
	return strings.Replace(n.digits, ".", "", 1)
}

// IsWhole reports whether the number has no fraction.
func (n Number) IsWhole() bool { return n.exponent >= int64(n.count) }

// Whole returns the number without its fraction, as digits with a minus sign if it is
// negative. ok is false if it has more than most digits.
func (n Number) Whole(most int) (text string, ok bool) {
	switch {
	case n.exponent <= 0:
		return "0", true
	case n.exponent > int64(most):
		return "", false
	}
	digits := n.plainDigits()
	if missing := int(n.exponent) - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	digits = digits[:n.exponent]
	if n.negative {
		digits = "-" + digits
	}
	return digits, true
}

// Int returns the number without its fraction. ok is false if it does not fit.
func (n Number) Int() (i int64, ok bool) {
	text, ok := n.Whole(len("9223372036854775807"))
	if !ok {
		return 0, false
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	return 0, false
}

// Plus returns the sum with an integer as a plain decimal, without an exponent. ok is
// false if n has digits more than most positions away from its point.
func (n Number) Plus(i int64, most int) (text string, ok bool) {
	if n.exponent > int64(most) || n.exponent-int64(n.count) < -int64(most) {
		return "", false
	}
	// Both numbers as integers, in units of the last digit of n.
	places := max(0, int(int64(n.count)-n.exponent))
	sum, _ := new(big.Int).SetString("0"+n.plainDigits()+strings.Repeat("0", max(0, int(n.exponent)-n.count)), 10)
	if n.negative {
		sum.Neg(sum)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	sum.Add(sum, unit.Mul(unit, big.NewInt(i)))
	return withPoint(sum, places), true
}

// withPoint returns the quotient of n and 10^places as a plain decimal.
func withPoint(n *big.Int, places int) string {
	digits := new(big.Int).Abs(n).String()
	if len(digits) <= places {
		digits = strings.Repeat("0", places-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if fraction != "" {
		whole += "." + fraction
	}
	if n.Sign() < 0 {
		whole = "-" + whole
	}
	return whole
}

// Ceil returns the product with a factor above 0, rounded up. ok is false if the product
// does not fit.
func (n Number) Ceil(factor int64) (i int64, ok bool) {
	const most = 40 // number of exact digits; further digits only affect rounding
	switch {
	case n.Sign() == 0 || n.exponent < -most:
		return int64(max(0, n.Sign())), true
	case n.exponent > most:
		return 0, false
	}
	digits := n.plainDigits()
	if len(digits) > 2*most {
		digits = digits[:2*most] + "1"
	}
	number, _ := new(big.Int).SetString(digits, 10)
	if n.negative {
		number.Neg(number)
	}
	number.Mul(number, big.NewInt(factor))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(n.exponent-int64(len(digits)), int64(len(digits))-n.exponent)), nil)
	if int64(len(digits)) <= n.exponent {
		number.Mul(number, power)
	} else {
		number.Neg(number).Div(number, power).Neg(number) // Div rounds down
	}
	return number.Int64(), number.IsInt64()
}
