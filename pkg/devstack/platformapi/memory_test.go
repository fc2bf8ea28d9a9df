package platformapi_test

import (
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// TestRowsNeedLittleMemory: a preview, a sorted preview, an export and a sorted export of a
// table ten times as large need no more memory.
func TestRowsNeedLittleMemory(t *testing.T) {
	slowtest.OutsideCI(t, "it measures memory")
	slowtest.SkipRace(t, "the race detector has a memory of its own")
	const few, many = 1200, 12_000 // the larger table has 30 MB
	w := newWorld(t)
	for _, rows := range []int{few, many} {
		i, padding := 0, strings.Repeat("x", 2500)
		w.load(store.Load{Table: "in.c-b.t" + strconv.Itoa(rows), Columns: []store.Column{{Name: "id"}, {Name: "key"}, {Name: "padding"}}, Next: func() ([]string, error) {
			if i++; i > rows {
				return nil, io.EOF
			}
			return []string{strconv.Itoa(i), strconv.Itoa(i * 7919 % 1_000_003), padding}, nil
		}})
	}
	for _, one := range []struct{ name, method, path, body string }{
		{"preview with a condition", "GET", "/data-preview?whereColumn=key&whereValues[]=nothing", ""},
		{"sorted preview", "GET", "/data-preview?limit=10&orderBy[0][column]=key&orderBy[0][dataType]=INTEGER", ""},
		{"export", "POST", "/export-async", `{"gzip":true}`},
		{"sorted export", "POST", "/export-async", `{"orderBy":[{"column":"key","order":"DESC"}]}`},
	} {
		used := map[int]uint64{}
		for _, rows := range []int{few, many} {
			used[rows] = grown(func() {
				if response := w.ask(t, one.method, "/v2/storage/tables/in.c-b.t"+strconv.Itoa(rows)+one.path, strings.NewReader(one.body), "Content-Type", asJSON); response.Code >= http.StatusBadRequest {
					t.Errorf("%s: %d %s", one.name, response.Code, response.Body)
				}
			})
		}
		if used[many] > used[few]+14<<20 { // a sorter holds 8 MB of rows
			t.Errorf("%s: the heap grows by %v bytes, by rows", one.name, used)
		}
	}
}

// grown is by how much the heap grows. The collector runs often, and what is not in use is
// given back before.
func grown(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	held := func(m runtime.MemStats) uint64 { return m.HeapSys - m.HeapReleased }
	return held(after) - min(held(after), held(before))
}
