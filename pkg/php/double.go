package php

import (
	"math"
	"strconv"
	"strings"
)

// Double is (string) of a double, with the setting "precision" of php.ini: so many
// significant digits, trailing zeros removed, exponent form when the decimal
// exponent is below -4 or not below the precision, then with a point in the mantissa
// and a signed exponent without padding (1.0E+25). A precision of 0 is the setting
// -1: the fewest digits that give the same double again, in the form of 17.
func Double(f float64, precision int) string {
	if math.IsNaN(f) {
		return "NAN"
	}
	if math.IsInf(f, 0) {
		if f > 0 {
			return "INF"
		}
		return "-INF"
	}
	if f == 0 {
		if math.Signbit(f) {
			return "-0"
		}
		return "0"
	}
	digits := precision - 1
	if precision == 0 {
		digits, precision = -1, 17
	}
	s := strconv.FormatFloat(math.Abs(f), 'e', digits, 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	exponent, _ := strconv.Atoi(exp)
	all := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	sign := ""
	if f < 0 {
		sign = "-"
	}
	switch {
	case exponent < -4 || exponent >= precision:
		rest := all[1:]
		if rest == "" {
			rest = "0"
		}
		plus := "+"
		if exponent < 0 {
			plus = ""
		}
		return sign + all[:1] + "." + rest + "E" + plus + strconv.Itoa(exponent)
	case exponent < 0:
		return sign + "0." + strings.Repeat("0", -exponent-1) + all
	case len(all) <= exponent+1:
		return sign + all + strings.Repeat("0", exponent+1-len(all))
	default:
		return sign + all[:exponent+1] + "." + all[exponent+1:]
	}
}
