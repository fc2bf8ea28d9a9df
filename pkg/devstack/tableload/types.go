package tableload

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// The forms of cells. They are the forms that Snowflake and BigQuery both load, so that a
// table which is loaded here is loaded by a project with either of them. A backend alone
// takes more: a plus sign, NaN, yes and no. Both take an exponent in a NUMERIC.
var (
	integer   = regexp.MustCompile(`^-?0*([0-9]{1,38})$`)
	numeric   = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$`)
	float     = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	timestamp = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?$`)
)

// fits reports whether a non-empty cell is a value of a column.
func fits(c store.Column, cell string) bool {
	switch c.Type {
	case store.TypeString:
		length, _ := c.Digits()
		return c.Length == "" || utf8.RuneCountInString(cell) <= length
	case store.TypeInteger:
		return integer.MatchString(cell)
	case store.TypeNumeric:
		return isNumeric(c, cell)
	case store.TypeFloat:
		_, err := strconv.ParseFloat(cell, 64)
		return float.MatchString(cell) && err == nil
	case store.TypeBoolean:
		return slices.Contains([]string{"true", "1", "false", "0"}, cell)
	case store.TypeDate:
		return isDate(cell)
	case store.TypeTimestamp:
		return isTimestamp(cell)
	default:
		return true
	}
}

// isNumeric reports whether a number fits a NUMERIC. Both backends round decimals that do
// not fit. With a length this is refused here, because it changes values; without one
// the component has not chosen the decimals.
func isNumeric(c store.Column, cell string) bool {
	const longest = 10_000 // exact numbers need time for each pair of digits
	found := numeric.FindStringSubmatch(cell)
	if len(cell) > longest || found == nil || found[3] != "" && c.Length != "" {
		return false
	}
	n, ok := new(big.Rat).SetString(cell)
	if !ok {
		return false
	}
	precision, scale := c.Digits()
	power := func(digits int) *big.Int {
		return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	}
	if n.Abs(n).Cmp(new(big.Rat).SetInt(power(precision-scale))) >= 0 {
		return false
	}
	return c.Length == "" || n.Mul(n, new(big.Rat).SetInt(power(scale))).IsInt()
}

func isDate(cell string) bool {
	day, err := time.Parse(time.DateOnly, cell)
	return err == nil && day.Year() >= 1
}

// isTimestamp reports whether a cell is a date with a time of day. The time may have
// fractions of a second and an offset from UTC of at most 14 hours.
func isTimestamp(cell string) bool {
	found := timestamp.FindStringSubmatch(cell)
	if found == nil || !isDate(found[1]) {
		return false
	}
	layout := "15:04"
	if found[3] != "" {
		layout = time.TimeOnly
	}
	if _, err := time.Parse(layout, found[2]+found[3]); err != nil {
		return false
	}
	offset := strings.ReplaceAll(strings.Trim(found[5], "Z+-"), ":", "")
	if offset == "" {
		return true
	}
	hours, _ := strconv.Atoi(offset[:2]) // digits
	minutes, _ := strconv.Atoi("0" + offset[2:])
	return minutes < 60 && 60*hours+minutes <= 14*60
}

// typeText describes the type of a column.
func typeText(c store.Column) string {
	if c.Length == "" {
		return c.Type
	}
	return c.Type + "(" + c.Length + ")"
}
