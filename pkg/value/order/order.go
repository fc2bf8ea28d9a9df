// Package order compares values of an API. The types of the values may differ: a number
// may be a JSON number or a text, and a text may be a date. Numbers are compared exactly,
// regardless of their size.
package order

import (
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// Key is a scalar that is prepared for comparison. The zero Key is the empty text.
type Key struct {
	text    string
	kind    kind
	number  decimal.Number
	instant instant
}

// kind is the kind of data in a text.
type kind int

const (
	kindText kind = iota
	kindNumber
	kindInstant
)

// instant is a date with its layout. Dates with a time zone are comparable even if their
// layouts differ.
type instant struct {
	at   time.Time
	form string
	zone bool
}

// Of returns the key of a scalar.
func Of(v value.Value) Key {
	k := Key{text: v.Raw()}
	if v.Kind() == value.Bool {
		return k
	}
	var ok bool
	if k.number, ok = decimal.Parse(k.text); ok {
		k.kind = kindNumber
	} else if k.instant, ok = instantOf(k.text); ok {
		k.kind = kindInstant
	}
	return k
}

// Compare returns a negative number if a comes before b, a positive number if it comes
// after b, otherwise 0. It compares two numbers as numbers, and two dates as points in
// time if both have a time zone or both have the same layout. It compares other keys by
// their bytes.
func Compare(a, b Key) int {
	switch {
	case !Alike(a, b) || a.kind == kindText:
		return strings.Compare(a.text, b.text)
	case a.kind == kindNumber:
		return a.number.Compare(b.number)
	default:
		return a.instant.at.Compare(b.instant.at)
	}
}

// Alike reports whether Compare compares both keys in the same way: both are numbers,
// both are other texts, or both are comparable dates.
func Alike(a, b Key) bool {
	return a.kind == b.kind && (a.kind != kindInstant || a.instant.zone && b.instant.zone || a.instant.form == b.instant.form)
}
