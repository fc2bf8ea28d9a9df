package state

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/textfmt"
	"github.com/keboola/configurable-extractor/pkg/value"
	"github.com/keboola/configurable-extractor/pkg/value/order"
	"github.com/keboola/configurable-extractor/pkg/value/phpjson"
)

// The platform reads the state into PHP arrays and writes it again (package phpjson), which
// changes some values. Remembered values are therefore stored in a form that PHP does not
// change: the requests of the next run do not depend on whether the state has been on a
// platform.

const (
	// maxDepth is the maximum number of levels of objects and lists in a state. PHP decodes
	// 511 levels, but the platform nests the state in other objects and lists,
	// deepest in a list of components with the rows of their configurations.
	maxDepth = 500
	// maxValueDepth is the maximum number of levels in a remembered value. It is inside five
	// objects: the state, `remembered`, the iterations, one iteration, and the combinations
	// of a name.
	maxValueDepth = maxDepth - 5
)

// portable returns a value in a form that the platform does not change:
//
//   - A number that PHP would change becomes a text.
//   - An object with the keys 0, 1, 2 and so on becomes a list, and {} becomes [].
//   - A scalar below a key with a hash sign becomes a text, because the platform encrypts only
//     texts.
func portable(v value.Value) value.Value {
	switch v.Kind() {
	case value.Number:
		return portableNumber(v)
	case value.Array, value.Object:
		return phpjson.AsList(v.Map(func(m value.Member) value.Member {
			if m.Value = portable(m.Value); Secret(m.Name) {
				m.Value = asText(m.Value)
			}
			return m
		}))
	default:
		return v
	}
}

// portableNumber returns a number as PHP writes it, if PHP keeps its value. Otherwise it
// returns the text of the number in requests.
func portableNumber(v value.Value) value.Value {
	text, ok := phpjson.Number(v.Raw())
	if text == "-0" {
		text = "0" // PHP would write 0 the next time
	}
	same := value.OfNumber(text)
	if !ok || !equalNumbers(v, same) || v.IsInteger() && !same.IsInteger() {
		return asText(v)
	}
	return like(v, same) // for example 1 for 1.0
}

// rounded reports whether a number looks like an integer beyond 64 bits that PHP has
// rounded. Earlier versions stored such integers as numbers.
func rounded(v value.Value) bool {
	digits, exponent, _ := strings.Cut(v.Raw(), "e+")
	power, err := strconv.Atoi(exponent)
	return v.Kind() == value.Number && err == nil && len(strings.TrimLeft(digits, "-")) >= len("1.234567890123456") && power >= len("9223372036854775807")-1 && power < 40
}

func equalNumbers(a, b value.Value) bool { return order.Compare(order.Of(a), order.Of(b)) == 0 }

// asText returns a scalar or null as its text in requests, and other values unchanged.
func asText(v value.Value) value.Value {
	if !v.IsScalar() && !v.IsNull() {
		return v
	}
	text := v.Text()
	if v.Kind() == value.Number && !equalNumbers(v, value.OfNumber(text)) {
		text = v.Raw()
	}
	return like(v, value.OfString(text))
}

// like returns w, marked as a secret if v is a secret.
func like(v, w value.Value) value.Value {
	if v.Secret() {
		return w.AsSecret()
	}
	return w
}

// depthOf returns the number of levels of objects and lists in a value.
func depthOf(v value.Value) int {
	deepest := 0
	for _, item := range v.Entries() {
		deepest = max(deepest, depthOf(item))
	}
	if v.Kind() == value.Array || v.Kind() == value.Object {
		deepest++
	}
	return deepest
}

// checkDepth returns a user error if a state is deeper than the platform can read.
func checkDepth(document value.Value) error {
	if depthOf(document) <= maxDepth {
		return nil
	}
	return failure.Userf("the state for the next run would have more than %d levels of objects and lists, which the platform cannot read, at '%s': map the job whose items are so deep, or shorten them with 'responseFilter'",
		maxDepth, textfmt.Shorten(deepest(document, maxDepth), maxShown))
}

// maxShown is the maximum number of characters of a pointer in a message.
const maxShown = 120

// deepest returns the JSON pointer of the first value that is levels deep in v.
func deepest(v value.Value, levels int) string {
	var pointer strings.Builder
	for ; levels > 0; levels-- {
		for name, item := range v.Entries() {
			if depthOf(item) >= levels {
				fmt.Fprint(&pointer, failure.PointerJoin("", name))
				v = item
				break
			}
		}
	}
	return pointer.String()
}
