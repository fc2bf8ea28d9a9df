package response

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/failure"
)

func TestLargeValues(t *testing.T) {
	long := strings.Repeat("x", 40<<10)
	const limit = 20 << 10 // a decoder reads a few kilobytes ahead
	many := "[" + strings.Repeat(`{"a":"0123456789"},`, 10_000) + "1]"
	tests := []struct {
		name, text string
		query      Query
		rows       int // -1: the scan fails
		items      bool
	}{
		{"many small items", many, Query{}, 10_001, true},
		{"large item", `[1,{"a":"` + long + `"}]`, Query{}, -1, false},
		{"item that is large as a whole", `[{"a":[` + strings.Repeat(`"0123456789",`, 4000) + `1]}]`, Query{}, -1, false},
		{"large text beside the data", `{"note":"` + long + `","data":[1]}`, Query{}, -1, false},
		{"large name", `{"` + long + `":1,"data":[1]}`, Query{}, -1, false},
		{"text without an end", `["` + long, Query{}, -1, false},
		{"the whole response as one item", many, Query{Data: dot(".")}, 10_001, true},
		{"a large object as one item", `{"a":` + many + `}`, Query{Data: dot(".")}, 1, false},
		{"items with places inside", `[{"a":["` + strings.Repeat(`0123456789","`, 4000) + `"]}]`, Query{Fields: []Path{dot("0.a.1")}}, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := NewSpooler(t.TempDir(), 8)
			home.item = limit
			spool := home.New()
			defer spool.Close()
			if _, err := spool.Write([]byte(tt.text)); err != nil {
				t.Fatal(err)
			}
			page, err := newScanner().Scan(spool, tt.query)
			if tt.rows < 0 {
				wantTooLarge(t, err)
				return
			}
			if err != nil || page.Rows != tt.rows {
				t.Fatalf("got %v, %v, want %d rows", page, err, tt.rows)
			}
			n := 0
			for _, failed := range page.Items() {
				if failed != nil {
					err = failed
					break
				}
				n++
			}
			if !tt.items {
				wantTooLarge(t, err)
			} else if err != nil || n != tt.rows {
				t.Errorf("got %d items, %v, want %d", n, err, tt.rows)
			}
		})
	}
}

func wantTooLarge(t *testing.T, err error) {
	t.Helper()
	if err == nil || failure.KindOf(err) != failure.User || err.Error() != "the response is too large: "+errLargeItem.Error() {
		t.Errorf("got %v, want the user error for a large value", err)
	}
}

// TestMemoryOfLargeResponses counts all bytes that are allocated while a response is
// scanned and its items are read, freed ones too: a buffer that grows counts
// several times, twice over since there are two passes.
func TestMemoryOfLargeResponses(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	const size = 2 << 20
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	tests := []struct {
		name, text string
		query      Query
		rows       int
		most       float64 // times the size
	}{
		{"white space between items", `[1,` + fill(" ") + `2]`, Query{}, 2, 0.1},
		{"white space in an item", `[1,{"a":` + fill(" \n") + `2}]`, Query{}, 2, 0.1},
		{"white space around", fill("\t") + `[1]` + fill("\r"), Query{}, 1, 0.1},
		{"white space beside the data", `{"a":` + fill(" ") + `1,"rows":[1]}`, Query{Data: dot("rows")}, 1, 0.1},
		{"indented item", `[{"a":[1` + fill(",\n"+strings.Repeat(" ", 60)+"1") + `]}]`, Query{}, 1, 3},
		{"large item", `[{"a":["0123456789"` + fill(`,"0123456789"`) + `]}]`, Query{}, 1, 15},
		{"large text", `[{"a":"` + fill("x") + `"}]`, Query{}, 1, 13},
		{"exponents", `[{"a":[1e300` + fill(`,1e300`) + `]}]`, Query{}, 1, 25},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := NewSpooler(t.TempDir(), 8)
			home.text = 64 << 10 // as small beside the response as maxText beside maxItem
			spool := home.New()
			defer spool.Close()
			if _, err := spool.Write([]byte(tt.text)); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			page, err := newScanner().Scan(spool, tt.query)
			if err != nil || page.Rows != tt.rows {
				t.Fatalf("%v, %+v", err, page)
			}
			for _, err := range page.Items() {
				if err != nil {
					t.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			if times := float64(after.TotalAlloc-before.TotalAlloc) / size; times > tt.most {
				t.Errorf("%.1f times its size was allocated, want %.1f at most", times, tt.most)
			}
		})
	}
}

// TestHugeBuffersAreNotKept: pages wait for others to be stored.
func TestHugeBuffersAreNotKept(t *testing.T) {
	slowtest.SkipRace(t, "its responses are large")
	spool := spoolOf(t, `["`+strings.Repeat("x", 3*MemoryLimit)+`"]`, 8)
	page, err := newScanner().Scan(spool, Query{})
	if err != nil {
		t.Fatal(err)
	}
	for when := range 2 {
		if n := cap(spool.items.last); n > 2*MemoryLimit {
			t.Errorf("%d bytes are kept after %d passes", n, when+1)
		}
		for item, err := range page.Items() {
			if err != nil || len(item.Raw()) != 3*MemoryLimit {
				t.Errorf("item of %d bytes, %v", len(item), err)
			}
		}
	}
}

func TestManyListsAtTheTop(t *testing.T) {
	slowtest.SkipRace(t, "it reads a million lists")
	lists := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"l%d":[],`, i)
		}
		return b.String()
	}
	page, err := newScanner().Scan(spoolOf(t, `{`+lists(maxLists)+strings.ReplaceAll(lists(maxLists), "[]", "1")+`"rows":[7],"l0":[]}`, 8), Query{})
	if err != nil || strings.Join(page.Lists, " ") != "rows l0" {
		t.Errorf("lists %v, %v", page, err)
	}
	if page, err = newScanner().Scan(spoolOf(t, `{`+lists(maxLists)+lists(maxLists)+lists(maxLists)+lists(maxLists)+`"x":1}`, 8), Query{}); err != nil || len(page.Lists) != maxLists || page.Lists[1] != "l1" {
		t.Errorf("lists that are repeated: %v", err)
	}
	const want = "the response has more than 100000 list-valued properties, or more than 128 MiB of their names: set 'dataField' to the list with the data"
	if _, err = newScanner().Scan(spoolOf(t, `{`+lists(maxLists+1)+`"x":1}`, 8), Query{}); err == nil || failure.KindOf(err) != failure.User || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDeepNestingIsExplained(t *testing.T) {
	text := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	_, err := newScanner().Scan(spoolOf(t, text, 8), Query{})
	const want = "the response is not valid JSON: it is nested more than 10000 levels deep"
	if err == nil || failure.KindOf(err) != failure.User || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
