package php

import "testing"

// TestSerialize: the bytes of serialize(). Rows and jobs are tested where they are
// hashed.
func TestSerialize(t *testing.T) {
	b := AppendArrayHead(nil, 4)
	b = AppendNull(AppendInt(b, 0))
	b = AppendBool(AppendKey(b, "-7"), true)
	b = AppendNumber(AppendKey(b, "07"), "1.50")
	b = AppendObjectHead(AppendKey(b, []byte("o")), 1)
	b = append(AppendDouble(AppendString(b, "ě"), 0.1), "}}"...)
	if got, want := string(b), `a:4:{i:0;N;i:-7;b:1;s:2:"07";d:1.5;s:1:"o";O:8:"stdClass":1:{s:2:"ě";d:0.10000000000000001;}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A short integer is copied; the result is that of reading it.
func TestAppendNumberOfShortIntegers(t *testing.T) {
	for literal, want := range map[string]string{
		"0": "i:0;", "-0": "i:0;", "-1": "i:-1;", "7": "i:7;", "12-3": "d:0;",
		"123456789012345678": "i:123456789012345678;", "-12345678901234567": "i:-12345678901234567;",
		"9223372036854775807": "i:9223372036854775807;", "9223372036854775808": "d:9.2233720368547758E+18;",
		"1.0": "d:1;", "1e3": "d:1000;", "-0.0": "d:-0;",
	} {
		if got := string(AppendNumber(nil, literal)); got != want {
			t.Errorf("%s: got %s, want %s", literal, got, want)
		}
	}
}
