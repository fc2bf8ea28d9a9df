package expr

import (
	"testing"
	"unicode/utf8"

	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestSprintf(t *testing.T) {
	checkCalls(t, []callCase{
		{"sprintf", `["%'.05d", 12]`, `"00012"`},
		{"sprintf", `["%05.2f|%x|%%|%2$s", 1.5, 255]`, `"01.50|ff|%|255"`},
		{"sprintf", `["%-5s|%+d", 4, 5]`, `"4    |+5"`},
		{"sprintf", `["%'*10s|%+05d|% 5d|%c|%o|%b|%X", "ab", 7, 7, 65, 8, 5, 255]`, `"********ab|+0007|    7|A|10|101|FF"`},
		{"sprintf", `["%g %G %.1e %5.1s", 0.00001234, 1e20, 12345.678, "abc"]`, `"1.234e-5 1.0E+20 1.2e+4     a"`},
		{"sprintf", `["%d %d %d %d %d", "12abc", "7.9", " -3", "abc", "1e3"]`, `"12 7 -3 0 1000"`},
		{"sprintf", `["%d %d %d %d", true, false, null, -7.9]`, `"1 0 0 -7"`},
		{"sprintf", `["%d %d", 123456789012345678901, "-0"]`, `"123456789012345678901 0"`},
		{"sprintf", `["%d %d %d %d %d", 9007199254740993.9, 1767225600123456769.0, "1.767225600123456769e18", 1e30, 1e-999999999]`,
			`"9007199254740993 1767225600123456769 1767225600123456769 1000000000000000000000000000000 0"`},
		{"sprintf", `["%x", 9007199254740993.0]`, `"20000000000001"`},
		{"sprintf", `["%s %.6f %.3f", 9007199254740993.0, 1735689600123456.123457, 9007199254740993.1235]`, `"9007199254740993.0 1735689600123456.123457 9007199254740993.124"`},
		{"sprintf", `["%.20f %.0f %.3e %.30e", 0.1, 9007199254740993.5, 9007199254740993.5, 0.1]`, `"0.10000000000000000000 9007199254740994 9.007e+15 1.000000000000000000000000000000e-1"`},
		{"sprintf", `["%.17g %.18g %.20G", 0.1, 9007199254740993.0, 9007199254740993.0]`, `"0.1 9007199254740993 9007199254740993"`},
		{"sprintf", `["%.2f %.1f", 99999999999999999999.996, -0.09999999999999999999999]`, `"100000000000000000000.00 -0.1"`},
		{"sprintf", `["%05d|%-05d|%'x-6d", -12, 12, 12]`, `"-0012|12   |12xxxx"`},
		{"sprintf", `["%u %u", 3, -1]`, `"3 18446744073709551615"`},
		{"sprintf", `["%x %o %b", -1, 0, 2]`, `"ffffffffffffffff 0 10"`},
		{"sprintf", `["%e %E", 0, 0.00012]`, `"0.000000e+0 1.200000E-4"`},
		{"sprintf", `["%e", 6]`, `"6.000000e+0"`},
		{"sprintf", `["%.1e", 1e100]`, `"1.0e+100"`},
		{"sprintf", `["%.1f %.1f %.2f %.2f", 2.25, 2.35, 1.005, 0.125]`, `"2.2 2.4 1.00 0.12"`},
		{"sprintf", `["%.0f %.0f %.0f", 0.5, 1.5, 2.5]`, `"0 2 2"`},
		{"sprintf", `["%f %F", 1.5, "2.5x"]`, `"1.500000 2.500000"`},
		{"sprintf", `["%f %f %f %f %f", "-.5", "+1.", ".", "1e", "e5"]`, `"-0.500000 1.000000 0.000000 1.000000 0.000000"`},
		{"sprintf", `["%f %.1f", -0.0, -0.04]`, `"0.000000 -0.0"`},
		{"sprintf", `["%e %g %f %e", 1e999, 1e999, 1e-999999999, -1e-999999999]`, `"1.000000e+999 1.0e+999 0.000000 -1.000000e-999999999"`},
		{"sprintf", `["%+f|%+08.2f|%-8.2f|", 1, 1.5, -1.5]`, `"+1.000000|+0001.50|-1.50   |"`},
		{"sprintf", `["%.99f", 0.5]`, `"0.50000000000000000000000000000000000000000000000000000"`},
		{"sprintf", `["%g %g %g %h %H", 100000, 1000000, 0, 1e-10, 1e-10]`, `"100000 1.0e+6 0 1.0e-10 1.0E-10"`},
		{"sprintf", `["%.3g %.0g", 1234.5, 1.5]`, `"1.23e+3 2"`},
		{"sprintf", `["%.f %.F %5.f| %.e %.g", 1.5, 2.25, 2.5, 12345.678, 0.00001234]`, `"1.500000 2.250000 2.500000| 1.234568e+4 1.234e-5"`},
		{"sprintf", `["%.s %5.s| %.d %.x", "abc", "a", 7, 255]`, `"abc     a| 7 ff"`},
		{"sprintf", `["%s %s %s %s", true, false, 1.0, 2.50]`, `"1  1 2.5"`},
		{"sprintf", `["%'010d|%'x 5s", 42, "a"]`, `"0000000042|    a"`},
		{"sprintf", `["%2$s %1$s %s %s", "a", "b"]`, `"b a a b"`},
		{"sprintf", `["%1$s%1$s", "ab", "unused"]`, `"abab"`},
		{"sprintf", `["%5%|%ld", 3]`, `"%|3"`},
		{"sprintf", `["100%%"]`, `"100%"`},
		{"sprintf", `["plain"]`, `"plain"`},
		{"sprintf", `["č%3s", "ž"]`, `"č ž"`},
		{"sprintf", `["http://%s/x/", {"attr":"one"}]`, `"http://1/x/"`},
	})
	checkFaults(t, []faultCase{
		{"sprintf", `["%s %s","a"]`, "/x/args/0: expected as many values as the format has directives, 2 values, found 1 value after it"},
		{"sprintf", `["%3$s",{"attr":"s"}]`, "as many values as the format has directives, 3 values"},
		{"sprintf", `["%i",5]`, `/x/args/0: expected a valid format, directive 1 of the format: unknown type "i", known are d u o x`},
		{"sprintf", `["%s ` + theSecret + ` %i",{"attr":"s"}]`, `directive 2 of the format: unknown type "i"`},
		{"sprintf", `["50%",{"attr":"s"}]`, "the type is missing; a percent sign is written %%"},
		{"sprintf", `["%'",1]`, "the character to pad with is missing"},
		{"sprintf", `["%0$s",1]`, "arguments are counted from 1"},
		{"sprintf", `["%99999999999d",1]`, "a number above 65536"},
		{"sprintf", `["%1.99999999999d",1]`, "a number above 65536"},
		{"sprintf", `["%1$99999999999d",1]`, "a number above 65536"},
		{"sprintf", `[]`, "expected at least 1 argument for sprintf, found no arguments"},
		{"sprintf", `[["%s"],1]`, "sprintf: argument 1 is an array, expected a text"},
		{"sprintf", `["%s",[{"attr":"s"}]]`, "sprintf: argument 2 is an array, expected a text"},
		{"sprintf", `[{"attr":"format"}]`, `sprintf: directive 1 of the format: unknown type "i"`},
		{"sprintf", `[{"function":"concat","args":["%s"]}]`, "sprintf: the format needs 1 value, given are 0"},
		{"sprintf", `["%d",1e999]`, "sprintf: argument 2 has more than 400 digits"},
		{"sprintf", `["%.2f",1e999999999]`, "sprintf: argument 2 has more than 400 digits"},
		{"sprintf", `["%e",1e99999999999999999999]`, "sprintf: argument 2 has more than 400 digits"},
		{"sprintf", `["%x",123456789012345678901]`, "sprintf: argument 2 does not fit into 64 bits"},
		{"sprintf", `["%u",-99999999999999999999]`, "sprintf: argument 2 does not fit into 64 bits"},
	})
}

// A width and a length count bytes, as everything that hashes and signs does.
func TestSprintfCutsBytes(t *testing.T) {
	got, err := sprintf(Input{Args: []value.Value{value.OfString("%.1s"), value.OfString("č")}})
	if err != nil || got.Raw() != "\xc4" {
		t.Errorf("got %q, %v, want the first byte", got.Raw(), err)
	}
	got, err = sprintf(Input{Args: []value.Value{value.OfString("%c"), value.OfInt(0xE9)}})
	if err != nil || got.Raw() != "\xe9" {
		t.Errorf("got %q, %v, want the byte", got.Raw(), err)
	}
}

func FuzzSprintf(f *testing.F) {
	for _, format := range []string{"%'.05d", "%05.2f|%x|%%|%2$s", "%-5s|%+d", "%g %G %.1e %5.1s", "%c%o%b%X%u%h", "%", "%1$", "%'"} {
		f.Add(format, "12abc", "1e99")
	}
	f.Fuzz(func(t *testing.T, format, a, b string) {
		got, err := sprintf(Input{Args: []value.Value{value.OfString(format), value.OfString(a), value.OfString(b), value.OfBool(true)}})
		if err == nil && got.Kind() != value.String {
			t.Errorf("sprintf(%q) is a %s", format, got.Kind())
		}
		if err != nil && utf8.ValidString(format) && !utf8.ValidString(err.Error()) {
			t.Errorf("sprintf(%q): the error %q is no text", format, err)
		}
	})
}
