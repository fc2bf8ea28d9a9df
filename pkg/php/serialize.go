package php

import (
	"strconv"
	"strings"
)

// The Append functions append the output of serialize. The caller ends an array or an
// object with a brace.

// AppendNull appends a null.
func AppendNull(b []byte) []byte { return append(b, "N;"...) }

// AppendBool appends a boolean.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "b:1;"...)
	}
	return append(b, "b:0;"...)
}

// AppendInt appends an integer.
func AppendInt(b []byte, i int64) []byte {
	return append(strconv.AppendInt(append(b, "i:"...), i, 10), ';')
}

// AppendNumber appends a number from its JSON literal: an integer if it fits into 64
// bits, otherwise a double with 17 significant digits (serialize_precision).
func AppendNumber[S string | []byte](b []byte, literal S) []byte {
	if isShortInteger(literal) { // most numbers are short
		return append(append(append(b, "i:"...), literal...), ';')
	}
	text := string(literal)
	// A literal with a fraction or an exponent is not an integer. The check avoids the
	// error that strconv would allocate.
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return AppendInt(b, i)
		}
	}
	// The only error for a valid number is ErrRange, and f is then infinite.
	f, _ := strconv.ParseFloat(text, 64)
	return AppendDouble(b, f)
}

// isShortInteger reports whether a literal is an integer that certainly fits into 64 bits
// and is printed as written. "-0" is not.
func isShortInteger[S string | []byte](literal S) bool {
	for i := range len(literal) {
		if c := literal[i]; (c < '0' || c > '9') && (c != '-' || i > 0 || literal[1] == '0') {
			return false
		}
	}
	return len(literal) <= 18
}

// AppendDouble appends a double.
func AppendDouble(b []byte, f float64) []byte {
	return append(appendDouble(append(b, "d:"...), f, 17), ';')
}

// AppendString appends a string.
func AppendString[S string | []byte](b []byte, s S) []byte {
	return append(append(AppendStringHead(b, len(s)), s...), `";`...)
}

// AppendStringHead begins a string of size bytes. The caller appends the bytes, a quote
// and a semicolon.
func AppendStringHead(b []byte, size int) []byte {
	switch { // most strings are short
	case size < 10:
		return append(b, 's', ':', '0'+byte(size), ':', '"')
	case size < 100:
		return append(b, 's', ':', '0'+byte(size/10), '0'+byte(size%10), ':', '"')
	default:
		return append(strconv.AppendInt(append(b, "s:"...), int64(size), 10), `:"`...)
	}
}

// AppendKey appends a key of an array. A key becomes an integer if IsIndex reports true.
func AppendKey[S string | []byte](b []byte, name S) []byte {
	if IsIndex(string(name)) {
		return append(append(append(b, "i:"...), name...), ';')
	}
	return AppendString(b, name)
}

// AppendArrayHead begins an array.
func AppendArrayHead(b []byte, items int) []byte { return appendHead(b, "a:", items) }

// AppendObjectHead begins an object of the class that json_decode creates.
func AppendObjectHead(b []byte, members int) []byte {
	return appendHead(b, `O:8:"stdClass":`, members)
}

func appendHead(b []byte, kind string, size int) []byte {
	return append(strconv.AppendInt(append(b, kind...), int64(size), 10), ":{"...)
}

// IsIndex reports whether PHP converts a key of an array to an integer. The key must be
// the canonical form of an integer of 64 bits.
func IsIndex(name string) bool {
	i, err := strconv.ParseInt(name, 10, 64)
	return err == nil && strconv.FormatInt(i, 10) == name
}
