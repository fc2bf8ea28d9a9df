package failure

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"baseUrl", "pagination", "authentication", "concat", "md5", "time", "#password", "id", "Übung"}
	for _, c := range []struct{ name, given, want string }{
		{"a letter missing", "pagnation", "pagination"},
		{"a letter too many", "conncat", "concat"},
		{"a letter different", "concad", "concat"},
		{"neighbours swapped", "baseUlr", "baseUrl"},
		{"other case", "baseurl", "baseUrl"},
		{"exact", "concat", "concat"},
		{"hash sign forgotten", "password", "#password"},
		{"beyond ASCII", "übung", "Übung"},
		{"several mistakes in a long name", "autentikation", "authentication"},
		{"short names tolerate one mistake", "md6", "md5"},
		{"too far", "mappings", ""},
		{"two of three letters differ", "mxx", ""},
		{"nothing in common", "xy", ""},
		{"empty", "", ""},
		{"absurdly long", strings.Repeat("concat", 1000), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := Nearest(c.given, names)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("Nearest(%q) = %q, %v, want %q", c.given, got, ok, c.want)
			}
		})
	}
}

func TestNearestDoesNotDependOnOrder(t *testing.T) {
	names := []string{"sha384", "sha224", "sha512"}
	for range 2 {
		if got, _ := Nearest("sha314", names); got != "sha384" {
			t.Errorf("order %v: got %q, want the nearest", names, got)
		}
		if got, _ := Nearest("sha5122", names); got != "sha512" {
			t.Errorf("order %v: got %q, want the nearest", names, got)
		}
		if got, _ := Nearest("tabc", []string{"tabd", "tabb"}); got != "tabb" {
			t.Errorf("of equally near names the first in the alphabet is wanted, got %q", got)
		}
		slices.Reverse(names)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("concat", "conact")
	f.Add("\xff", "")
	f.Fuzz(func(t *testing.T, name, known string) {
		if got, ok := Nearest(name, []string{known}); ok && got != known {
			t.Errorf("Nearest(%q, %q) = %q, which no one offered", name, known, got)
		}
	})
}
