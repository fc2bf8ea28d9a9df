package tableload

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Base types of columns.
const (
	typeString    = "STRING"
	typeInteger   = "INTEGER"
	typeNumeric   = "NUMERIC"
	typeFloat     = "FLOAT"
	typeBoolean   = "BOOLEAN"
	typeDate      = "DATE"
	typeTimestamp = "TIMESTAMP"
)

func baseTypes() []string {
	return []string{typeString, typeInteger, typeNumeric, typeFloat, typeBoolean, typeDate, typeTimestamp}
}

var (
	integer = regexp.MustCompile(`^[+-]?[0-9]{1,38}$`)
	numeric = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$`)
)

// fits reports whether a non-empty cell is a value of the base type.
func fits(baseType, cell string) bool {
	switch baseType {
	case typeInteger:
		return integer.MatchString(cell)
	case typeNumeric:
		return numeric.MatchString(cell)
	case typeFloat:
		if numeric.MatchString(cell) {
			_, err := strconv.ParseFloat(cell, 64)
			return err == nil
		}
		return slices.Contains([]string{"nan", "inf", "-inf", "+inf"}, strings.ToLower(cell))
	case typeBoolean:
		return slices.Contains([]string{"true", "t", "yes", "y", "on", "1", "false", "f", "no", "n", "off", "0"}, strings.ToLower(cell))
	case typeDate:
		_, err := time.Parse(time.DateOnly, cell)
		return err == nil
	case typeTimestamp:
		return isTimestamp(cell)
	default:
		return true
	}
}

// isTimestamp reports whether a cell is a date with an optional time of day. The time may
// have fractions of a second and an offset from UTC.
func isTimestamp(cell string) bool {
	if len(cell) > len(time.DateOnly) && cell[len(time.DateOnly)] == 'T' {
		cell = cell[:len(time.DateOnly)] + " " + cell[len(time.DateOnly)+1:]
	}
	for _, layout := range []string{
		time.DateTime, time.DateTime + "Z07:00", time.DateTime + "Z0700", time.DateTime + " -0700", time.DateTime + " -07:00",
		"2006-01-02 15:04", time.DateOnly,
	} {
		if _, err := time.Parse(layout, cell); err == nil {
			return true
		}
	}
	return false
}
