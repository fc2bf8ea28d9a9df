package tableload

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
	"github.com/keboola/configurable-extractor/pkg/tables/csvtable"
)

func TestFits(t *testing.T) {
	for _, row := range []struct {
		column    store.Column
		good, bad []string
	}{
		{store.Column{Type: store.TypeString}, []string{"x", " "}, nil},
		{store.Column{Type: store.TypeString, Length: "2"}, []string{"žš"}, []string{"abc"}},
		{store.Column{Type: store.TypeInteger}, []string{"0", "-12", "007"}, []string{"+1", "1.0", "1e3", " 1", "x", "--1", "123456789012345678901234567890123456789"}},
		{store.Column{Type: store.TypeNumeric}, []string{"1", "-1.50", ".5", "5.", "1e-3", "0.12345678901234567890"}, []string{"1,5", ".", "e3", "0x1", "NaN", "1_000", "1e29", "1e9999"}},
		{store.Column{Type: store.TypeNumeric, Length: "5,2"}, []string{"999.99", "-0.010"}, []string{"1000", "0.001", "1e1"}},
		{store.Column{Type: store.TypeFloat}, []string{"1", "1.5e300"}, []string{"1e999", "x", "0x1p-2", "infinite", "NaN"}},
		{store.Column{Type: store.TypeBoolean}, []string{"true", "false", "1", "0"}, []string{"2", "maybe", "TRUE", "yes"}},
		{store.Column{Type: store.TypeDate}, []string{"2026-02-28"}, []string{"2026-02-29", "2026-2-1", "28.02.2026", "2026-02-28 10:00:00", "0000-01-01"}},
		{store.Column{Type: store.TypeTimestamp}, []string{"2026-02-28 10:00:00", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00.123456+02:00", "2026-02-28 10:00:00-0200", "2026-02-28 10:00"},
			[]string{"2026-02-28 25:00:00", "2026-02-30T10:00:00Z", "1700000000", "2026-02-28T", "10:00:00", "2026-02-28", "2026-02-28T10:00+14:01"}},
	} {
		t.Run(row.column.Type+row.column.Length, func(t *testing.T) {
			for _, cell := range row.good {
				if !fits(row.column, cell) {
					t.Errorf("%q is refused", cell)
				}
			}
			for _, cell := range row.bad {
				if fits(row.column, cell) {
					t.Errorf("%q is taken", cell)
				}
			}
		})
	}
}

// randomCell returns a cell that is nearly a value of some type: a good cell with a few
// random changes.
func randomCell(r *rand.Rand) string {
	good := []string{"", "0", "-1", "12.50", "1e3", "-1.5E-300", ".5", "5.", "true", "false", "1", "2024-02-29", "1900-02-28", "2026-12-31T23:59:59.999Z", "2026-01-02 03:04", "2026-01-02T03:04+14:00",
		"2026-01-02T03:04:05-0930", strings.Repeat("9", 29), strings.Repeat("9", 38), "0." + strings.Repeat("3", 12), "žluťoučký", "1e308", "000"}
	cell := []rune(good[r.IntN(len(good))])
	letters := []rune("0123456789-+.eETZ: ,xtrufalsnNé")
	for range r.IntN(3) {
		at := r.IntN(len(cell) + 1)
		switch r.IntN(3) {
		case 0:
			cell = append(cell[:at], append([]rune{letters[r.IntN(len(letters))]}, cell[at:]...)...)
		case 1:
			if at < len(cell) {
				cell[at] = letters[r.IntN(len(letters))]
			}
		default:
			if at < len(cell) {
				cell = append(cell[:at], cell[at+1:]...)
			}
		}
	}
	return string(cell)
}

// TestExtractorAndPlatformAgree compares two implementations: the checks of the extractor
// and the checks of a load.
func TestExtractorAndPlatformAgree(t *testing.T) {
	const seed = 20260101
	r := rand.New(rand.NewPCG(seed, 1))
	lengths := map[string][]string{store.TypeString: {"", "3", "10"}, store.TypeNumeric: {"", "12,2", "5,0", "3,3", "38,9"}}
	accepted := map[string]int{}
	for range 300_000 {
		base := store.BaseTypes()[r.IntN(len(store.BaseTypes()))]
		all := lengths[base]
		length := ""
		if all != nil {
			length = all[r.IntN(len(all))]
		}
		c := store.Column{Type: base, Length: length, Nullable: r.IntN(2) == 0}
		cell := randomCell(r)
		check, _ := csvtable.ColumnType{Base: c.Type, Length: c.Length, Nullable: c.Nullable}.Check()
		ours := check.Fits([]byte(cell))
		platform := cell == "" && c.Nullable || cell != "" && fits(c, cell)
		// Types that are derived from cells may have exponents; declared types may not.
		if !ours && platform && base == store.TypeNumeric && length == "" && strings.ContainsAny(cell, "eE") {
			continue
		}
		if ours != platform {
			t.Errorf("%q as %s: the extractor accepts it: %v, the platform: %v", cell, typeText(c), ours, platform)
		}
		if ours {
			accepted[base]++
		}
	}
	for _, base := range store.BaseTypes() {
		if accepted[base] < 500 {
			t.Errorf("only %d cells of the type %s are accepted", accepted[base], base)
		}
	}
}
