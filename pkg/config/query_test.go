package config

import (
	"net/url"
	"testing"
)

func TestUnescapeQuery(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"plain":        "plain",
		"a%20b":        "a b",
		"a+b":          "a b",
		"%C4%8d":       "č",
		"a%2Bb":        "a+b",
		"a%20b%":       "a b%",
		"100%":         "100%",
		"%":            "%",
		"%4":           "%4",
		"%zz%41":       "%zzA",
		"%%41":         "%A",
		"%1G":          "%1G",
		"%\x10\x11%41": "%\x10\x11A",
		"%25%":         "%%",
		"%2":           "%2",
	} {
		if got := UnescapeQuery(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// FuzzUnescapeQuery: where all escapes are valid it is what the standard library
// says, and decoding what was encoded gives the text again.
func FuzzUnescapeQuery(f *testing.F) {
	f.Add("a%20b%")
	f.Add("%%%41+")
	f.Fuzz(func(t *testing.T, text string) {
		if want, err := url.QueryUnescape(text); err == nil && UnescapeQuery(text) != want {
			t.Errorf("%q is %q, want %q", text, UnescapeQuery(text), want)
		}
		if got := UnescapeQuery(url.QueryEscape(text)); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	})
}
