// Package order compares values of an API whose types may differ: numbers
// and texts that hold numbers, dates and other texts. A number is compared exactly,
// regardless of its size.
package order

import (
	"strings"
	"time"

	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/decimal"
)

// Key is a scalar that is ready to be compared. The zero Key is the empty text.
type Key struct {
	text    string
	kind    kind
	number  decimal.Number
	instant instant
}

// kind says what a text holds.
type kind int

const (
	kindText kind = iota
	kindNumber
	kindInstant
)

// instant is a date, in the form in which it was written. Dates with a time zone are
// comparable regardless of their forms.
type instant struct {
	at   time.Time
	form string
	zone bool
}

// Of is the key of a scalar.
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

// Compare is negative when the first key comes before the second, positive when it
// comes after, else 0. Two numbers are compared as numbers, two dates with a time zone,
// or of one form, as points in time, and anything else by its bytes.
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

// Alike reports whether both keys are numbers, or both are texts of no known form, or
// both are dates that can be compared as such.
func Alike(a, b Key) bool {
	return a.kind == b.kind && (a.kind != kindInstant || a.instant.zone && b.instant.zone || a.instant.form == b.instant.form)
}
