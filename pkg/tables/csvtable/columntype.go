package csvtable

import (
	"fmt"
	"strconv"
	"strings"
)

// ColumnType is the type that the configuration declares for a column. The zero
// ColumnType declares nothing: the type is then derived from the cells.
type ColumnType struct {
	// Base is the base type, e.g. NUMERIC.
	Base string
	// Length is "P,S" for NUMERIC, the number of characters for STRING, or "".
	Length   string
	Nullable bool
}

// The limits of numbers. Both backends of the platform store a NUMERIC without a length
// as NUMERIC(38,9), and no backend has integers of more than 38 digits.
const (
	maxDigits     = 38
	maxWhole      = 29 // digits before the decimal point of a NUMERIC without a length
	maxCharacters = 134_217_728
)

// BaseTypes returns the base types that the platform knows.
func BaseTypes() []string {
	return []string{typeString, typeInteger, typeNumeric, typeFloat, typeBoolean, typeDate, typeTimestamp}
}

// IsBoolean reports whether the type is BOOLEAN.
func (t ColumnType) IsBoolean() bool { return t.Base == typeBoolean }

// String returns the type as people write it, e.g. "NUMERIC(12,2) NOT NULL".
func (t ColumnType) String() string {
	text := t.Base
	if t.Length != "" {
		text += "(" + t.Length + ")"
	}
	if t.Base != "" && !t.Nullable {
		text += " NOT NULL"
	}
	return text
}

// HasLength reports whether columns of a base type can have a length.
func HasLength(base string) bool { return base == typeNumeric || base == typeString }

// ParseLength returns a length in the form that the platform stores. fault describes what
// is wrong with it, or is "".
func ParseLength(base, text string) (length, fault string) {
	first, second, two := strings.Cut(text, ",")
	p, ok := parseDigits(first)
	switch base {
	case typeString:
		if !ok || two || p < 1 || p > maxCharacters {
			return "", fmt.Sprintf("expected a number of characters from 1 to %d", maxCharacters)
		}
		return strconv.Itoa(p), ""
	case typeNumeric:
		s, scaled := parseDigits(second)
		switch {
		case !ok || two && !scaled || p < 1 || p > maxDigits || s > p:
			return "", fmt.Sprintf(`expected "P,S": the number of all digits, at most %d, and how many of them are decimal places`, maxDigits)
		case p == maxDigits && s == 0:
			// Snowflake reports such a column as an INTEGER, so the platform would refuse
			// the next load of a NUMERIC.
			return "", `expected fewer than 38 digits without decimal places; the type "INTEGER" has 38`
		}
		return strconv.Itoa(p) + "," + strconv.Itoa(s), ""
	default:
		return "", "unexpected key: only NUMERIC and STRING have a length"
	}
}

// parseDigits parses a number of at most nine digits.
func parseDigits(text string) (int, bool) {
	if len(text) == 0 || len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// digits returns the precision and the scale of a NUMERIC.
func (t ColumnType) digits() (precision, scale int) {
	if t.Length == "" {
		return maxDigits, maxDigits - maxWhole
	}
	first, second, _ := strings.Cut(t.Length, ",")
	precision, _ = parseDigits(first)
	scale, _ = parseDigits(second)
	return precision, scale
}

// characters returns the maximum number of characters of a STRING.
func (t ColumnType) characters() int {
	if t.Length == "" {
		return maxCharacters
	}
	n, _ := parseDigits(t.Length)
	return n
}

// Change describes why the platform would refuse to change a column of type t to the
// type to. It returns "" if the platform makes the change: more digits, more characters,
// and cells that may be empty.
//
// The Storage API documents this for its endpoint that updates the definition of a column.
// A type never changes; Snowflake does not change the decimals, BigQuery does not make
// a column required, and a column with empty cells cannot become required anywhere.
func (t ColumnType) Change(to ColumnType) string {
	switch {
	case t.Base != to.Base:
		return "a column keeps its type"
	case t.Length != to.Length && to.Length == "":
		return "a column keeps its length"
	case t.Nullable && !to.Nullable:
		return "the column may have empty cells"
	case t.Base == typeNumeric:
		precision, scale := t.digits()
		p, s := to.digits()
		if s != scale {
			return "a column keeps its decimal places"
		}
		if p < precision {
			return "a column cannot get fewer digits"
		}
	case t.Base == typeString && to.characters() < t.characters():
		return "a column cannot get fewer characters"
	}
	return ""
}
