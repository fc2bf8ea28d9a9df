package value

import (
	"math"
	"math/big"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/php"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// PHP's rules for values, with which the original reads configurations and answers. A
// number keeps its value exactly, though: PHP's doubles have about 16 digits, and its
// texts of them 14.

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
		n, ok := decimal.Parse(v.text)
		return ok && n.Sign() == 0
	default:
		return v.Len() == 0
	}
}

// Blanks are the characters that may be around a number in a string.
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

// Int is PHP's (int) of a number, or of a string with one: a fraction is cut off.
// White space around the number is ignored.
func (v Value) Int() (int64, bool) {
	n, ok := v.Decimal()
	if !ok {
		return 0, false
	}
	return n.Int()
}

// MaxWhole is the maximum number of digits of a number that is expanded to an integer.
const MaxWhole = 400

// Integer is Int for numbers of up to MaxWhole digits.
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

// Nearest is Int, limited to the range of int64.
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

// IsNumeric is PHP's is_numeric(): a number, or a string with a decimal number, which
// may have sign, fraction, exponent, and white space around it.
func (v Value) IsNumeric() bool {
	_, ok := v.Decimal()
	return ok || v.kind == Number
}

// Text is PHP's (string) of a scalar: true is "1", false and null are "", integers stay
// as written, other numbers have at most 14 significant digits (the setting
// "precision"). A number that this text would change stays as written, too. Arrays and
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

// Shortest is Text with as many digits as a double needs to be distinguished from all
// others (the setting "serialize_precision" of -1): how the original writes numbers in
// functions.
func (v Value) Shortest() string {
	if text, ok := v.double(0); ok {
		return text
	}
	return v.Text()
}

// InJSON is the number as the original writes it into JSON: as Shortest, but an exponent
// begins with a small letter. Anything else stays as it is.
func (v Value) InJSON() Value {
	if text, ok := v.double(0); ok {
		v.text = strings.ToLower(text)
	}
	return v
}

// double returns PHP's text of a number with a fraction or an exponent. ok is false if the
// text does not denote the same number.
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

// Cell is the text of a scalar in a table: as Text, but all numbers stay as written.
func (v Value) Cell() string {
	if v.kind == Number {
		return v.text
	}
	return v.Text()
}
