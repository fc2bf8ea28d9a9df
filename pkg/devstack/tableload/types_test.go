package tableload

import "testing"

func TestFits(t *testing.T) {
	for _, row := range []struct {
		baseType  string
		good, bad []string
	}{
		{typeString, []string{"", "x"}, nil},
		{typeInteger, []string{"0", "-12", "+1", "007"}, []string{"1.0", "1e3", " 1", "x", "--1", "123456789012345678901234567890123456789"}},
		{typeNumeric, []string{"1", "-1.50", ".5", "5.", "1e-3"}, []string{"1,5", ".", "e3", "0x1", "NaN", "1_000"}},
		{typeFloat, []string{"1", "1.5e300", "NaN", "-inf"}, []string{"1e999", "x", "0x1p-2", "infinite"}},
		{typeBoolean, []string{"true", "FALSE", "1", "0", "yes", "off"}, []string{"2", "maybe", "tru"}},
		{typeDate, []string{"2026-02-28"}, []string{"2026-02-29", "2026-2-1", "28.02.2026", "2026-02-28 10:00:00"}},
		{typeTimestamp, []string{"2026-02-28 10:00:00", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00.123456+02:00", "2026-02-28 10:00:00 -0200", "2026-02-28 10:00", "2026-02-28"},
			[]string{"2026-02-28 25:00:00", "2026-02-30T10:00:00Z", "1700000000", "2026-02-28T", "10:00:00"}},
	} {
		t.Run(row.baseType, func(t *testing.T) {
			for _, cell := range row.good {
				if !fits(row.baseType, cell) {
					t.Errorf("%q is refused", cell)
				}
			}
			for _, cell := range row.bad {
				if fits(row.baseType, cell) {
					t.Errorf("%q is taken", cell)
				}
			}
		})
	}
}
