package soak

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/internal/testbin"
)

// shortForm is how many requests the soak has when SOAK_REQUESTS says nothing.
const shortForm = 10_000

// TestSoak runs the extractor and looks at it while it works: its memory and its
// open files must not grow, and at the end every row must be there, once and in
// its place.
func TestSoak(t *testing.T) {
	slowtest.OutsideCI(t, "it sends ten thousand requests")
	if runtime.GOOS != "linux" {
		t.Skip("what a process holds is read from /proc")
	}
	requests, every := shortForm, 10*time.Millisecond
	if text := os.Getenv("SOAK_REQUESTS"); text != "" {
		var err error
		if requests, err = strconv.Atoi(text); err != nil || requests < 1 {
			t.Fatalf("SOAK_REQUESTS must be a number of requests, found %q", text)
		}
		every = 100 * time.Millisecond
	}
	api := newFlakyAPI((requests + requestsForPage - 1) / requestsForPage)
	server := httptest.NewServer(api)
	defer server.Close()
	dir := dataDir(t, server.URL)

	began := time.Now()
	run := start(t, dir)
	samples := watch(run.process.Process.Pid, every, api.count, run.ended)
	run.check(t)
	t.Logf("%d requests in %s, %s of CPU time", api.requests, time.Since(began).Round(time.Millisecond),
		run.process.ProcessState.UserTime()+run.process.ProcessState.SystemTime())

	checkHoldings(t, quarters(samples, api.requests))
	checkRequests(t, api, run, requests)
	checkTables(t, filepath.Join(dir, "out", "tables"), api.pages)
}

