package functional

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestCombinationsInLittleMemory: the placeholders of a child job have 3.4 million
// combinations, but only those are made whose requests are sent. It is not
// parallel, for it looks at the memory of the process.
func TestCombinationsInLittleMemory(t *testing.T) {
	slowtest.SkipRace(t, "it looks at the memory")
	const items, end = 150, 500
	list := "[" + strings.TrimSuffix(strings.Repeat("1,", items), ",") + "]"
	for _, concurrency := range []int{1, 4} {
		t.Run(fmt.Sprint("concurrency ", concurrency), func(t *testing.T) {
			var requests atomic.Int64
			w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch n := requests.Add(1); {
				case r.URL.Path == "/parents":
					write(w, fmt.Sprintf(`[{"a":%[1]s,"b":%[1]s,"c":%[1]s}]`, list))
				case n < end:
					write(w, `[{"x":1}]`)
				default:
					w.WriteHeader(http.StatusForbidden)
				}
			}))
			writeFile(t, filepath.Join(w.dir, "config.json"), fmt.Sprintf(`{"parameters":{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d}},"config":{"outputBucket":"b","jobs":[
				{"endpoint":"parents","dataField":".","children":[{"endpoint":"c/{a}/{b}/{c}","dataType":"c","dataField":".","placeholders":{"a":"a","b":"b","c":"c"}}]}]}}}`, concurrency))
			var got outcome
			most := watchHeap(func() { got = w.run(t.Context()) })
			if got.exit != 1 || !strings.Contains(got.stderr, "403") {
				t.Errorf("exit code %d: %.300s", got.exit, got.stderr)
			}
			if sent := requests.Load(); sent > end+3*int64(concurrency) {
				t.Errorf("%d requests, want about %d", sent, end)
			}
			if most > 32<<20 {
				t.Errorf("%d MB of memory", most>>20)
			}
		})
	}
}
