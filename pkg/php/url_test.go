package php

import (
	"net/url"
	"slices"
	"testing"
)

func TestURLDecode(t *testing.T) {
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
		if got := URLDecode(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// FuzzURLDecode: with valid escapes the result is that of the standard library, and
// decoding an encoded text returns the text.
func FuzzURLDecode(f *testing.F) {
	f.Add("a%20b%")
	f.Add("%%%41+")
	f.Fuzz(func(t *testing.T, text string) {
		if want, err := url.QueryUnescape(text); err == nil && URLDecode(text) != want {
			t.Errorf("%q is %q, want %q", text, URLDecode(text), want)
		}
		if got := URLDecode(url.QueryEscape(text)); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	})
}

func TestURLEncode(t *testing.T) {
	const text = "aZ9-._~ +/č%"
	if got, want := URLEncode(text), "aZ9-._%7E+%2B%2F%C4%8D%25"; got != want {
		t.Errorf("URLEncode: got %s, want %s", got, want)
	}
	if got, want := RawURLEncode(text), "aZ9-._~%20%2B%2F%C4%8D%25"; got != want {
		t.Errorf("RawURLEncode: got %s, want %s", got, want)
	}
}

func TestQuery(t *testing.T) {
	want := []Parameter{{"a b", "1=2", false}, {"bare", "", true}, {"", "x", false}}
	if got := slices.Collect(Query("a+b=1%3d2&&bare&=x&")); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
