package source

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

const sample = "{\r\n  \"a\": [1, \"ž\", {\"b/c\": true}],\n  \"x~\" : {} ,\n\t\"last\":null\n}\n"

func TestFind(t *testing.T) {
	tests := []struct {
		name, pointer, at string
		member, text      string
		line, column      int
	}{
		{"the document", "", "", "", strings.TrimSpace(sample), 1, 1},
		{"a member", "/last", "/last", `"last"`, "null", 4, 9},
		{"a list", "/a", "/a", `"a"`, `[1, "ž", {"b/c": true}]`, 2, 8},
		{"an item", "/a/1", "/a/1", "", `"ž"`, 2, 12},
		{"behind a character of two bytes", "/a/2", "/a/2", "", `{"b/c": true}`, 2, 17},
		{"an escaped slash", "/a/2/b~1c", "/a/2/b~1c", `"b/c"`, "true", 2, 25},
		{"an escaped tilde", "/x~0", "/x~0", `"x~"`, "{}", 3, 10},
		{"nothing there", "/a/7/x", "/a", `"a"`, `[1, "ž", {"b/c": true}]`, 2, 8},
		{"nothing at all there", "/zz", "", "", strings.TrimSpace(sample), 1, 1},
	}
	s := New([]byte(sample))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, at, ok := s.Find(tt.pointer)
			if !ok || at != tt.at || s.Slice(p.Name) != tt.member || s.Slice(p.Value) != tt.text {
				t.Fatalf("got %v at %q: %q %q", ok, at, s.Slice(p.Name), s.Slice(p.Value))
			}
			if line, column := s.Position(p.Value.Start); line != tt.line || column != tt.column {
				t.Errorf("got %d:%d, want %d:%d", line, column, tt.line, tt.column)
			}
		})
	}
}

func TestBrokenText(t *testing.T) {
	s := New([]byte(`{"a": {"b": 1, "c" 2}}`))
	if p, at, _ := s.Find("/a/b"); at != "/a/b" || s.Slice(p.Value) != "1" {
		t.Errorf("the part before the fault is not found: %q", at)
	}
	if p, _, _ := s.Find("/a"); s.Slice(p.Value) != `{"b": 1, "c"` {
		t.Errorf("got %q", s.Slice(p.Value))
	}
	if end, at := s.End(); end != 18 || at != "/a/c" {
		t.Errorf("got %d in %q", end, at)
	}
	if _, _, ok := New(nil).Find(""); ok {
		t.Error("an empty text has a value")
	}
}

func TestRepeatedNames(t *testing.T) {
	s := New([]byte(`{"a": {"old": 1}, "a": {"new": 2}}`))
	if p, _, _ := s.Find("/a"); s.Slice(p.Value) != `{"new": 2}` {
		t.Errorf("got %q, want the last one", s.Slice(p.Value))
	}
	if all := s.Scalars(); len(all) != 2 || all[0].Pointer != "/a/old" || s.Slice(all[1].Span) != "2" {
		t.Errorf("got the scalars %v", all)
	}
	if _, at, _ := s.Find("/a/old"); at != "/a" {
		t.Errorf("a member of the first one is found at %q", at)
	}
}

func TestLine(t *testing.T) {
	s := New([]byte(sample))
	for number, want := range []string{"", "{", `  "a": [1, "ž", {"b/c": true}],`, `  "x~" : {} ,`, "\t\"last\":null", "}", "", ""} {
		if got := s.Slice(s.Line(number)); got != want {
			t.Errorf("line %d: got %q, want %q", number, got, want)
		}
	}
}

// FuzzNew: every value that the parser finds has a place that holds it.
func FuzzNew(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"a":1,"a":{"a":[]},"":{"":0}}`))
	f.Add([]byte(`[{"x"`))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := New(text)
		s.load()
		for _, pointer := range slices.Sorted(maps.Keys(s.locations)) {
			p, at, ok := s.Find(pointer)
			if !ok || at != pointer || p.Value.Start > p.Value.End || p.Value.End > len(text) {
				t.Fatalf("%q: %v %q %v", pointer, ok, at, p)
			}
			if line, column := s.Position(p.Value.Start); line < 1 || column < 1 {
				t.Fatalf("%q: %d:%d", pointer, line, column)
			}
		}
		if v, err := value.Parse(text); err == nil {
			compare(t, s, v, "")
		}
	})
}

func compare(t *testing.T, s *Text, v value.Value, pointer string) {
	p, at, ok := s.Find(pointer)
	if !ok || at != pointer {
		t.Fatalf("%q is not found", pointer)
	}
	if got, err := value.Parse([]byte(s.Slice(p.Value))); err != nil || got.JSON() != v.JSON() {
		t.Fatalf("%q: got %s (%v), want %s", pointer, s.Slice(p.Value), err, v.JSON())
	}
	for _, m := range v.Members() {
		compare(t, s, m.Value, failure.PointerJoin(pointer, m.Name))
	}
}
