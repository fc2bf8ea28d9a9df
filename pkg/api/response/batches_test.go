package response

import (
	"strings"
	"testing"
)

// TestBatches: the items of every batch come one after another, in one pass or, where
// something else is wanted of them, in two.
func TestBatches(t *testing.T) {
	tests := []struct {
		name, text, path, keyAs string
		items                   string
		found                   bool
	}{
		{name: "a list of batches", text: `[{"results":[1,2],"id":"a"},{"results":[{"x":3}]}]`, path: "[].results", items: `1 2 {"x":3}`, found: true},
		{name: "a batch without the member, an empty one, null", text: `[{"a":1},{"results":[]},{"results":null},null,5,{"results":[7]}]`, path: "[].results", items: "7", found: true},
		{name: "no batch has it", text: `[{"fieldMask":"x"}]`, path: "[].results", found: true},
		{name: "no batch", text: `[]`, path: "[].results"},
		{name: "below a member", text: `{"d":{"batches":[{"r":[1]},{"r":[2]}]},"e":[9]}`, path: "d.batches.[].r", items: "1 2", found: true},
		{name: "batches of batches", text: `{"CDCResponse":[{"QueryResponse":[{"Invoice":[1],"n":1},{"Customer":[8]}]},{"QueryResponse":[{"Invoice":[2,3]}]}]}`, path: "CDCResponse.[].QueryResponse.[].Invoice", items: "1 2 3", found: true},
		{name: "objects and scalars are items", text: `{"edges":[{"node":{"id":1}},{"node":{}},{"node":0},{"node":"x"},{"cursor":"c"}]}`, path: "edges.[].node", items: `{"id":1} {} "x"`, found: true},
		{name: "each item of a list", text: `{"rows":[{"id":1},[2,3],null]}`, path: "rows.[]", items: `{"id":1} 2 3`, found: true},
		{name: "a list of lists", text: `[[1],[],[2]]`, path: "[]", items: "1 2", found: true},
		{name: "on an object it is a name", text: `{"[]":{"r":[1]}}`, path: "[].r", items: "1", found: true},
		{name: "no list there", text: `{"a":{"r":[1]}}`, path: "a.[].r"},
		{name: "names are data", text: `[{"r":{"a":{"x":1}}},{"r":{"b":2}},{"r":[]},{}]`, path: "[].r", keyAs: "k", items: `{"k":"a","x":1} {"k":"b","value":2}`, found: true},
		{name: "of equal names each is a batch", text: `{"a":[{"r":[1]}],"a":[{"r":[2],"r":[3]}]}`, path: "a.[].r", items: "1 2 3", found: true},
		{name: "escapes and numbers", text: `[{"r":["\u0061"]},{"r":[1.50]}]`, path: "[].r", items: `"a" 1.50`, found: true},
	}
	for _, tt := range tests {
		for _, also := range []struct {
			name   string
			fields []Path
			volume bool
		}{{name: ""}, {", with its volume", nil, true}, {", with fields in the items", []Path{dot("0.results.0.x"), dot("-1.r"), dot("a.0.r.0"), dot("rows.-1"), dot("d.batches.1.r.0")}, false}} {
			t.Run(tt.name+also.name, func(t *testing.T) {
				page, err := newScanner().Scan(spoolOf(t, tt.text, 16), Query{Data: dot(tt.path), KeyAs: tt.keyAs, Fields: also.fields, Volume: also.volume})
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // they may be read more than once
					if got := items(t, page); got != tt.items {
						t.Errorf("got %s, want %s", got, tt.items)
					}
				}
				if page.Found != tt.found || page.Rows != len(strings.Fields(tt.items)) || !page.IsList() {
					t.Errorf("found %v, %d rows, list %v", page.Found, page.Rows, page.IsList())
				}
			})
		}
	}
}

// TestBatchesDiffer: responds with other items, or other batches, have other fingerprints.
func TestBatchesDiffer(t *testing.T) {
	seen := map[uint64]string{}
	scanner := newScanner()
	for _, text := range []string{`[{"r":[1,2]}]`, `[{"r":[1]},{"r":[2]}]`, `[{"r":[1,3]}]`, `[{"r":{"a":1}}]`, `[{"r":{"a":2}}]`, `[{"r":[]}]`, `[]`} {
		page, err := scanner.Scan(spoolOf(t, text, 16), Query{Data: dot("[].r")})
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := seen[page.Fingerprint]; ok {
			t.Errorf("%s is like %s", text, before)
		}
		seen[page.Fingerprint] = text
	}
}

// TestBatchesOfNamesThatAreNoData: data without names cannot be keyed.
func TestBatchesOfNamesThatAreNoData(t *testing.T) {
	for _, text := range []string{`[{"r":[1]}]`, `[{"r":"x"}]`} {
		_, err := newScanner().Scan(spoolOf(t, text, 16), Query{Data: dot("[].r"), KeyAs: "k"})
		if err == nil || !strings.Contains(err.Error(), "keyAs") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestBatchesOfElements: in XML every element of a name is one of a list.
func TestBatchesOfElements(t *testing.T) {
	page, err := newScanner().Scan(spoolOf(t, `<a><b><c>1</c><c>2</c></b><b/><b><c>3</c></b></a>`, 16), Query{Format: Format{Name: "xml"}, Data: dot("b.[].c")})
	if err != nil {
		t.Fatal(err)
	}
	if got := items(t, page); got != `"1" "2" "3"` || page.Rows != 3 {
		t.Errorf("got %s, %d rows", got, page.Rows)
	}
}

// TestBatchesOfRows: rows of batches are named, and parallel lists of batches taken apart,
// once: also where something else is wanted of the batches, in a second pass.
func TestBatchesOfRows(t *testing.T) {
	tests := []struct{ name, columns, text, want string }{
		{"names in the response", `"names"`, `{"names":["a"],"d":[{"r":[[1]]},{},{"r":[[2],[3]]}]}`, `{"a":1} {"a":2} {"a":3}`},
		{"the first row has the names", `true`, `{"d":[{"r":[["a"],[1]]},{"r":[[2]]}]}`, `{"a":1} {"a":2}`},
		{"parallel lists", ``, `{"d":[{"r":{"a":[1,2]}},{"r":{"a":[3]}}]}`, `{"a":1} {"a":2} {"a":3}`},
	}
	for _, tt := range tests {
		query := Query{Data: dot("d.[].r"), Parallel: tt.columns == ""}
		if !query.Parallel {
			query.Columns = columnsOf(t, tt.columns)
		}
		volume, fields := query, query
		volume.Volume, fields.Fields = true, []Path{dot("d.-1.r.0.0")}
		for _, q := range []Query{query, volume, fields} {
			page, err := newScanner().Scan(spoolOf(t, tt.text, 16), q)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if got := items(t, page); got != tt.want || page.Rows != len(strings.Fields(tt.want)) {
				t.Errorf("%s: %d rows, %s", tt.name, page.Rows, got)
			}
		}
	}
}
