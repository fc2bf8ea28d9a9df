package value

import (
	"math"
	"math/big"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// This file has PHP's rules for values, which the original extractor applies to
// configurations and responses. Unlike in PHP, a number keeps its exact value: PHP's
// doubles have about 16 digits, and their texts 14.

// Empty reports whether the value is empty like PHP's empty(): null, false, zero, "",
// "0", or an empty array or object.
func (v Value) Empty() bool {
	switch v.kind {
	case Null:
		return true
	case Bool:
		return v.text == "false"
	case String:
		return v.text == "" || v.text == "0"
	case Number:
		n, ok := decimal.Parse(v.text)
		return ok && n.Sign() == 0
	default:
		return v.Len() == 0
	}
}

// Blanks are the characters that may surround a number in a string.
const Blanks = " \t\n\r\v\f"

// Decimal returns the value of a number, or of a string with a number. White space around
// the number is ignored.
func (v Value) Decimal() (decimal.Number, bool) {
	switch v.kind {
	case Number:
		return decimal.Parse(v.text)
	case String:
		return decimal.Parse(strings.Trim(v.text, Blanks))
	default:
		return decimal.Number{}, false
	}
}

// Int returns PHP's (int) of a number, or of a string with a number: it cuts off a
// fraction. White space around the number is ignored. Int returns false if there is no
// number, or if it does not fit.
func (v Value) Int() (int64, bool) {
	n, ok := v.Decimal()
	if !ok {
		return 0, false
	}
	return n.Int()
}

// MaxWhole is the maximum number of digits of a number that is expanded to an integer.
const MaxWhole = 400

// Integer returns the same as Int, for numbers of up to MaxWhole digits.
func (v Value) Integer() (*big.Int, bool) {
	n, ok := v.Decimal()
	if !ok {
		return nil, false
	}
	text, ok := n.Whole(MaxWhole)
	if !ok {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}

// Nearest returns the same as Int, but limits numbers to the range of int64.
func (v Value) Nearest() (int64, bool) {
	n, ok := v.Decimal()
	if !ok {
		return 0, false
	}
	i, fits := n.Int()
	switch {
	case fits:
		return i, true
	case n.Sign() < 0:
		return math.MinInt64, true
	default:
		return math.MaxInt64, true
	}
}

// IsNumeric reports whether the value is numeric like PHP's is_numeric(): a number, or a
// string with a decimal number. The string may have a sign, a fraction, an exponent, and
// white space around the number.
func (v Value) IsNumeric() bool {
	_, ok := v.Decimal()
	return ok || v.kind == Number
}

// Text returns PHP's (string) of a scalar: "1" for true, "" for false and null, integers
// unchanged, and other numbers with at most 14 significant digits (the setting
// "precision"). Numbers that would lose digits stay unchanged, unlike in PHP. Arrays and
// objects give "".
func (v Value) Text() string {
	switch v.kind {
	case Bool:
		if v.text == "true" {
			return "1"
		}
		return ""
	case Number:
		if text, ok := v.double(14); ok {
			return text
		}
	}
	return v.text
}

// Shortest returns the same as Text, but numbers have as many digits as are needed to
// distinguish a double from all others (the setting "serialize_precision" of -1). The
// original extractor writes numbers this way in functions.
func (v Value) Shortest() string {
	if text, ok := v.double(0); ok {
		return text
	}
	return v.Text()
}

// InJSON returns the number as the original extractor writes it into JSON: as Shortest
// does, but with "e" instead of "E". It returns other values unchanged.
func (v Value) InJSON() Value {
	if text, ok := v.double(0); ok {
		v.text = strings.ToLower(text)
	}
	return v
}

// double returns PHP's text of a number with a fraction or an exponent. ok is false if
// the text does not denote the same number.
func (v Value) double(precision int) (text string, ok bool) {
	if v.kind != Number || v.IsInteger() {
		return "", false
	}
	f, ok := v.Float()
	if !ok {
		return "", false
	}
	text = php.Double(f, precision)
	return text, decimal.Same(text, v.text)
}

// Cell returns the text of a scalar in a table: the same as Text, but all numbers keep
// their literals.
func (v Value) Cell() string {
	if v.kind == Number {
		return v.text
	}
	return v.Text()
}
