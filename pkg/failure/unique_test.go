package failure

import (
	"slices"
	"testing"
)

func TestUnique(t *testing.T) {
	a, b := Problem{Pointer: "/a", Expected: "x"}, Problem{Pointer: "/a", Expected: "y"}
	rows := []struct {
		name     string
		in, want Problems
	}{
		{"nothing", nil, nil},
		{"no repetition", Problems{b, a}, Problems{b, a}},
		{"first place counts", Problems{a, b, a, b, a}, Problems{a, b}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := row.in.Unique(); !slices.Equal(got, row.want) {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}
