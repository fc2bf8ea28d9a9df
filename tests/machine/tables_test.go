//go:build linux

package machine

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/ramdisk"
	"github.com/keboola/configurable-extractor/internal/slowtest"
)

const (
	// fewFiles is how many files a process may have open where limits are low.
	fewFiles = "64"
	// littleMemory is what a run may take, however many tables it has.
	littleMemory = 64 << 20
)

// A run may have any number of tables: each of them costs neither an open file
// nor a buffer of its own.
func TestManyTables(t *testing.T) {
	slowtest.OutsideCI(t, "it writes 12,000 tables")
	ramdisk.Use(t)
	// The answers are made while they are sent: a process begins with the memory
	// of the one that starts it, so this one must be small.
	responses := map[string]struct {
		rows, lists int
		text        string
	}{
		"/many": {100, 4000, strings.Repeat("x", 100)},
		"/row":  {1, 3000, "x"},
		"/few":  {300, 1, strings.Repeat("x", 1000)},
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		response := responses[r.URL.Path]
		for row := range response.rows {
			fmt.Fprintf(w, `%c{"id":%d`, "[,"[min(row, 1)], row)
			for i := range response.lists {
				fmt.Fprintf(w, `,"l%d":[{"a":%d,"b":%q}]`, i, row, response.text)
			}
			fmt.Fprint(w, "}")
		}
		fmt.Fprint(w, "]")
	}))
	t.Cleanup(api.Close)

	var mapping, buckets strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&mapping, `,"l%d":{"type":"table","destination":"t_l%[1]d","tableMapping":{"a":"a","b":"b"}}`, i)
	}
	for i := range 100 {
		fmt.Fprintf(&buckets, `,{"outputBucket":"b%d"}`, i)
	}
	cases := []struct {
		name, config string
		iterations   string
		tables       int
		last         string // a table, and its records
		records      int
	}{
		{"4,001 tables of 100 rows", `"jobs":[{"endpoint":"many","dataType":"t"}]`, "", 4001, "b.t_l3999", 100},
		{"a row with 3,000 lists", `"jobs":[{"endpoint":"row","dataType":"t"}]`, "", 3001, "b.t_l2999", 1},
		{"a row with 3,000 mapped lists", `"mappings":{"t":{"id":"id"` + mapping.String() + `}},"jobs":[{"endpoint":"row","dataType":"t"}]`, "", 3001, "b.t_l2999", 1},
		{"4,001 tables of 100 rows, mapped and not", `"mappings":{"t":{"id":"id"` + mapping.String() + `}},
			"jobs":[{"endpoint":"many","dataType":"t"},{"endpoint":"row","dataType":"u"}]`, "", 6002, "b.t_l2999", 100},
		{"100 buckets, used again", `"jobs":[{"endpoint":"few","dataType":"t"}]`, `,"iterations":[` + buckets.String()[1:] + buckets.String() + `]`, 200, "b99.t_l0", 600},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},"config":{"outputBucket":"b",%s}%s}}`, api.URL, c.config, c.iterations))
			// The collector runs often, and above all when memory gets short: what
			// counts is what was needed, not what was lyingaround because the machine is busy.
			debug.FreeOSMemory()
			r := program{open: fewFiles, env: []string{"GOGC=50", "GOMEMLIMIT=48MiB"}}.run(t, dir)
			r.mustSucceed(t)
			// With the race detector this test is large, and so is what it starts.
			if r.memory > littleMemory && !slowtest.RaceDetector {
				t.Errorf("the run took %d MiB", r.memory>>20)
			}
			t.Logf("%d MiB", r.memory>>20)
			made, err := os.ReadDir(filepath.Join(dir, "out", "tables"))
			must(t, err)
			text, err := os.ReadFile(filepath.Join(dir, "out", "tables", c.last))
			must(t, err)
			if lines := bytes.Count(text, []byte("\n")); len(made) != 2*c.tables || lines != c.records+1 {
				t.Errorf("%d files, %s has %d lines", len(made), c.last, lines)
			}
		})
	}
}
