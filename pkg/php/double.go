package php

import (
	"cmp"
	"fmt"
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
	sign := ""
	if math.Signbit(f) {
		sign = "-"
	}
	if math.IsInf(f, 0) {
		return sign + "INF"
	}
	if f == 0 {
		return sign + "0"
	}
	digits := precision - 1
	if precision == 0 {
		digits, precision = -1, 17
	}
	s := strconv.FormatFloat(math.Abs(f), 'e', digits, 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	exponent, _ := strconv.Atoi(exp)
	all := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	switch {
	case exponent < -4 || exponent >= precision:
		return fmt.Sprintf("%s%s.%sE%+d", sign, all[:1], cmp.Or(all[1:], "0"), exponent)
	case exponent < 0:
		return sign + "0." + strings.Repeat("0", -exponent-1) + all
	case len(all) <= exponent+1:
		return sign + all + strings.Repeat("0", exponent+1-len(all))
	default:
		return sign + all[:exponent+1] + "." + all[exponent+1:]
	}
}
