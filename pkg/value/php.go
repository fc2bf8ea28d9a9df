package value

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/php"
)

// PHP's rules for values, with which the original reads configurations and answers.

// Empty is PHP's empty(): null, false, zero, "", "0", and empty arrays and objects.
func (v Value) Empty() bool {
	switch v.kind {
	case Null:
		return true
	case Bool:
		return v.text == "false"
	case String:
		return v.text == "" || v.text == "0"
	case Number:
		f, err := strconv.ParseFloat(v.text, 64)
		return err == nil && f == 0
	default:
		return v.Len() == 0
	}
}

// Int is PHP's (int) of a number, or of a string with one: a fraction is cut off.
// White space around the number is ignored.
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

// maxInteger is how long a number may be that Integer reads exactly, in bytes.
const maxInteger = 400

// Integer is an exact Int for numbers up to the largest double, about 1.8e308.
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
	if math.Abs(f) < 1 { // its exponent may mean a billion digits
		return new(big.Int), true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, false
	}
	return new(big.Int).Quo(exact.Num(), exact.Denom()), true
}

// Nearest is Integer, limited to the range of int64.
func (v Value) Nearest() (int64, bool) {
	n, ok := v.Integer()
	switch {
	case !ok:
		return 0, false
	case n.IsInt64():
		return n.Int64(), true
	case n.Sign() < 0:
		return math.MinInt64, true
	default:
		return math.MaxInt64, true
	}
}

// IsNumeric is PHP's is_numeric(): a number, or a string with a decimal number, which
// may have sign, fraction, exponent, and white space around it.
func (v Value) IsNumeric() bool {
	return v.kind == Number || v.kind == String && decimal(strings.Trim(v.text, " \t\n\r\v\f"))
}

// decimal reports whether a text is a decimal number. strconv accepts more: inf, nan,
// hexadecimal numbers, underscores.
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

// Text is PHP's (string) of a scalar: true is "1", false and null are "", integers stay
// as written, other numbers have at most 14 significant digits (the setting
// "precision"). Arrays and objects give "".
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
		return php.Double(f, 14)
	default:
		return v.text
	}
}

// Cell is the text of a scalar in a table: as Text, but all numbers stay as written.
func (v Value) Cell() string {
	if v.kind == Number {
		return v.text
	}
	return v.Text()
}
