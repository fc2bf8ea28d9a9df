package response

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestItemsForSeveral: child jobs and tables read a page at the same time, be its
// items kept or read once more.
func TestItemsForSeveral(t *testing.T) {
	var text strings.Builder
	const rows = 200
	for i := range rows {
		fmt.Fprintf(&text, `,{"id":%d,"text":%q}`, i, strings.Repeat(string(rune('a'+i%26)), i))
	}
	for _, limit := range []int{16, 1 << 20} {
		spool := spoolOf(t, "["+text.String()[1:]+"]", limit)
		page, err := newScanner().Scan(spool, Query{})
		if err != nil || page.Rows != rows {
			t.Fatalf("got %v, %v", page, err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				i := 0
				for item, err := range page.Items() {
					if want := strings.Repeat(string(rune('a'+i%26)), i); err != nil || item.Value().Field("text").Raw() != want {
						t.Errorf("limit %d, item %d: got %s, %v, want %s", limit, i, item.Value().JSON(), err, want)
						return
					}
					i++
				}
			})
		}
		all.Wait()
	}
}

// TestItemsAlone: the hash of the items is that of the items, regardless of what is around them.
func TestItemsAlone(t *testing.T) {
	d := Query{Data: dot("d")}
	keyed, volume, fields := d, d, d
	keyed.KeyAs, volume.Volume, fields.Fields = "k", true, []Path{dot("d.-1.id")}
	xml := Query{Format: formatOf(t, `{"format": "xml"}`), Data: dot("d")}
	lines := Query{Format: formatOf(t, `{"format": "jsonl"}`)}
	csv := Query{Format: formatOf(t, `{"format": "csv"}`)}
	tests := []struct {
		name        string
		query       Query
		text, other string
		same        bool
	}{
		{"beside", d, `{"n":1,"d":[{"id":1}]}`, `{"d":[{"id":1}],"m":{"n":2}}`, true},
		{"other items", d, `{"n":1,"d":[{"id":1}]}`, `{"n":1,"d":[{"id":2}]}`, false},
		{"more items", d, `{"d":[{"id":1}]}`, `{"d":[{"id":1},{"id":1}]}`, false},
		{"another order", d, `{"d":[1,2]}`, `{"d":[2,1]}`, false},
		{"another form", d, `{"n":1,"d":[{"id":1.50,"a":"A"}]}`, `{"d": [ {"id":1.5,"a":"\u0041"} ]}`, true},
		{"found", Query{}, `{"n":1,"d":[1]}`, `{"n":2,"d":[1]}`, true},
		{"found, with another name", Query{}, `{"d":[1]}`, `{"e":[1],"n":2}`, true},
		{"found, other items", Query{}, `{"d":[1]}`, `{"d":[2]}`, false},
		{"found at the top", Query{}, `[1]`, `[2]`, false},
		{"the last of equal names", d, `{"d":[2],"d":[1]}`, `{"d":[1]}`, true},
		{"the name of the path", Query{Data: dot("a.b")}, `{"a.b":[1],"n":1}`, `{"a.b":[1],"n":2}`, true},
		{"an object at the name of the path", Query{Data: dot("a.b")}, `{"a.b":{"x":1},"n":1}`, `{"a.b":{"x":2},"n":1}`, false},
		{"an object", d, `{"d":{"id":1},"n":1}`, `{"d":{"id":1},"n":2}`, true},
		{"another object", d, `{"d":{"id":1}}`, `{"d":{"id":2}}`, false},
		{"a text", d, `{"d":"a","n":1}`, `{"d":"a","n":2}`, true},
		{"no items", d, `{"d":[],"n":1}`, `{"e":5}`, true},
		{"the volume", volume, `{"n":1,"d":[{"id":1.0}]}`, `{"n":2,"d":[{"id":1.00}]}`, true},
		{"the volume, other items", volume, `{"d":[{"id":1}]}`, `{"d":[{"id":2}]}`, false},
		{"a field in the items", fields, `{"n":1,"d":[{"id":1},{"id":2}]}`, `{"n":2,"d":[{"id":1},{"id":2}]}`, true},
		{"a field in other items", fields, `{"d":[{"id":1},{"id":2}]}`, `{"d":[{"id":3},{"id":2}]}`, false},
		{"members", keyed, `{"n":1,"d":{"a":{"id":1}}}`, `{"n":2,"d":{"a":{"id":1}}}`, true},
		{"another name", keyed, `{"d":{"a":{"id":1}}}`, `{"d":{"b":{"id":1}}}`, false},
		{"batches", Query{Data: dot("[].d")}, `[{"d":[1],"n":1},{"d":[2]}]`, `[{"d":[1],"n":2},{"d":[2]}]`, true},
		{"another batch", Query{Data: dot("[].d")}, `[{"d":[1]},{"d":[2]}]`, `[{"d":[1]},{"d":[3]}]`, false},
		{"XML", xml, `<r><n>1</n><d>a</d></r>`, `<r><d>a</d><n>2</n></r>`, true},
		{"XML, other items", xml, `<r><d>a</d></r>`, `<r><d>b</d></r>`, false},
		{"XML, chosen items", Query{Format: xml.Format, Data: dot("l.[n=1].d")}, `<r><x>1</x><l><n>1</n><d>a</d></l></r>`, `<r><x>2</x><l><n>1</n><d>a</d></l></r>`, true},
		{"lines", lines, "{\"a\":1}\n", "{ \"a\":1}", true},
		{"other lines", lines, "{\"a\":1}\n", "{\"a\":2}\n", false},
		{"CSV", csv, "a,b\n1,2\n", "\"a\",\"b\"\r\n1,2", true},
		{"CSV, other columns", csv, "a,b\n1,2\n", "a,c\n1,2\n", false},
	}
	for _, tt := range tests {
		sc := newScanner()
		var hashes [2]uint64
		for i, text := range []string{tt.text, tt.other} {
			for _, limit := range []int{8, MemoryLimit} {
				page, err := sc.Scan(spoolOf(t, text, limit), tt.query)
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				if limit != 8 && page.ItemsFingerprint != hashes[i] || page.ItemsFingerprint == 0 && page.Rows > 0 {
					t.Errorf("%s: %x, and %x in a file", tt.name, page.ItemsFingerprint, hashes[i])
				}
				hashes[i] = page.ItemsFingerprint
			}
		}
		if (hashes[0] == hashes[1]) != tt.same {
			t.Errorf("%s: %x and %x", tt.name, hashes[0], hashes[1])
		}
	}
}

// TestItemsAloneUnpacked: those of several texts in an archive.
func TestItemsAloneUnpacked(t *testing.T) {
	sc := newScanner()
	of := func(texts ...string) uint64 {
		var files []string
		for i, text := range texts {
			files = append(files, fmt.Sprintf("%d.json", i), text)
		}
		page, err := sc.Scan(spoolOf(t, zipped(files...), MemoryLimit), Query{Format: formatOf(t, `{"unpack": "zip"}`), Data: dot("d")})
		if err != nil {
			t.Fatal(err)
		}
		return page.ItemsFingerprint
	}
	one := of(`{"n":1,"d":[1]}`, `{"n":1,"d":[2]}`)
	if one != of(`{"n":2,"d":[1]}`, `{"d":[2]}`) || one == of(`{"n":1,"d":[1]}`, `{"n":1,"d":[3]}`) || one == of(`{"n":1,"d":[2]}`, `{"n":1,"d":[2]}`) {
		t.Error("wrong")
	}
}