// dataDir is a data directory with the configuration.
func dataDir(t *testing.T, api string) string {
	t.Helper()
	type object = map[string]any
	config, err := json.Marshal(object{"parameters": object{
		"api": object{
			"baseUrl": api,
			"http":    object{"concurrency": 16},
			"authentication": object{
				"type":         "login",
				"loginRequest": object{"endpoint": "login"},
				"apiRequest":   object{"headers": object{"X-Token": object{"response": "token"}}},
			},
			"pagination": object{"method": "response.url", "urlKey": "next"},
		},
		"config": object{"outputBucket": "b", "jobs": []object{{
			"endpoint": "parents?page=1", "dataType": "parents", "dataField": "items",
			"children": []object{{
				"endpoint": "parents/{id}/orders?page=1", "dataType": "orders", "dataField": "items", "placeholders": object{"id": "id"},
			}},
		}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// running is an extractor at work, and then what it printed.
type running struct {
	process *exec.Cmd
	stderr  bytes.Buffer
	ended   chan struct{}
	err     error // of the process, when it has ended

	network  int // retries because of the network
	finished struct {
		Requests, Rows, Tables int
	}
}

func start(t *testing.T, dir string) *running {
	t.Helper()
	binary, err := testbin.Build(t.TempDir(), "extractor")
	if err != nil {
		t.Fatal(err)
	}
	r := &running{process: exec.CommandContext(t.Context(), binary, "run", "--data", dir), ended: make(chan struct{})}
	r.process.Stderr = &r.stderr
	stdout, err := r.process.StdoutPipe()
	if err == nil {
		err = r.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		read := r.read(stdout)
		if r.err = r.process.Wait(); r.err == nil {
			r.err = read
		}
	}()
	return r
}

// read reads the events that matter here.
func (r *running) read(stdout io.Reader) error {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		line := lines.Bytes()
		switch {
		case bytes.Contains(line, []byte(`"event":"request.retried"`)) && bytes.Contains(line, []byte(`"reason":"network error`)):
			r.network++
		case bytes.Contains(line, []byte(`"event":"run.finished"`)):
			if err := json.Unmarshal(line, &r.finished); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// check wants a run that has ended well.
func (r *running) check(t *testing.T) {
	t.Helper()
	if r.err != nil || r.stderr.Len() > 0 {
		t.Fatalf("the extractor ended with %v\n%s", r.err, r.stderr.String())
	}
}

// checkHoldings wants the last quarter of the requests to hold no more than the
// second one, and the writing of the tables, too.
func checkHoldings(t *testing.T, parts [5]holding) {
	t.Helper()
	for i, name := range []string{"first quarter", "second quarter", "third quarter", "last quarter", "writing"} {
		t.Logf("%-14s %s", name, parts[i])
	}
	second, last := parts[1], parts[3]
	if second.samples < 10 || last.samples < 10 {
		t.Fatal("too few samples")
	}
	// What chance may add: the garbage collector lets the heap grow to 8 MB. In
	// the short form this finds what leaves a kilobyte behind for each request, in
	// the full one a dozen bytes.
	const memory, files = 6_000_000, 2
	if last.memory > second.memory+memory || last.mostMemory > second.mostMemory+memory {
		t.Errorf("the memory grows")
	}
	if writing := parts[4]; writing.mostMemory > max(second.mostMemory, last.mostMemory)+memory {
		t.Errorf("writing the tables takes memory")
	}
	if last.files > max(parts[0].files, second.files, parts[2].files)+files {
		t.Errorf("open files grow")
	}
}

// checkRequests wants every fault to have happened, and the extractor to have
// counted what it sent.
func checkRequests(t *testing.T, api *flakyAPI, run *running, least int) {
	t.Helper()
	for _, f := range faults {
		t.Logf("%-30s %d times", f, api.met[f])
		if api.met[f] == 0 {
			t.Errorf("this never happened: %s", f)
		}
	}
	t.Logf("%-30s %d times, %d logins", refused, api.refused, api.logins)
	if api.requests < least || api.logins < least/tokenLasts || api.refused == 0 {
		t.Errorf("%d requests, %d logins, %d refused", api.requests, api.logins, api.refused)
	}
	if len(api.asked) > 0 {
		t.Errorf("these are not there: %v", api.asked)
	}
	// A connection that was kept open and is reset before the first byte of the
	// answer is replaced by the HTTP client itself: no one counts that.
	replaced := api.met[reset] + api.met[cut] - run.network
	if replaced < 0 || replaced > api.met[reset] || run.finished.Requests != api.requests-replaced {
		t.Errorf("the extractor reports %d requests and %d failures of the network, the API of %d requests and %d failures",
			run.finished.Requests, run.network, api.requests, api.met[reset]+api.met[cut])
	}
}

// checkTables compares the tables row by row with what the API has.
func checkTables(t *testing.T, dir string, pages int) {
	t.Helper()
	parentTable := open(t, filepath.Join(dir, "b.parents"), "id", "name", "note")
	orderTable := open(t, filepath.Join(dir, "b.orders"), "amount", "city", "order", "text", "parent_id")
	for page := 1; page <= pages; page++ {
		for _, parent := range parents(page) {
			parentTable.next(parent)
			id, err := strconv.Atoi(parent["id"])
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= orderPages(id); n++ {
				for _, order := range orders(id, n) {
					order["parent_id"] = parent["id"]
					orderTable.next(order)
				}
			}
		}
	}
	parentTable.end()
	orderTable.end()
}

// table is a table that is read row by row.
type table struct {
	t       *testing.T
	name    string
	columns []string
	rows    *csv.Reader
	read    int
}

// open opens a table that must have these columns, in any order.
func open(t *testing.T, path string, columns ...string) *table {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	rows := csv.NewReader(file)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	header = slices.Clone(header)
	if !slices.Equal(slices.Sorted(slices.Values(header)), slices.Sorted(slices.Values(columns))) {
		t.Fatalf("%s: columns %v, want %v", path, header, columns)
	}
	return &table{t: t, name: filepath.Base(path), columns: header, rows: rows}
}

// next compares the next row with what it must hold.
func (tab *table) next(want map[string]string) {
	tab.t.Helper()
	row, err := tab.rows.Read()
	if err != nil {
		tab.t.Fatalf("%s: row %d, where %v should be: %v", tab.name, tab.read+1, want, err)
	}
	tab.read++
	for i, column := range tab.columns {
		if row[i] != want[column] {
			tab.t.Fatalf("%s: row %d is %v, want %v", tab.name, tab.read, strings.Join(row, " | "), want)
		}
	}
}

// end wants no further row.
func (tab *table) end() {
	tab.t.Helper()
	if row, err := tab.rows.Read(); err != io.EOF {
		tab.t.Errorf("%s: one more row after %d: %v, %v", tab.name, tab.read, row, err)
	}
	tab.t.Logf("%-30s %s", tab.name, fmt.Sprintf("%d rows", tab.read))
}
