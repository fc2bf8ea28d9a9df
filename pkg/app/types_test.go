package app

import (
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestTypedTables(t *testing.T) {
	for support, want := range map[string]bool{"": false, "none": false, "hints": true, "authoritative": true} {
		typed, err := TypedTables(func(name string) string {
			return map[string]string{"KBC_DATA_TYPE_SUPPORT": support}[name]
		})
		if err != nil || typed != want {
			t.Errorf("%q: got %v, %v", support, typed, err)
		}
	}
	for _, support := range []string{"Hints", "true", " none"} {
		_, err := TypedTables(func(string) string { return support })
		if failure.KindOf(err) != failure.User || err.Error() != `KBC_DATA_TYPE_SUPPORT is "`+support+`", expected none, hints or authoritative` {
			t.Errorf("%q: got %v", support, err)
		}
	}
}
