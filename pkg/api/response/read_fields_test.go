package response

import (
	"runtime"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func TestLook(t *testing.T) {
	paths := []Path{{"a", "."}, {"a.b", "."}, {"l.-1.x", "."}, {"l.[n=2].x", "."}, {"@odata.next", "."}, {".", "."}}
	for _, tt := range []struct{ text, want string }{
		{`{"a":1,"l":[{"n":1,"x":"p"},{"n":2,"x":"q"}],"@odata.next":"u"}`, `1 null "q" "q" "u"`},
		{`{"a":{"b":[true]}}`, `{"b":[true]} [true] null null null`},
		{`{"a":1,"a":null}`, `null null null null null`},
		{"\xef\xbb\xbf [\"a\"]\n", `null null null null null ["a"]`},
		{"{\"a\":\"x\xffy\"}", `"xy" null null null null`},
		{`7`, `null null null null null 7`},
		{`{"a":1`, "no JSON"}, {`{"a":1} {}`, "no JSON"}, {``, "no JSON"}, {"\xef\xbb\xbf", "no JSON"}, {`<a>`, "no JSON"}, {`a,b`, "no JSON"},
	} {
		for _, limit := range []int{4, MemoryLimit} {
			spool := NewSpooler(t.TempDir(), limit).New()
			defer spool.Close()
			if _, err := spool.Write([]byte(tt.text)); err != nil {
				t.Fatal(err)
			}
			for range 2 { // it can be done again
				seen, ok, err := ReadFields(spool, paths)
				if err != nil {
					t.Fatal(err)
				}
				got := "no JSON"
				if ok {
					var texts []string
					for _, path := range paths {
						v, err := seen.Value(path)
						if err != nil {
							t.Fatal(err)
						}
						texts = append(texts, v.JSON())
					}
					got = strings.Join(texts, " ")
				}
				if !strings.HasPrefix(got, tt.want) {
					t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
				}
			}
		}
	}
	if _, err := (FieldValues{}).Value(paths[0]); failure.KindOf(err) != failure.Application {
		t.Errorf("got %v for a path that was not requested", err)
	}
}

// Of a large value only the kind is known, and nothing of the text stays in memory.
func TestLookAtMuch(t *testing.T) {
	slowtest.SkipRace(t, "it reads megabytes")
	spool := NewSpooler(t.TempDir(), 1<<10).New()
	defer spool.Close()
	chunk := strings.Repeat(`{"id":12345678,"name":"somebody"},`, 1<<10)
	write := func(text string) {
		t.Helper()
		if _, err := spool.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"list":[`)
	for range 512 {
		write(chunk)
	}
	write(`{}],"text":"` + strings.Repeat("x", 2<<20) + `","state":"done"}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	seen, ok, err := ReadFields(spool, []Path{{"list", "."}, {"text", "."}, {"state", "."}})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 12<<20 {
		t.Errorf("%d bytes were allocated for a response of %d", used, spool.Size())
	}
	if v, err := seen.Value(Path{"list", "."}); v.JSON() != "[]" || err != nil {
		t.Errorf("the list is %s, %v", v.JSON(), err)
	}
	if v, err := seen.Value(Path{"state", "."}); v.Text() != "done" || err != nil {
		t.Errorf("the state is %s, %v", v.JSON(), err)
	}
	if _, err := seen.Value(Path{"text", "."}); failure.KindOf(err) != failure.User {
		t.Errorf("got %v for a text that is too large", err)
	}
}

// TestItemsByValuesInThem: one pass finds what a walk of the whole tree finds.
func TestItemsByValuesInThem(t *testing.T) {
	const text = `{"e":["x",{"code.id":3,"m":"whole name"},{"code":{"id":1,"k":[{"v":2}]},"m":"one"},{"code":{"id":2,"k":[7,{"v":9}]},"m":"two"},{"code":{"id":null},"code.id":4,"m":"null"},{"code":{"id":2},"m":"late"}],
		"e.[code.id=8].m":"name"}`
	tree, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"e.[code.id=1].m": `"one"`, "e.[code.id=2].m": `"two"`, "e.[code.id=3].m": `"whole name"`, "e.[code.id=4].m": "null", "e.[code.id=8].m": `"name"`, "e.[code.id=9].m": "null",
		"e.[code.k.-1.v=9].m": `"two"`, "e.[code.k.0.v=2].m": `"one"`, "e.[.=x]": `"x"`,
	} {
		seen, ok, err := ReadFields(spoolOf(t, text, MemoryLimit), []Path{dot(path)})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		found, err := seen.Value(dot(path))
		if walked, _ := tree.At(path, "."); err != nil || found.JSON() != want || walked.JSON() != want {
			t.Errorf("%s: got %s (%v), the tree has %s, want %s", path, found.JSON(), err, walked.JSON(), want)
		}
	}
}
