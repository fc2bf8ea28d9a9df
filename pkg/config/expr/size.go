package expr

import (
	"fmt"
	"math/bits"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxValueSize is the maximum size, in bytes, of the value of a function. Nested
// functions could otherwise turn a few bytes from an API into an arbitrarily large value.
const maxValueSize = 16 << 20

var errLarge = fmt.Errorf("the value has more than %d MiB", maxValueSize>>20)

// checkSize returns errLarge if a value exceeds maxValueSize.
func checkSize(v value.Value) error {
	if size(v) > maxValueSize {
		return errLarge
	}
	return nil
}

// size returns the total size, in bytes, of the texts and names in a value.
func size(v value.Value) int {
	n := len(v.Raw())
	for _, item := range v.Items() {
		n += size(item)
	}
	for _, m := range v.Members() {
		n += len(m.Name) + size(m.Value)
	}
	return n
}

// product returns a*b, or maxValueSize+1 if the product is larger than maxValueSize.
func product(a, b int) int {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > maxValueSize {
		return maxValueSize + 1
	}
	return int(low)
}
