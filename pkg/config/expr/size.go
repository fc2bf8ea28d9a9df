package expr

import (
	"fmt"
	"math/bits"

	"github.com/keboola/configurable-extractor/pkg/value"
)

// maxComputed is how many bytes the value of a function may have. Functions in each other
// can make a value that grows with every one of them, out of few bytes that an API sent.
const maxComputed = 16 << 20

var errLarge = fmt.Errorf("the value has more than %d MiB", maxComputed>>20)

// checkSize is the error about a value that is too large.
func checkSize(v value.Value) error {
	if size(v) > maxComputed {
		return errLarge
	}
	return nil
}

// size is how many bytes the texts and names of a value have.
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

// times is a product, or the largest number where that is larger.
func times(a, b int) int {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > maxComputed {
		return maxComputed + 1
	}
	return int(low)
}
