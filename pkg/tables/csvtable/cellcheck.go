package csvtable

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// CellCheck decides which cells fit a declared type. It does not allocate, except for a
// FLOAT with a huge exponent.
type CellCheck struct {
	fits     func(c *CellCheck, cell []byte) bool // nil if all cells that are not empty fit
	nullable bool
	whole    int // NUMERIC: maximum number of digits before the decimal point
	scale    int // NUMERIC: maximum number of decimals; -1 without a length
	size     int // STRING: maximum number of characters
}

// Check returns the check of a declared type. all is true if every cell fits.
func (t ColumnType) Check() (c CellCheck, all bool) {
	c = CellCheck{nullable: t.Nullable}
	switch t.Base {
	case typeString:
		if t.Length != "" {
			c.size, c.fits = t.characters(), fitsString
		}
	case typeInteger:
		c.fits = fitsInteger
	case typeNumeric:
		precision, scale := t.digits()
		c.whole, c.scale, c.fits = precision-scale, scale, fitsNumeric
		if t.Length == "" {
			c.scale = -1 // the backend rounds
		}
	case typeFloat:
		c.fits = fitsFloat
	case typeBoolean:
		c.fits = fitsBoolean
	case typeDate:
		c.fits = fitsDate
	case typeTimestamp:
		c.fits = fitsTimestamp
	}
	return c, c.nullable && c.fits == nil
}

// Fits reports whether a cell fits. An empty cell stands for null.
func (c *CellCheck) Fits(cell []byte) bool {
	if len(cell) == 0 {
		return c.nullable
	}
	return c.fits == nil || c.fits(c, cell)
}

func isDigit(b byte) bool { return b-'0' <= 9 }

func fitsString(c *CellCheck, cell []byte) bool {
	return len(cell) <= c.size || utf8.RuneCount(cell) <= c.size
}

// fitsInteger reports whether a cell is an optional minus and digits, which no backend
// takes if there are more than 38.
func fitsInteger(_ *CellCheck, cell []byte) bool {
	if cell[0] == '-' {
		cell = cell[1:]
	}
	if len(cell) == 0 {
		return false
	}
	for _, b := range cell {
		if !isDigit(b) {
			return false
		}
	}
	return len(cell) <= maxDigits || len(trimZeros(cell)) <= maxDigits
}

func trimZeros(digits []byte) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	return digits
}

// decimal reads a decimal number: an optional minus, and digits with an optional point
// among or beside them. It returns the digits before the point without leading zeros,
// those after it without zeros at the end, and what follows the number.
func decimal(cell []byte) (whole, places, rest []byte, ok bool) {
	if cell[0] == '-' {
		cell = cell[1:]
	}
	i := 0
	for i < len(cell) && isDigit(cell[i]) {
		i++
	}
	whole, rest, ok = cell[:i], cell[i:], i > 0
	if len(rest) > 0 && rest[0] == '.' {
		i = 1
		for i < len(rest) && isDigit(rest[i]) {
			i++
		}
		places, rest, ok = rest[1:i], rest[i:], ok || i > 1
		for len(places) > 0 && places[len(places)-1] == '0' {
			places = places[:len(places)-1]
		}
	}
	return trimZeros(whole), places, rest, ok
}

func fitsNumeric(c *CellCheck, cell []byte) bool {
	whole, places, rest, ok := decimal(cell)
	return ok && len(rest) == 0 && len(whole) <= c.whole && (c.scale < 0 || len(places) <= c.scale)
}

func fitsFloat(_ *CellCheck, cell []byte) bool {
	whole, _, rest, ok := decimal(cell)
	if !ok {
		return false
	}
	size := len(rest)
	if size > 0 {
		if rest[0] != 'e' && rest[0] != 'E' {
			return false
		}
		rest = rest[1:]
		if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return false
		}
		for _, b := range rest {
			if !isDigit(b) {
				return false
			}
		}
		rest = trimZeros(rest)
	}
	// A number below 1e300 with an exponent of at most two digits is never too large.
	if len(whole) <= 200 && len(rest) <= 2 {
		return true
	}
	f, _ := strconv.ParseFloat(string(cell), 64)
	return !math.IsInf(f, 0)
}

func fitsBoolean(_ *CellCheck, cell []byte) bool {
	switch string(cell) {
	case "true", "false", "1", "0":
		return true
	default:
		return false
	}
}

// These are the positions of the parts of "2026-01-31T23:59".
const (
	dateSize   = len("2026-01-31")
	minuteSize = len("2026-01-31T23:59")
)

func fitsDate(_ *CellCheck, cell []byte) bool {
	if len(cell) != dateSize || cell[4] != '-' || cell[7] != '-' {
		return false
	}
	year, month, day := pair(cell, 0)*100+pair(cell, 2), pair(cell, 5), pair(cell, 8)
	if min(pair(cell, 0), pair(cell, 2), month, day) < 0 || year < 1 || month < 1 || month > 12 || day < 1 {
		return false
	}
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		last = 28
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			last = 29
		}
	}
	return day <= last
}

// pair returns the number of two digits at a position, or -1.
func pair(text []byte, at int) int {
	a, b := text[at]-'0', text[at+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

// timePart reports whether two digits at a position are a number of at most last.
func timePart(text []byte, at, last int) bool {
	n := pair(text, at)
	return n >= 0 && n <= last
}

// fitsTimestamp reports whether a cell is a date, T or a blank, hours and minutes, with
// optional seconds and their fraction, and an optional Z or offset.
func fitsTimestamp(c *CellCheck, cell []byte) bool {
	if len(cell) < minuteSize || !fitsDate(c, cell[:dateSize]) || cell[dateSize] != 'T' && cell[dateSize] != ' ' ||
		cell[dateSize+3] != ':' || !timePart(cell, dateSize+1, 23) || !timePart(cell, dateSize+4, 59) {
		return false
	}
	rest := cell[minuteSize:]
	if len(rest) >= 3 && rest[0] == ':' {
		if !timePart(rest, 1, 59) {
			return false
		}
		rest = rest[3:]
		if len(rest) > 0 && rest[0] == '.' {
			places := 1
			for places < len(rest) && isDigit(rest[places]) {
				places++
			}
			const nanoseconds = 9 // more digits than any backend reads
			if places == 1 || places > 1+nanoseconds {
				return false
			}
			rest = rest[places:]
		}
	}
	return len(rest) == 0 || len(rest) == 1 && rest[0] == 'Z' || isOffset(rest)
}

// isOffset reports whether a text is an offset from UTC: +02:00, +0200 or +02.
func isOffset(text []byte) bool {
	const farthest = 14 // hours
	if text[0] != '+' && text[0] != '-' || len(text) < 3 || !timePart(text, 1, farthest) {
		return false
	}
	minutes := text[3:]
	if len(minutes) == 3 && minutes[0] == ':' {
		minutes = minutes[1:]
	}
	switch len(minutes) {
	case 0:
		return len(text) == 3
	case 2:
		return timePart(minutes, 0, 59) && (pair(text, 1) < farthest || string(minutes) == "00")
	default:
		return false
	}
}
