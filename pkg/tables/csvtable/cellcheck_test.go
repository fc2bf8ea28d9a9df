package csvtable

import (
	"strings"
	"testing"
)

func TestCellsThatFit(t *testing.T) {
	for _, row := range []struct {
		base, length string
		good, bad    []string
	}{
		{"STRING", "", []string{"x", " ", "\x00", strings.Repeat("é", 1000)}, nil},
		{"STRING", "3", []string{"abc", "žlu", "😀😀😀"}, []string{"abcd", "žluť"}},
		{"INTEGER", "", []string{"0", "-0", "-12", "007", strings.Repeat("9", 38), "-" + strings.Repeat("9", 38), strings.Repeat("0", 50) + "1"},
			[]string{"1.0", "1.", "+1", "-", "--1", "1e3", " 1", "1 ", "0x1", "1_000", "1,000", "١", "x", "true", strings.Repeat("9", 39)}},
		{"NUMERIC", "", []string{"1", "-1.50", ".5", "5.", "-.5", "0.123456789012345", strings.Repeat("9", 29), "12345678901234567890.5"},
			[]string{"1e3", "1,5", ".", "-", "-.", "", "+1", "1.2.3", "NaN", "0x1", "1 ", "1" + strings.Repeat("0", 29)}},
		{"NUMERIC", "5,2", []string{"123.45", "-123.45", "999.99", "1", "1.500", "00123.4", "0.01"}, []string{"1234", "1234.5", "1.234", "0.001", "1000"}},
		{"NUMERIC", "3", []string{"123", "123.0", "-999"}, []string{"1234", "1.5"}},
		{"NUMERIC", "2,2", []string{"0.12", ".99", "0"}, []string{"1", "0.123", "1.0"}},
		{"FLOAT", "", []string{"1", "-1.5e300", "1E5", "1e+5", "1e-400", "1e005", "1.", ".5e1", "0e999", strings.Repeat("9", 300)},
			[]string{"1e", "e5", "1e+", "1e5.5", "1e999", "-1e400", "NaN", "inf", "+1", "1 e5", "0x1p-2", strings.Repeat("9", 400)}},
		{"BOOLEAN", "", []string{"true", "false", "1", "0"}, []string{"True", "TRUE", "yes", "t", "2", "01", "true ", "null"}},
		{"DATE", "", []string{"2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"},
			[]string{"2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "0000-01-01", "2026-1-2", "26-01-02", "2026/01/02", "20260102", "2026-01-02T00:00", "+026-01-02", "2026-0a-02"}},
		{"TIMESTAMP", "", []string{"2026-01-02T03:04", "2026-01-02 03:04", "2026-01-02T03:04:05", "2026-01-02T03:04:05.1", "2026-01-02 03:04:05.123456789Z", "2026-01-02T03:04Z",
			"2026-01-02T03:04:05+02:00", "2026-01-02T03:04:05.000+0000", "2026-01-02 23:59:59-02", "2026-01-02T03:04+14:00", "2024-02-29T00:00"},
			[]string{"2026-01-02", "2026-01-02T", "2026-01-02T03", "2026-01-02T3:04", "2026-02-30T03:04", "2026-01-02T24:00", "2026-01-02T03:60", "2026-01-02T03:04:60", "2026-01-02T03:04:5",
				"2026-01-02T03:04:05.", "2026-01-02T03:04:05.1234567890", "2026-01-02T03:04.5", "2026-01-02t03:04", "2026-01-02T03:04z", "2026-01-02T03:04:05 +02:00", "2026-01-02T03:04+2", "2026-01-02T03:04+14:01",
				"2026-01-02T03:04+15", "2026-01-02T03:04+02:", "2026-01-02T03:04+02:0", "2026-01-02T03:04+02:60", "2026-01-02T03:04+020", "2026-01-02T03:04ZZ", "2026-01-02_03:04", "1767323045"}},
	} {
		t.Run(row.base+row.length, func(t *testing.T) {
			length := ""
			if row.length != "" {
				var fault string
				if length, fault = ParseLength(row.base, row.length); fault != "" {
					t.Fatal(fault)
				}
			}
			declared := ColumnType{Base: row.base, Length: length, Nullable: true}
			check, all := declared.Check()
			if all != (row.bad == nil) {
				t.Errorf("all cells fit: %v", all)
			}
			for _, cell := range append(row.good, "") {
				if !check.Fits([]byte(cell)) {
					t.Errorf("%.60q does not fit", cell)
				}
			}
			for _, cell := range row.bad {
				if cell != "" && check.Fits([]byte(cell)) {
					t.Errorf("%.60q fits", cell)
				}
			}
			declared.Nullable = false
			if check, all := declared.Check(); all || check.Fits(nil) {
				t.Error("an empty cell fits a column that is not nullable")
			}
		})
	}
}

func TestParseLength(t *testing.T) {
	for _, row := range []struct{ base, text, want string }{
		{"NUMERIC", "12,2", "12,2"}, {"NUMERIC", "12", "12,0"}, {"NUMERIC", "38,9", "38,9"}, {"NUMERIC", "1,1", "1,1"}, {"NUMERIC", "012,02", "12,2"},
		{"STRING", "255", "255"}, {"STRING", "134217728", "134217728"},
		{"NUMERIC", "39", ""}, {"NUMERIC", "38", ""}, {"NUMERIC", "0", ""}, {"NUMERIC", "2,3", ""}, {"NUMERIC", "12.2", ""}, {"NUMERIC", "12,", ""}, {"NUMERIC", ",2", ""}, {"NUMERIC", "12, 2", ""},
		{"NUMERIC", "12,2,1", ""}, {"NUMERIC", "-1", ""}, {"NUMERIC", "", ""}, {"NUMERIC", "99999999999999999999", ""},
		{"STRING", "0", ""}, {"STRING", "134217729", ""}, {"STRING", "1,2", ""}, {"INTEGER", "11", ""}, {"DATE", "1", ""},
	} {
		if got, fault := ParseLength(row.base, row.text); got != row.want || (fault == "") != (row.want != "") {
			t.Errorf("%s(%s): %q, %q", row.base, row.text, got, fault)
		}
	}
}

func TestChangesOfTypes(t *testing.T) {
	typed := func(base, length string, nullable bool) ColumnType { return ColumnType{base, length, nullable} }
	for _, row := range []struct {
		from, to ColumnType
		want     string
	}{
		{typed("DATE", "", true), typed("DATE", "", true), ""},
		{typed("DATE", "", false), typed("DATE", "", true), ""},
		{typed("DATE", "", true), typed("DATE", "", false), "the column may have empty cells"},
		{typed("DATE", "", true), typed("TIMESTAMP", "", true), "a column keeps its type"},
		{typed("DATE", "", true), ColumnType{}, "a column keeps its type"},
		{typed("NUMERIC", "12,2", true), typed("NUMERIC", "14,2", true), ""},
		{typed("NUMERIC", "12,2", true), typed("NUMERIC", "11,2", true), "a column cannot get fewer digits"},
		{typed("NUMERIC", "12,2", true), typed("NUMERIC", "12,3", true), "a column keeps its decimal places"},
		{typed("NUMERIC", "12,2", true), typed("NUMERIC", "", true), "a column keeps its length"},
		{typed("NUMERIC", "", true), typed("NUMERIC", "12,2", true), "a column keeps its decimal places"},
		{typed("NUMERIC", "", true), typed("NUMERIC", "38,9", true), ""},
		{typed("STRING", "10", true), typed("STRING", "20", true), ""},
		{typed("STRING", "", true), typed("STRING", "20", true), "a column cannot get fewer characters"},
	} {
		if got := row.from.Change(row.to); got != row.want {
			t.Errorf("%s to %s: %q, want %q", row.from, row.to, got, row.want)
		}
	}
}

// The checks are part of the work for every cell.
func TestChecksDoNotAllocate(t *testing.T) {
	for base, cell := range map[string]string{"INTEGER": "-1234567", "NUMERIC": "12.50", "FLOAT": "1.5e10", "BOOLEAN": "false", "DATE": "2026-01-02", "TIMESTAMP": "2026-01-02T03:04:05.123+02:00"} {
		check, _ := ColumnType{Base: base}.Check()
		text := []byte(cell)
		if n := testing.AllocsPerRun(100, func() { check.Fits(text) }); n != 0 {
			t.Errorf("%s: %v allocations", base, n)
		}
	}
}

func BenchmarkFits(b *testing.B) {
	for base, cell := range map[string]string{"INTEGER": "-1234567", "NUMERIC": "12.50", "TIMESTAMP": "2026-01-02T03:04:05.123+02:00"} {
		b.Run(base, func(b *testing.B) {
			check, _ := ColumnType{Base: base}.Check()
			text := []byte(cell)
			for b.Loop() {
				check.Fits(text)
			}
		})
	}
}
