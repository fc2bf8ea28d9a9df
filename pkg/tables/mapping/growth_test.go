package mapping

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// shapes are rows that make one thing large: n of it. The work for them must
// grow as n does.
var shapes = []struct {
	name string
	n    int // for a test
	row  func(n int) string
}{
	{"objects", 200, func(n int) string {
		return members(n, func(i int) string { return fmt.Sprintf(`"o%d":{"a":1,"b":"x"}`, i) })
	}},
	{"lists", 100, func(n int) string {
		return members(n, func(i int) string { return fmt.Sprintf(`"l%d":[{"a":1}]`, i) })
	}},
	{"lists of one table, each with a column", 200, func(n int) string {
		return members(n, func(i int) string { return fmt.Sprintf(`%q:[{"a%d":1}]`, foreign(i), i) })
	}},
	{"properties", 1000, func(n int) string { return members(n, func(i int) string { return fmt.Sprintf(`"p%d":1`, i) }) }},
	{"properties that share a safe name", 500, func(n int) string {
		return members(n, func(i int) string { return fmt.Sprintf(`%q:1`, foreign(i)) })
	}},
	{"long names", 50, func(n int) string {
		return members(n, func(i int) string { return fmt.Sprintf(`"%s%d":1`, strings.Repeat("x", 10_000), i) })
	}},
	{"properties below a long name", 200, func(n int) string {
		return fmt.Sprintf(`{%q:%s}`, strings.Repeat("x", 20*n), members(n, func(i int) string { return fmt.Sprintf(`"p%d":{"a":1}`, i) }))
	}},
	{"chain of objects", 500, func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }},
	{"chain of objects with long names", 100, func(n int) string {
		return strings.Repeat(`{"`+strings.Repeat("x", 500)+`":`, n) + "1" + strings.Repeat("}", n)
	}},
}

// members is an object.
func members(n int, member func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = member(i)
	}
	return "{" + strings.Join(all, ",") + "}"
}

// foreign is a name without a letter that a safe name keeps.
func foreign(i int) string {
	var name []rune
	for range 4 {
		name = append(name, 'а'+rune(i%32))
		i /= 32
	}
	return string(name)
}

// takeShape collects a row, names everything, remembers it for the next run and
// writes the tables.
func takeShape(tb testing.TB, dir string, row value.Packed) {
	a, err := NewAutomatic(Options{TempDir: dir})
	if err == nil {
		err = a.Batch("t", nil).Row(row)
	}
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := NewAutomatic(Options{Structure: a.Structure()}); err != nil {
		tb.Fatal(err)
	}
	if _, err := writeInto(dir, a, Defaults{}); err != nil {
		tb.Fatal(err)
	}
	if err := a.Close(); err != nil {
		tb.Fatal(err)
	}
}

// allocated is how many bytes takeShape allocates.
func allocated(t *testing.T, text string) float64 {
	row := pack(testvalue.Parse(t, text))
	dir := t.TempDir()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	takeShape(t, dir, row)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestWorkGrowsWithTheRow compares how many bytes are allocated for a shape and
// for one four times as large. What is looked for without success, or made again on each
// level, is allocated, so that work with the square of the size shows: sixteen
// times as much.
func TestWorkGrowsWithTheRow(t *testing.T) {
	slowtest.SkipRace(t, "it takes the time of large rows")
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			buffers := allocated(t, `{"a":1}`)
			small, large := allocated(t, shape.row(shape.n))-buffers, allocated(t, shape.row(4*shape.n))-buffers
			if factor := large / small; factor > 5.5 {
				t.Errorf("%.0f bytes for %d, %.0f for %d: %.1f times as much", small, shape.n, large, 4*shape.n, factor)
			}
		})
	}
}

// BenchmarkShapes is one row of each shape, ten times as large as the test's.
func BenchmarkShapes(b *testing.B) {
	for _, shape := range shapes {
		b.Run(strings.ReplaceAll(shape.name, " ", "_"), func(b *testing.B) {
			row := pack(testvalue.Parse(b, shape.row(10*shape.n)))
			b.SetBytes(int64(len(row)))
			b.ReportAllocs()
			for b.Loop() {
				takeShape(b, b.TempDir(), row)
			}
		})
	}
}
