package response

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// keyedOutcome is what the items are, or the error, of a scan or of reading them.
func keyedOutcome(t testing.TB, text string, q Query, limit int) string {
	t.Helper()
	spool := spoolOf(t, text, limit)
	if limit < MemoryLimit {
		spool.home.text = 8
	}
	page, err := newScanner().Scan(spool, q)
	if err != nil {
		return err.Error()
	}
	var all []string
	for item, err := range page.Items() {
		if err != nil {
			return err.Error()
		}
		all = append(all, item.Value().JSON())
	}
	return fmt.Sprintf("%d %s", page.Rows, strings.Join(all, " "))
}

// TestKeyed: the members of an object are items, no matter what else is requested, and
// wherever the text and the items are kept.
func TestKeyed(t *testing.T) {
	tests := []struct{ name, text, path, want string }{
		{"objects", `{"rates":{"usd":{"rate":1},"eur":{"rate":0.9,"new":true}}}`, "rates", `2 {"id":"usd","rate":1} {"id":"eur","rate":0.9,"new":true}`},
		{"other values", `{"r":{"a":1,"b":"x","c":[1,{"d":2}],"e":null,"f":false}}`, "r", `5 {"id":"a","value":1} {"id":"b","value":"x"} {"id":"c","value":[1,{"d":2}]} {"id":"e","value":null} {"id":"f","value":false}`},
		{"the whole response", `{"a":{"x":1},"b":{}}`, ".", `2 {"id":"a","x":1} {"id":"b"}`},
		{"a name with escapes", `{"r":{"\u0061\"":{"x":"\n"}}}`, "r", `1 {"id":"a\"","x":"\n"}`},
		{"the path is a name", `{"a.b":{"x":{"y":1}}}`, "a.b", `1 {"id":"x","y":1}`},
		{"through a list", `{"a":[{"r":{"x":1}},{"r":{"y":2}}]}`, "a.-1.r", `1 {"id":"y","value":2}`},
		{"an empty object", `{"r":{}}`, "r", `0 `},
		{"an empty list, as PHP writes an empty object", `{"r":[]}`, "r", `0 `},
		{"null", `{"r":null}`, "r", `0 `},
		{"nothing", `{"s":{"x":1}}`, "r", `0 `},
		{"equal names", `{"r":{"a":1,"a":2}}`, "r", `2 {"id":"a","value":1} {"id":"a","value":2}`},
		{"data given twice", `{"r":{"a":1,"b":2},"r":{"c":3}}`, "r", `1 {"id":"c","value":3}`},
		{"equal names in an item", `{"r":{"a":{"x":1,"x":2}}}`, "r", `1 {"id":"a","x":2}`},
		{"a member of that name with the name", `{"r":{"7":{"n":1,"id":7},"x":{"id":"x"},"y":{"id":null}}}`, "r", `3 {"id":"7","n":1} {"id":"x"} {"id":"y"}`},
		{"a member of that name with another value", `{"r":{"a":{"id":"b"}}}`, "r", `the item 'a' has a member 'id' with another value than its name: choose another name for 'keyAs'`},
		{"a long name", `{"r":{"` + strings.Repeat("x", 101) + `":{"id":"b"}}}`, "r", `the item whose name is long has a member 'id' with another value than its name: choose another name for 'keyAs'`},
		{"a list", `{"r":[{"x":1}]}`, "r", `the data at 'r' is an array, expected an object whose names become 'id' ('keyAs')`},
		{"a text", `{"r":"x"}`, "r", `the data at 'r' is a string, expected an object whose names become 'id' ('keyAs')`},
		{"white space", "{ \"r\" : {\n \"a\" :   {  \"x\" : [ ] } \t, \"b\" : 1 } }", "r", `2 {"id":"a","x":[]} {"id":"b","value":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, q := range []Query{{}, {Volume: true}, {Fields: []Path{dot("r.a.x"), dot("r"), dot("a"), dot("rates.usd")}}, {Format: formatOf(t, `{"unpack":"gzip"}`)}} {
				q.Data, q.KeyAs = dot(tt.path), "id"
				text := tt.text
				if q.Format.Name == "" && !q.Format.Plain() {
					text = gzipped(text)
				}
				for _, limit := range []int{MemoryLimit, 4} {
					if got := keyedOutcome(t, text, q, limit); got != tt.want {
						t.Errorf("query %d, %d bytes in memory:\n got %s\nwant %s", i, limit, got, tt.want)
					}
				}
			}
		})
	}
}

// TestKeyedNotJSON: what is not JSON is an error among the members, too.
func TestKeyedNotJSON(t *testing.T) {
	for _, text := range []string{`{"r":{"a":1`, `{"r":{"a"}}`, `{"r":{"a":1,}}`, `{"r":{"a":{"b":}}}`, `{"r":{a:1}}`, `{"r":{"a":1}}}`, `{"r":{"a":1]}`} {
		_, err := newScanner().Scan(spoolOf(t, text, MemoryLimit), Query{Data: dot("r"), KeyAs: "id"})
		if failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "not valid JSON") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestKeyedXML: the elements in an element are items, its attributes and text are none.
func TestKeyedXML(t *testing.T) {
	tests := []struct{ name, text, path, want string }{
		{"elements", `<d><rates base="EUR"><usd>1.1</usd> <czk c="x">24</czk><none/></rates></d>`, "rates", `3 {"id":"usd","value":"1.1"} {"id":"czk","@c":"x","#text":"24"} {"id":"none","value":""}`},
		{"the root", `<d v="1"><a><x>1</x></a><b/></d>`, ".", `2 {"id":"a","x":"1"} {"id":"b","value":""}`},
		{"equal names", `<d><r><a>1</a><b>2</b><a>3</a></r></d>`, "r", `3 {"id":"a","value":"1"} {"id":"b","value":"2"} {"id":"a","value":"3"}`},
		{"several elements", `<d><r><a>1</a></r><r><b>2</b></r></d>`, "r", `2 {"id":"a","value":"1"} {"id":"b","value":"2"}`},
		{"an item of a list", `<d><r><a>1</a></r><r k="2"><b>2</b><b>3</b>t</r></d>`, "r.-1", `2 {"id":"b","value":"2"} {"id":"b","value":"3"}`},
		{"nothing", `<d><s/></d>`, "r", `0 `},
		{"empty", `<d><r/></d>`, "r", `0 `},
		{"a member of that name", `<d><r><a><id>b</id></a></r></d>`, "r", `the item 'a' has a member 'id' with another value than its name: choose another name for 'keyAs'`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, q := range []Query{{}, {Volume: true}, {Fields: []Path{dot("r.a"), dot("rates.usd"), dot("a.x")}}} {
				q.Format, q.Data, q.KeyAs = formatOf(t, `{"format":"xml"}`), dot(tt.path), "id"
				if got := keyedOutcome(t, tt.text, q, MemoryLimit); got != tt.want {
					t.Errorf("%+v:\n got %s\nwant %s", q.Fields, got, tt.want)
				}
			}
		})
	}
}

// TestFieldsBesideKeyed: paging finds its values beside the data and in it.
func TestFieldsBesideKeyed(t *testing.T) {
	for format, text := range map[string]string{
		`{}`:               `{"next":"n","r":{"a":{"x":"1"},"b":{"x":"2"}}}`,
		`{"format":"xml"}`: `<d><next>n</next><r><a><x>1</x></a><b><x>2</x></b></r></d>`,
	} {
		fields := []Path{dot("next"), dot("r.b.x"), dot("r.c")}
		page, err := newScanner().Scan(spoolOf(t, text, MemoryLimit), Query{Format: formatOf(t, format), Data: dot("r"), KeyAs: "id", Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, path := range fields {
			v, err := page.Field(path)
			if err != nil {
				t.Fatal(err)
			}
			got += v.JSON() + " "
		}
		if got != `"n" "2" null ` || !page.IsList() || len(page.Indicators) != 1 {
			t.Errorf("%s: %s, list %v, %v", format, got, page.IsList(), page.Indicators)
		}
	}
}

// TestKeyedInLittleMemory: the object may have any size.
func TestKeyedInLittleMemory(t *testing.T) {
	slowtest.SkipRace(t, "it reads megabytes")
	const members = 300_000
	spool := NewSpooler(t.TempDir(), 1<<20).New()
	defer spool.Close()
	io.WriteString(spool, `{"r":{`)
	for i := range members {
		fmt.Fprintf(spool, `"key %d":{"name":"%s"},`, i, strings.Repeat("x", 100))
	}
	io.WriteString(spool, `"last":1}}`)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	page, err := newScanner().Scan(spool, Query{Data: dot("r"), KeyAs: "id"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range page.Items() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n != members+1 || page.Rows != n {
		t.Errorf("%d items, %d rows", n, page.Rows)
	}
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 8<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}

// TestLargeKeyedItems: an item that is too large for memory is refused, be it by its name
// or its value, wherever it is noticed.
func TestLargeKeyedItems(t *testing.T) {
	const most = 10_000
	long := strings.Repeat("x", most*2/3)
	for text, fits := range map[string]bool{
		`{"r":{"a":"` + long + `","b":"` + long + `"}}`:         true,
		`{"r":{"a":"` + long + long + `"}}`:                     false,
		`{"r":{"` + long + long + `":1}}`:                       false,
		`{"r":{"` + long + `":["` + long + `"]}}`:               false,
		`{"r":{"a":{"b":"` + long + `","c":["` + long + `"]}}}`: false,
	} {
		for _, q := range []Query{{}, {Volume: true}} {
			q.Data, q.KeyAs = dot("r"), "id"
			spool := spoolOf(t, text, MemoryLimit)
			spool.home.item = most
			page, err := newScanner().Scan(spool, q)
			if err == nil {
				for _, err = range page.Items() {
					if err != nil {
						break
					}
				}
			}
			if fits != (err == nil) || err != nil && (failure.KindOf(err) != failure.User || !strings.Contains(err.Error(), "128 MiB")) {
				t.Errorf("%.30s… (%d bytes): %v", text, len(text), err)
			}
		}
	}
}

// FuzzKeyed: the items are the members of the tree.
func FuzzKeyed(f *testing.F) {
	for _, text := range []string{`{"a":{"x":1},"b":[1.50]}`, `{"id":{"id":"id"}}`, `{"a":{"id":1}}`, `{"":{"":""}}`, `{"\ud800":{"a":1}}`, `[]`, `[1]`, `0`, ` {"a" : {"b":{}} } `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		page, ok := scanned(t, text, Query{Data: dot("."), KeyAs: "id"})
		tree, err := value.Parse(text)
		if !ok || err != nil || tree.Kind() != value.Object {
			return
		}
		var want []string
		for _, m := range tree.Members() {
			members := []value.Member{{Name: "id", Value: value.OfString(m.Name)}}
			if m.Value.Kind() == value.Object {
				members = append(members, m.Value.Without("id").Members()...)
			} else {
				members = append(members, value.Member{Name: "value", Value: m.Value})
			}
			want = append(want, value.OfMembers(members...).JSON())
		}
		if page.Rows == len(want) && items(t, page) != strings.Join(want, " ") { // else names are equal
			t.Errorf("%q: %s, want %s", text, items(t, page), want)
		}
	})
}
