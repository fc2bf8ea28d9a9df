package order

import (
	"cmp"
	"math/big"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestCompare(t *testing.T) {
	for _, row := range []struct {
		less, more string // JSON
	}{
		// Numbers, and texts that hold some.
		{`9`, `10`}, {`"9"`, `"10"`}, {`9`, `"10"`}, {`-10`, `-9`}, {`-1`, `0`}, {`0`, `1e-400`}, {`1.5`, `1.50000000000000000000000000001`},
		{`9007199254740992`, `9007199254740993`}, {`"99999999999999999999999999999999999998"`, `99999999999999999999999999999999999999`},
		{`1e5`, `100001`}, {`99999`, `1e5`}, {`1E+2`, `101`}, {`0.5e1`, `6`}, {`"007"`, `"8"`}, {`"+7"`, `8`}, {`".5"`, `"0.6"`}, {`"5."`, `6`},
		{`-1e400`, `-1e399`}, {`1e399`, `1e400`},
		// Dates with a time zone.
		{`"2026-01-01T23:30:00+01:00"`, `"2026-01-01T23:00:00Z"`}, {`"2026-01-01T10:00:00.5Z"`, `"2026-01-01T10:00:01Z"`}, {`"2026-01-01T10:00:00Z"`, `"2026-01-01T10:00:00.123456789Z"`},
		{`"Fri, 02 Jan 2026 10:00:00 GMT"`, `"2026-01-02T10:00:01Z"`}, {`"2026-01-01 12:00:00+0200"`, `"2026-01-01 10:30:00 UTC"`},
		{`"Wed Dec 31 20:19:24 +0000 2025"`, `"Thu Jan 01 20:19:24 +0000 2026"`}, {`"20260101T100000Z"`, `"20260101T100001Z"`},
		// Dates of one form.
		{`"2026-01-02"`, `"2026-01-03"`}, {`"2026-9-30"`, `"2026-10-01"`}, {`"12/31/2025"`, `"1/2/2026"`}, {`"31.12.2025"`, `"2.1.2026"`}, {`"Dec 31, 2025"`, `"Jan 1, 2026"`},
		{`"1/2/2026 11:00 AM"`, `"1/2/2026 1:00 PM"`}, {`"2026-01-02 9:00:00"`, `"2026-01-02 10:00:00"`},
		{`2`, `"1e9999999999999999999"`}, {`"1e-9999999999999999999"`, `2`}, {`"9007199254740992"`, `9007199254740993.0`},
		// Anything else: as text.
		{`"10a"`, `"9a"`}, {`""`, `"a"`}, {`"a"`, `"é"`}, {`false`, `true`}, {`"2026-01-02"`, `"2026-01-02T10:00:00Z"`}, {`10`, `"2026-01-02"`},
		{`"0x10"`, `"0x9"`}, {`"1 000"`, `"9"`}, {`"Monday"`, `"Sunday"`}, {`"31/12/2025"`, `"4/4/2025"`}, {`"e5"`, `"e6"`}, {`"NaN"`, `"x"`}, {`"."`, `"1"`}, {`"-"`, `"1"`}, {`"1e"`, `"2e"`}, {`"1e+-2"`, `"2"`},
	} {
		less, more := Of(testvalue.Parse(t, row.less)), Of(testvalue.Parse(t, row.more))
		if Compare(less, more) >= 0 || Compare(more, less) <= 0 {
			t.Errorf("%s (%v) is not before %s (%v)", row.less, less, row.more, more)
		}
	}
	for _, row := range [][2]string{
		{`1`, `"1"`}, {`1`, `1.0`}, {`100`, `1e2`}, {`0`, `-0`}, {`0`, `"0.00e7"`}, {`"007"`, `7`},
		{`"2026-01-01T01:00:00+01:00"`, `"2026-01-01T00:00:00Z"`}, {`"2026-01-01T01:00:00+01"`, `"2026-01-01 00:00:00.000 +0000"`}, {`"2026-1-1"`, `"2026-01-01"`}, {`true`, `true`},
	} {
		if a, b := Of(testvalue.Parse(t, row[0])), Of(testvalue.Parse(t, row[1])); Compare(a, b) != 0 || Compare(b, a) != 0 {
			t.Errorf("%s (%v) is not equal to %s (%v)", row[0], a, row[1], b)
		}
	}
}

// FuzzCompare: the comparison never fails, is the same both ways round, and is that of
// exact arithmetic for numbers.
func FuzzCompare(f *testing.F) {
	for _, text := range []string{"", "1", "-1.50", "1e5", "0.000", "2026-01-02", "2026-01-02T10:00:00.5+02:00", "Fri, 02 Jan 2026 10:00:00 GMT", "1/2/2026", "abc", "+.5e-3"} {
		f.Add(text, "10")
		f.Add("2026-01-02T10:00:00Z", text)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Of(value.OfString(a)), Of(value.OfString(b))
		got := Compare(x, y)
		if back := Compare(y, x); got != -back {
			t.Errorf("%q to %q: %d, and back: %d", a, b, got, back)
		}
		if Compare(x, x) != 0 {
			t.Errorf("%q is not equal to itself", a)
		}
		if x.kind != kindNumber || y.kind != kindNumber || tooFar(a) || tooFar(b) {
			return
		}
		p, ok := new(big.Rat).SetString(a)
		q, ok2 := new(big.Rat).SetString(b)
		if !ok || !ok2 {
			t.Fatalf("%q or %q is not a number", a, b)
		}
		if want := p.Cmp(q); cmp.Compare(got, 0) != want {
			t.Errorf("%q to %q: got %d, want %d", a, b, got, want)
		}
	})
}

// tooFar reports whether a number is so large that exact arithmetic takes a long time.
func tooFar(text string) bool {
	_, exponent, ok := strings.Cut(strings.ToLower(text), "e")
	return ok && len(strings.TrimLeft(exponent, "+-0")) > 3
}

// TestTransitive: of numbers, and of dates of one kind, the greatest is the same
// regardless of their order.
func TestTransitive(t *testing.T) {
	for _, texts := range [][]string{
		{"1", "1.5", "-3", "1e3", "999", "1000.1", "0", "-0.1"},
		{"2026-01-01T10:00:00Z", "2026-01-01T10:30:00+01:00", "2025-12-31T23:00:00-05:00", "Thu, 01 Jan 2026 09:59:59 GMT"},
	} {
		for _, a := range texts {
			for _, b := range texts {
				for _, c := range texts {
					x, y, z := Of(value.OfString(a)), Of(value.OfString(b)), Of(value.OfString(c))
					if Compare(x, y) < 0 && Compare(y, z) < 0 && Compare(x, z) >= 0 {
						t.Errorf("%s < %s < %s", a, b, c)
					}
				}
			}
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for name, text := range map[string]string{"number": "9007199254740993", "date": "2026-01-01T10:00:00.123Z", "text": "550e8400-e29b-41d4-a716-446655440000", "late form": "Jan 2, 2026 3:04 PM"} {
		b.Run(name, func(b *testing.B) {
			v := value.OfString(text)
			for b.Loop() {
				Of(v)
			}
		})
	}
}
