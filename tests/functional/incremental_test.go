package functional

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestIncrementalIsComplete: random items change while they are extracted again and
// again by their greatest change, and each run is merged into the ones before. Some runs
// fail, and some lack rows without failing. At the end, the table equals the table of one
// full extraction, also if changes become visible late, but not later than the lookback.
func TestIncrementalIsComplete(t *testing.T) {
	slowtest.SkipRace(t, "it runs hundreds of extractions")
	for _, form := range []struct {
		name string
		late time.Duration // how late a change may become visible
		job  string
	}{
		{"the greatest change", 0, `"params": {"since": {"remembered": "since"}}`},
		{"windows with a lookback", 2 * time.Hour, `"params": {"since": {"window": "start"}, "until": {"window": "end"}},
			"windows": {"from": {"remembered": "since", "default": "2026-01-02"}, "step": "%d hours", "lookback": "2 hours"}`},
	} {
		for seed := range uint64(25) {
			if !slowtest.Turn(int(seed), 3) {
				continue
			}
			t.Run(fmt.Sprintf("%s, seed %d", form.name, seed), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, 7))
				job := form.job
				if strings.Contains(job, "%d") {
					job = fmt.Sprintf(job, 1+random.IntN(30))
				}
				extractIncrementally(t, random, form.late, job)
			})
		}
	}
}

func extractIncrementally(t *testing.T, random *rand.Rand, late time.Duration, job string) {
	api := &changing{random: random, late: late, pageSize: 1 + random.IntN(20), byID: random.IntN(2) == 0}
	w := newWorld(t, api)
	api.now = w.clock.Now
	api.items = make([][]change, 5+random.IntN(60))
	for i := range api.items {
		api.change(i, defaultStart.Add(-time.Duration(random.Int64N(int64(3*time.Hour)))))
	}
	writeFile(t, filepath.Join(w.dir, "config.json"), fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/",
		"http": {"concurrency": %d}, "retryConfig": {"maxRetries": 0}, "pagination": {"method": "offset", "limit": %d}}, "config": {
		"incrementalOutput": true,
		"mappings": {"items": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "version": "version", "updated": "updated"}},
		"jobs": [{"endpoint": "items", "dataField": "rows", "remember": {"since": {"max": "updated"}}, %s}]}}`, 1+random.IntN(3), api.pageSize, job))
	w.options.Merge = true
	for range 8 {
		api.fault.Store(pick(random, noFault, noFault, noFault, badGateway, errorsOnly))
		run(t, w, api)
		// Some items are changed until the next run, occasionally in this very second.
		pause := time.Duration(random.IntN(4)) * time.Duration(random.Int64N(int64(2*time.Hour))).Truncate(time.Second)
		for range random.IntN(20) {
			api.change(random.IntN(len(api.items)), w.clock.Now().Add(time.Duration(random.Int64N(int64(pause)+1))))
		}
		w.clock.Advance(pause)
	}
	w.clock.Advance(late + time.Second) // all changes are visible
	api.fault.Store(noFault)
	run(t, w, api)
	merged := rowsOf(t, w)
	w.options.Full = true
	run(t, w, api)
	if full := rowsOf(t, w); !slices.Equal(merged, full) {
		t.Errorf("merged:\n%s\nat once:\n%s", strings.Join(merged, "\n"), strings.Join(full, "\n"))
	}
	if len(merged) != len(api.items) {
		t.Errorf("%d rows for %d items", len(merged), len(api.items))
	}
}

// run does a run. It fails if the API responds with a status, and is incomplete if the API
// responds with errors only.
func run(t *testing.T, w *world, api *changing) {
	t.Helper()
	api.failed.Store(false)
	got := w.run(context.Background())
	failed, fault := api.failed.Load(), api.fault.Load()
	if (got.exit == 1) != (failed && fault == badGateway) || got.exit > 1 {
		t.Fatalf("exit %d, the API has failed: %t\n%s", got.exit, failed, got.stderr)
	}
	if incomplete := countKind(got.events(t), "response.errors") > 0; incomplete != (failed && fault == errorsOnly) {
		t.Fatalf("incomplete: %t, the API has failed: %t", incomplete, failed)
	}
}

// rowsOf are the rows of the table, sorted.
func rowsOf(t *testing.T, w *world) []string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(readTree(t, w.dir)["out/tables/items"])).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("no table: %v", err)
	}
	var all []string
	for _, row := range rows[1:] {
		all = append(all, strings.Join(row, ","))
	}
	slices.Sort(all)
	return all
}

// changing is an API whose items change with time.
type changing struct {
	random   *rand.Rand // not for requests
	late     time.Duration
	pageSize int
	byID     bool // order of the rows, otherwise by change
	now      func() time.Time
	items    [][]change
	fault    atomic.Int32 // of every second response
	asked    atomic.Int64
	failed   atomic.Bool // it has sent such a response in this run
}

const (
	noFault int32 = iota
	badGateway
	errorsOnly // with the status 200
)

// change is one version of an item.
type change struct {
	Version int `json:"version"`
	at      time.Time
	visible time.Time
}

// change makes a new version of an item, of a moment after its other versions.
func (a *changing) change(item int, at time.Time) {
	at = at.Truncate(time.Second)
	versions := a.items[item]
	if len(versions) > 0 && !at.After(versions[len(versions)-1].at) {
		return
	}
	visible := at
	if a.late > 0 && a.random.IntN(2) == 0 {
		visible = at.Add(time.Duration(a.random.Int64N(int64(a.late))))
	}
	a.items[item] = append(versions, change{len(versions) + 1, at, visible})
}

// row is an item as the API shows it.
type row struct {
	ID      int    `json:"id"`
	Version int    `json:"version"`
	Updated string `json:"updated"`
	at      time.Time
}

// rows returns the items as they are now.
func (a *changing) rows() []row {
	var rows []row
	for id, versions := range a.items {
		for _, v := range slices.Backward(versions) {
			if !v.visible.After(a.now()) {
				rows = append(rows, row{id, v.Version, v.at.Format(time.RFC3339), v.at})
				break
			}
		}
	}
	if !a.byID { // otherwise they are sorted already
		slices.SortFunc(rows, func(a, b row) int { return cmp.Or(a.at.Compare(b.at), a.ID-b.ID) })
	}
	return rows
}

// ServeHTTP implements http.Handler.
func (a *changing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if fault := a.fault.Load(); a.asked.Add(1)%2 == 0 && fault != noFault {
		a.failed.Store(true)
		if fault == badGateway {
			http.Error(w, "broken", http.StatusBadGateway)
		} else {
			write(w, `{"errors":["busy"]}`)
		}
		return
	}
	rows := slices.DeleteFunc(a.rows(), func(row row) bool {
		since, until := r.FormValue("since"), r.FormValue("until")
		return since != "" && row.at.Before(parseTime(since)) || until != "" && !row.at.Before(parseTime(until))
	})
	offset, _ := strconv.Atoi(r.FormValue("offset")) // the scroller sends it
	from := min(offset, len(rows))
	w.Header().Set("Content-Type", "application/json")
	page := map[string]any{"rows": rows[from:min(from+a.pageSize, len(rows))]}
	_ = json.NewEncoder(w).Encode(page) // a client that is gone has its own error
}

func parseTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err) // net/http closes the connection, the run fails
	}
	return at
}
