package field

import (
	"testing"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestLookup(t *testing.T) {
	doc := testvalue.Parse(t, `{"a":{"b/c":[10,{"~d":11}]},"":{"":12},"01":13}`)
	found := map[string]string{"": doc.JSON(), "/a/b~1c/0": "10", "/a/b~1c/1/~0d": "11", "//": "12", "/01": "13"}
	for pointer, want := range found {
		if v, ok := doc.Find(failure.PointerSplit(pointer)); !ok || v.JSON() != want {
			t.Errorf("%s: got %s %v, want %s", pointer, v.JSON(), ok, want)
		}
	}
	for _, pointer := range []string{"/x", "/a/b~1c/2", "/a/b~1c/-1", "/a/b~1c/00", "/a/b~1c/x", "/01/x", "/a/b"} {
		if v, ok := doc.Find(failure.PointerSplit(pointer)); ok {
			t.Errorf("%s: got %s", pointer, v.JSON())
		}
	}
}

func TestInOrder(t *testing.T) {
	doc := testvalue.Parse(t, `{"z":[0,1,2,3,4,5,6,7,8,9,10],"a":{"b":1}}`)
	at := func(pointer, text string) failure.Problem {
		return failure.Problem{Pointer: pointer, Expected: failure.Text(text)}
	}
	sorted := InOrder(doc, failure.Problems{
		at("/missing", "1"), at("/a/b", "2"), at("/z/10", "3"), at("/z/9", "4"), at("/a", "5"), at("", "6"), at("/z/9", "7"), at("/z/9", "4"), at("/a", "8"),
	})
	var got []string
	for _, p := range sorted {
		got = append(got, p.Pointer+" "+p.Expected.String())
	}
	sameLines(t, "order", got, []string{" 6", "/z/9 4", "/z/9 7", "/z/10 3", "/a 5", "/a 8", "/a/b 2", "/missing 1"})
}
