package value

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// IsInteger tells whether the value is a number written without fraction and
// exponent, of any size.
func (v Value) IsInteger() bool {
	return v.kind == Number && !strings.ContainsAny(v.text, ".eE")
}

// Float is the number as an IEEE double.
func (v Value) Float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// Int reads a number, or a string that holds one, as an integer; a fraction is
// cut off. Blanks around the digits of a string are tolerated.
func (v Value) Int() (int64, bool) {
	if v.kind != Number && v.kind != String {
		return 0, false
	}
	text := strings.Trim(v.text, " \t\n\r\v\f")
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	if !decimal(text) {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// maxInteger is how many characters a number may have that Integer reads exactly.
const maxInteger = 400

// Integer is Int for integers of any size up to the largest double, about 1.8e308,
// and exact: no digit is lost on the way.
func (v Value) Integer() (*big.Int, bool) {
	if v.kind != Number && v.kind != String {
		return nil, false
	}
	text := strings.Trim(v.text, " \t\n\r\v\f")
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return big.NewInt(i), true
	}
	if len(text) > maxInteger {
		i, ok := v.Int()
		return big.NewInt(i), ok
	}
	if !decimal(text) {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	if math.Abs(f) < 1 { // its exponent may ask for a thousand million digits
		return new(big.Int), true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, false
	}
	return new(big.Int).Quo(exact.Num(), exact.Denom()), true
}

// IsNumeric tells whether the value is a number or a string that holds a
// decimal number (sign, fraction and exponent allowed, blanks around it too).
func (v Value) IsNumeric() bool {
	return v.kind == Number || v.kind == String && decimal(strings.Trim(v.text, " \t\n\r\v\f"))
}

// decimal tells a decimal number from what else strconv would accept (inf,
// nan, hexadecimal, underscores).
func decimal(s string) bool {
	digits := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits = true
		case c == '+', c == '-', c == '.', c == 'e', c == 'E':
		default:
			return false
		}
	}
	if !digits {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// Text is a scalar as text on the wire: true is "1", false and null are "",
// integers stay as written, other numbers have at most 14 significant digits.
// It is "" for arrays and objects.
func (v Value) Text() string {
	switch v.kind {
	case Bool:
		if v.text == "true" {
			return "1"
		}
		return ""
	case Number:
		if v.IsInteger() {
			return v.text
		}
		f, ok := v.Float()
		if !ok {
			return v.text
		}
		return FormatDouble(f, 14)
	default:
		return v.text
	}
}

// Cell is a scalar as text in a table: as Text, but every number stays exactly
// as it was written.
func (v Value) Cell() string {
	if v.kind == Number {
		return v.text
	}
	return v.Text()
}

// FormatDouble is the decimal form of a double with so many significant digits
// as the original prints it: trailing zeros removed, exponent form when the
// decimal exponent is below -4 or not below the precision, then with a point in
// the mantissa and a signed exponent without padding (1.0E+25). A precision of
// 0 asks for the shortest digits that give the same double again, in the form
// of 17.
func FormatDouble(f float64, precision int) string {
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
