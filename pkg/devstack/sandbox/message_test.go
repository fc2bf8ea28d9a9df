package sandbox

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	long := strings.Repeat("a", 3000) + strings.Repeat("ž", 3000)
	tests := []struct {
		name, text string
		cut        bool
		want       string
	}{
		{"empty", " \n\t", false, ""},
		{"white space around it", " \r\na b\n", false, "a b"},
		{"invalid UTF-8", "a\xff\xfeb", false, "a\uFFFDb"},
		{"as long as may be", strings.Repeat("ž", 4000), false, strings.Repeat("ž", 4000)},
		{"longer", long, false, strings.Repeat("a", 1997) + " ... " + strings.Repeat("ž", 1997)},
		{"an output as long as may be", strings.Repeat("b", 60_000), false, strings.Repeat("b", 1997) + " ... " + strings.Repeat("b", 1997)},
		{"a longer output", strings.Repeat("ž", 60_000) + "end", false, strings.Repeat("ž", 1997) + " ... " + strings.Repeat("ž", 1997-10) + " [trimmed]"},
		{"a secret in the middle", "a secret-word b", false, "a [hidden] b"},
		{"a secret that was cut", strings.Repeat("x", 100) + " secret-wo", true, strings.Repeat("x", 100+10-6*11) + " [trimmed]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := newCleaner([]string{"secret-word"}).clean(tt.text, tt.cut)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if n := utf8.RuneCountInString(got); n > 4000 {
				t.Errorf("%d characters", n)
			}
		})
	}
}

// TestCutSecrets: masking makes a text shorter, so the place at which the output
// was cut may come into sight, with one half of a secret.
func TestCutSecrets(t *testing.T) {
	secret := strings.Repeat("top-secret/", 20)
	var h head
	for range 2 * headBytes / len(secret) {
		h.write([]byte(secret + " "))
	}
	if !h.cut || len(h.text) != headBytes {
		t.Fatalf("%d bytes are kept, cut: %t", len(h.text), h.cut)
	}
	got := newCleaner([]string{secret}).clean(string(h.text), h.cut)
	if strings.Contains(got, "secret") || !strings.HasPrefix(got, "[hidden] [hidden]") || !strings.HasSuffix(got, " [trimmed]") {
		t.Errorf("got %q", got)
	}
}

// TestLines: how a text arrives in pieces does not matter.
func TestLines(t *testing.T) {
	const text = "one\n\n  two\r\nthree"
	for size := 1; size <= len(text); size++ {
		var got []string
		l := lines{give: func(h head) { got = append(got, string(h.text)) }}
		for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
			l.write(rest[:min(size, len(rest))])
		}
		l.end()
		if joined := strings.Join(got, "|"); joined != "one|two\r|three" {
			t.Errorf("in pieces of %d: %q", size, joined)
		}
	}
}
