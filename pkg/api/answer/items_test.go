package answer

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
				for item, err := range page.Packed() {
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
