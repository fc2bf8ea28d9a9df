package php

import "strconv"

// What serialize writes. The functions append to a text, and a list or an object is
// ended by a brace.

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

// AppendNumber appends a number by its JSON literal: an integer that fits 64 bits,
// else a double with 17 significant digits (serialize_precision).
func AppendNumber[S string | []byte](b []byte, literal S) []byte {
	if isShortInteger(literal) { // most numbers are
		return append(append(append(b, "i:"...), literal...), ';')
	}
	// Neither a fraction nor an exponent can be read as an integer.
	if i, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		return AppendInt(b, i)
	}
	// A number always is a double; a huge one is infinite.
	f, _ := strconv.ParseFloat(string(literal), 64)
	return AppendDouble(b, f)
}

// isShortInteger reports whether a literal is an integer that surely fits 64 bits and
// is printed as it is written. "-0" is printed as 0.
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
	return append(append(append(b, "d:"...), Double(f, 17)...), ';')
}

// AppendString appends a string.
func AppendString[S string | []byte](b []byte, s S) []byte {
	return append(append(AppendStringHead(b, len(s)), s...), `";`...)
}

// AppendStringHead appends what stands before so many bytes of a string; a quote and
// a semicolon follow them.
func AppendStringHead(b []byte, size int) []byte {
	return append(strconv.AppendInt(append(b, "s:"...), int64(size), 10), `:"`...)
}

// AppendKey appends a key of an array, see IsIndex.
func AppendKey[S string | []byte](b []byte, name S) []byte {
	if IsIndex(string(name)) {
		return append(append(append(b, "i:"...), name...), ';')
	}
	return AppendString(b, name)
}

// AppendArrayHead begins an array of so many items.
func AppendArrayHead(b []byte, items int) []byte { return appendHead(b, "a:", items) }

// AppendObjectHead begins an object, as json_decode makes it, of so many members.
func AppendObjectHead(b []byte, members int) []byte {
	return appendHead(b, `O:8:"stdClass":`, members)
}

func appendHead(b []byte, kind string, size int) []byte {
	return append(strconv.AppendInt(append(b, kind...), int64(size), 10), ":{"...)
}

// IsIndex reports whether a key of an array is taken for a number: an integer of 64
// bits as it would be printed.
func IsIndex(name string) bool {
	i, err := strconv.ParseInt(name, 10, 64)
	return err == nil && strconv.FormatInt(i, 10) == name
}
