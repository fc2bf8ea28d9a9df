package failure

import (
	"slices"
	"testing"
)

func TestPointer(t *testing.T) {
	for pointer, tokens := range map[string][]string{
		"":          nil,
		"/":         {""},
		"/a/0":      {"a", "0"},
		"/a~1b/~0c": {"a/b", "~c"},
		"/~01":      {"~1"},
	} {
		joined := ""
		for _, token := range tokens {
			joined = PointerJoin(joined, token)
		}
		if split := PointerSplit(pointer); joined != pointer || !slices.Equal(split, tokens) {
			t.Errorf("%q: joined %q, split %q", pointer, joined, split)
		}
	}
}
