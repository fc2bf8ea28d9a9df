package load

import (
	"strings"
	"testing"
)

func TestDuplicates(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"none", `{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}], "A": 3}`, ""},
		{"two", "{\"a\": 1,\n \"a\": 2}", "/a 1:2 and 2:2"},
		{"three", `{"a": 1, "a": 2, "a": 3}`, "/a 1:2, 1:10 and 1:18"},
		{"equal values", `{"a": 1, "a": 1}`, "/a 1:2 and 1:10"},
		{"columns count characters", `{"ž": 1, "a": 2, "a": 3}`, "/a 1:10 and 1:18"},
		{"with escapes", `{"a": 1, "\u0061": 2}`, "/a 1:2 and 1:10"},
		{"an empty key", `{"": 1, "": 2}`, "/ 1:2 and 1:9"},
		{"in a list", `[{"a": 1, "b": 0, "a": 2}]`, "/0/a 1:3 and 1:19"},
		{"inside of what does not count", `{"o": {"a": 1, "a": 2}, "o": {"a": 3}}`, "/o 1:2 and 1:25"},
		{"inside of what counts", `{"o": {"a": 1}, "o": {"a": 3, "a": 4}}`, "/o 1:2 and 1:17 | /o/a 1:23 and 1:31"},
		{"in both", `{"o": {"a": 1, "a": 2}, "o": {"a": 3, "a": 4}}`, "/o 1:2 and 1:25 | /o/a 1:31 and 1:39"},
		{"cut off", `{"a": 1, "a": `, ""},
		{"not JSON", `{"a": 1, "a": 2, x`, "/a 1:2 and 1:10"},
		{"no text", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range Duplicates([]byte(tt.text)) {
				places, _ := strings.CutPrefix(p.Expected.String(), "the same object has this key at ")
				places, _, _ = strings.Cut(places, " (line:column)")
				got = append(got, p.Pointer+" "+places)
			}
			if g := strings.Join(got, " | "); g != tt.want {
				t.Errorf("got %q, want %q", g, tt.want)
			}
		})
	}
}
