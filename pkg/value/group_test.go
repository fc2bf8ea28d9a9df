package value

import (
	"strings"
	"testing"
)

// TestGroup: members of equal names become lists, regardless of the object before it
// like.
func TestGroup(t *testing.T) {
	var g Grouper
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, `{}`},
		{[]string{"a", "b"}, `{"a":0,"b":1}`},
		{[]string{"a", "b"}, `{"a":0,"b":1}`},
		{[]string{"a"}, `{"a":0}`},
		{[]string{"a", "b", "c"}, `{"a":0,"b":1,"c":2}`},
		{[]string{"a", "b", "a", "c", "b", "a"}, `{"a":[0,2,5],"b":[1,4],"c":3}`},
		{[]string{"a", "a"}, `{"a":[0,1]}`},
		{[]string{"a", "b"}, `{"a":0,"b":1}`},
		{[]string{"", "ž", ""}, `{"":[0,2],"ž":1}`},
	} {
		dst := OfString("in front").AppendPacked(nil)
		start := len(dst)
		dst = OpenObject(dst)
		for i, name := range tt.names {
			dst = OfInt(int64(i)).AppendPacked(AppendName(dst, name))
		}
		ClosePacked(dst, start)
		dst = g.Group(dst, start, 0)
		if got := Packed(dst[start:]).Value().JSON(); got != tt.want || Packed(dst[:start]).Value().Raw() != "in front" {
			t.Errorf("%q: got %s, want %s", tt.names, got, tt.want)
		}
	}
}

// TestGroupDepths: objects in each other are grouped in one pass, which copies each byte
// once: with a copy for each depth this would be a terabyte.
func TestGroupDepths(t *testing.T) {
	const depths = 9_000
	text := strings.Repeat("x", 8<<20)
	var dst []byte
	var starts []int
	for range depths {
		starts = append(starts, len(dst))
		dst = AppendName(OpenObject(dst), "b")
		dst = AppendName(PackString(dst, "1"), []byte("b"))
		dst = AppendName(PackString(dst, "2"), []byte("a"))
	}
	dst = PackString(dst, text)
	for i := range starts {
		ClosePacked(dst, starts[depths-1-i])
	}
	var g Grouper
	dst = g.Group(dst, 0, 0)
	v := Packed(dst)
	for depth := range depths {
		list, _ := v.Member("b")
		if second, ok := list.item("1"); !ok || list.Len() != 2 || string(second.Raw()) != "2" {
			t.Fatalf("depth %d has %s", depth, list.Value().JSON())
		}
		v, _ = v.Member("a")
	}
	if string(v.Raw()) != text {
		t.Error("the text is another one")
	}
}
