package textfmt

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows", -1: "-1 rows", 1000: "1000 rows"} {
		if got := Count(n, "row"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		text         string
		most         int
		shorten, fit string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc…", "ab…"},
		{"žluťoučký", 4, "žluť…", "žlu…"},
		{"😀😀", 1, "😀…", "…"},
	}
	for _, tt := range tests {
		if got := Shorten(tt.text, tt.most); got != tt.shorten {
			t.Errorf("Shorten(%q, %d): got %q, want %q", tt.text, tt.most, got, tt.shorten)
		}
		if got := Fit(tt.text, tt.most); got != tt.fit {
			t.Errorf("Fit(%q, %d): got %q, want %q", tt.text, tt.most, got, tt.fit)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc …", "abčd": "ab …", "čč": "č …"} {
		if got := Cut(text, 3); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{"": "", "plain ž": "plain ž", "a\nb\tc": "a b c", "\x1b[2J\u0085\x7f": " [2J  "} {
		if got := OneLine(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestPrintableLines(t *testing.T) {
	for text, want := range map[string]string{"": "", "a\nb é …\n": "a\nb é …\n", "\x1b[2J\u009b\u202e\r\n\t\xff": `\x1b[2J\u009b\u202e\r` + "\n" + `\t` + "\uFFFD"} {
		if got := PrintableLines(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
