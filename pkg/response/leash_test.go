package response

import (
	"strings"
	"testing"

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
		{"the whole answer as one item", many, Query{Data: dot(".")}, 10_001, true},
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
			for _, failed := range page.Packed() {
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

func TestDeepNestingIsExplained(t *testing.T) {
	text := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	_, err := newScanner().Scan(spoolOf(t, text, 8), Query{})
	const want = "the response is not valid JSON: it is nested more than 10000 levels deep"
	if err == nil || failure.KindOf(err) != failure.User || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
