package value

import (
	"slices"
	"strings"
	"testing"
)

func TestSegments(t *testing.T) {
	tests := []struct {
		path, separator string
		want            []string
	}{
		{"a", ".", []string{"a"}},
		{"a.b.0", ".", []string{"a", "b", "0"}},
		{".", ".", nil},
		{"", ".", []string{""}},
		{"", "", nil},
		{"a.b", "", []string{"a.b"}},
		{".a..b.", ".", []string{"", "a", "", "b", ""}},
		{"a.-1.b", ".", []string{"a", "-1", "b"}},
		{"links.[rel=next].href", ".", []string{"links", "[rel=next]", "href"}},
		{"[type=a.b].c", ".", []string{"[type=a.b]", "c"}},
		{"[a.b=c]", ".", []string{"[a.b=c]"}},
		{"[a=x/y]/[b=]/c", "/", []string{"[a=x/y]", "[b=]", "c"}},
		{"[a=b]c.d", ".", []string{"[a=b]c", "d"}},
		{"[a=b.c]d.e", ".", []string{"[a=b", "c]d", "e"}},
		{"[a=b]].c", ".", []string{"[a=b]]", "c"}},
		{"[a.b].c", ".", []string{"[a", "b]", "c"}},
		{"x[a=b.c].d", ".", []string{"x[a=b", "c]", "d"}},
		{"[a=b.c", ".", []string{"[a=b", "c"}},
		{"a->[b=c->d]->e", "->", []string{"a", "[b=c->d]", "e"}},
	}
	for _, tt := range tests {
		if got := slices.Collect(Segments(tt.path, tt.separator)); !slices.Equal(got, tt.want) {
			t.Errorf("%q by %q: got %q, want %q", tt.path, tt.separator, got, tt.want)
		}
	}
}

// FuzzPath: the segments of a path make the path again, and both forms of a value are
// walked alike.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a.b.0", "l.[k=v].x.-1", "[a=b.c]", "l.[x.1.y=3].k", "l.[.=u]", "a.", "x.y", "-1", "[=]", "]"} {
		f.Add(seed, ".", `{"a":{"b":[1,null]},"l":[{"k":"u"},{"k":"v","x":[2,{"y":3}]}],"x.y":4,"-1":5}`)
		f.Add(seed, "=", `[[{"a":"b.c"},{"k":true}],7]`)
	}
	f.Fuzz(func(t *testing.T, path, separator, text string) {
		segments := slices.Collect(Segments(path, separator))
		if got := strings.Join(segments, separator); path != separator && got != path {
			t.Errorf("%q by %q: the segments %q make %q", path, separator, segments, got)
		}
		v, err := Parse([]byte(text))
		if err != nil {
			return
		}
		packed := Packed(v.AppendPacked(nil))
		at, ok := v.At(path, separator)
		other, found := packed.At(path, separator)
		if ok != found || !at.Equal(other) {
			t.Errorf("%q by %q in %s: got %s, %v; packed %s, %v", path, separator, text, at.JSON(), ok, other.JSON(), found)
		}
		if walked, ok := packed.Walk(segments); ok && (!found || !walked.Value().Equal(other)) {
			t.Errorf("%q by %q in %s: the segments lead to %s, the path to %s", path, separator, text, walked.Value().JSON(), other.JSON())
		}
	})
}
