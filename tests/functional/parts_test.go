package functional

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestWindowsInParts: items that change, some of them late, are extracted in runs of a few
// windows each (`atMost`, `stopAfter`), merged, with failures and missing rows. When no
// window is left, the table equals the table of one full extraction without a limit.
func TestWindowsInParts(t *testing.T) {
	slowtest.SkipRace(t, "it runs hundreds of extractions")
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			extractInParts(t, rand.New(rand.NewPCG(seed, 70)))
		})
	}
}

func extractInParts(t *testing.T, random *rand.Rand) {
	const late = 2 * time.Hour
	api := &changing{random: random, late: late, pageSize: 1 + random.IntN(20), byID: random.IntN(2) == 0}
	var w *world
	slow := time.Duration(random.IntN(3)) * time.Minute
	w = newWorld(t, http.HandlerFunc(func(res http.ResponseWriter, r *http.Request) {
		w.clock.Advance(slow)
		api.ServeHTTP(res, r)
	}))
	// Items change between runs only: otherwise a row could move to a page that was fetched.
	began := w.clock.Now()
	api.now = func() time.Time { return began }
	api.items = make([][]change, 5+random.IntN(60))
	for i := range api.items {
		api.change(i, defaultStart.Add(-time.Duration(random.Int64N(int64(3*time.Hour)))))
	}
	step := 1 + random.IntN(4)
	limits := []string{fmt.Sprintf(`, "atMost": %d`, 2/step+1+random.IntN(3)), ""}[random.IntN(2)]
	stopAfter := ""
	if limits == "" || random.IntN(2) == 0 {
		stopAfter = fmt.Sprintf(`"stopAfter": "%d minutes",`, 1+random.IntN(9))
	}
	config := func(limits, stopAfter string) string {
		return fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/",
			"http": {"concurrency": %d}, "retryConfig": {"maxRetries": 0}, "pagination": {"method": "offset", "limit": %d}}, "config": {
			"incrementalOutput": true, %s
			"mappings": {"items": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "version": "version", "updated": "updated"}},
			"jobs": [{"endpoint": "items", "dataField": "rows", "remember": {"until": {"window": "end"}}, "params": {"since": {"window": "start"}, "until": {"window": "end"}},
			"windows": {"from": {"remembered": "until", "default": "2026-01-02"}, "step": "%d hours", "lookback": "2 hours"%s}}]}}`,
			1+random.IntN(8), api.pageSize, stopAfter, step, limits)
	}
	w.options.Merge = true
	left := func() bool {
		writeFile(t, filepath.Join(w.dir, "config.json"), config(limits, stopAfter))
		api.failed.Store(false)
		began = w.clock.Now()
		got := w.run(t.Context())
		if failed := api.failed.Load() && api.fault.Load() == badGateway; got.exit > 1 || got.exit == 1 && !failed {
			t.Fatalf("exit %d, the API has failed: %t\n%s", got.exit, failed, got.stderr)
		}
		events := got.events(t)
		last := events[len(events)-1]
		all, _ := last["remaining"].([]any)
		if got.exit == 0 && len(all) != countKind(events, "windows.left") {
			t.Fatalf("%v\n%s", last, got.stdout)
		}
		return len(all) > 0
	}
	for range 8 {
		api.fault.Store(pick(random, noFault, noFault, noFault, badGateway, errorsOnly))
		left()
		pause := time.Duration(random.IntN(4)) * time.Duration(random.Int64N(int64(2*time.Hour))).Truncate(time.Second)
		for range random.IntN(20) {
			api.change(random.IntN(len(api.items)), w.clock.Now().Add(time.Duration(random.Int64N(int64(pause)+1))))
		}
		w.clock.Advance(pause)
	}
	w.clock.Advance(late + time.Second)
	api.fault.Store(noFault)
	slow = min(slow, time.Minute)
	for runs := 0; left(); runs++ {
		if runs > 200 {
			t.Fatal("the runs do not advance")
		}
	}
	merged := rowsOf(t, w)
	w.options.Full = true
	limits, stopAfter = "", ""
	left()
	if full := rowsOf(t, w); !slices.Equal(merged, full) {
		t.Errorf("in parts:\n%s\nat once:\n%s", strings.Join(merged, "\n"), strings.Join(full, "\n"))
	}
}

// TestOthersAreKept: jobs of random forms, some of which fail, leave the tables and the
// state of a configuration without the failed jobs, byte for byte.
func TestOthersAreKept(t *testing.T) {
	slowtest.SkipRace(t, "it runs hundreds of extractions")
	kept, failed := 0, 0
	for seed := range uint64(150) {
		k, f := keepOthers(t, seed)
		kept, failed = kept+k, failed+f
	}
	if kept < 100 || failed < 100 {
		t.Errorf("%d jobs were kept, %d failed", kept, failed)
	}
}

// generatedJob is a job of TestOthersAreKept.
type generatedJob struct {
	endpoint, dataType, settings string
	failsAt                      int // number of the page, 0 for a job that succeeds
	seed                         uint64
}

func (j generatedJob) text() string {
	return fmt.Sprintf(`{"endpoint": %q, "dataType": %q, "dataField": "rows"%s}`, j.endpoint, j.dataType, j.settings)
}

func keepOthers(t *testing.T, seed uint64) (kept, failed int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 71))
	types := []string{"a", "b", "c", "a_list", "b_deep_list", "d", "e", "f"}
	var jobs []generatedJob
	if random.IntN(2) == 0 { // a bucket with a mapping leaves no structure
		types = append(types, "m", "n")
		jobs = append(jobs, generatedJob{endpoint: "j0", dataType: "z", seed: seed})
	}
	for i := len(jobs); i < 9 && (i < 2 || random.IntN(6) > 0); i++ {
		j := generatedJob{endpoint: "j" + strconv.Itoa(i), dataType: types[random.IntN(len(types))], seed: random.Uint64()}
		if random.IntN(3) == 0 {
			j.failsAt = 1 + random.IntN(3)
		}
		switch random.IntN(4) {
		case 0:
			j.settings = fmt.Sprintf(`, "remember": {"n%d": {"max": "id"}}`, i/2)
		case 1:
			j.settings = fmt.Sprintf(`, "params": {"since": {"remembered": "n%d"}}`, random.IntN(4))
		case 2:
			j.settings = fmt.Sprintf(`, "children": [{"endpoint": "%s/{id}", "dataType": %q, "dataField": "rows", "placeholders": {"id": "id"}}]`, j.endpoint, types[random.IntN(len(types))]+"x")
		}
		jobs = append(jobs, j)
	}
	faulty := false
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, child, isChild := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		number, _ := strconv.Atoi(strings.TrimPrefix(name, "j"))
		page, _ := strconv.Atoi(r.FormValue("page"))
		j := jobs[number]
		if faulty && j.failsAt == page && !isChild {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		childID, _ := strconv.ParseUint(child, 10, 64)
		write(w, generatedPage(rand.New(rand.NewPCG(j.seed+childID, uint64(page))), page, number, isChild))
	})
	configOf := func(jobs []generatedJob, concurrency int) string {
		texts := make([]string, len(jobs))
		mappings := map[string]string{}
		for i, j := range jobs {
			texts[i] = j.text()
			if m, ok := map[string]string{
				"m": `{"id": {"mapping": {"destination": "id", "primaryKey": true}}, "list": {"type": "table", "destination": "rows", "tableMapping": {"v": "v"}, "parentKey": {"destination": "parent"}}}`,
				"z": `{"id": "id"}`,
				"n": `{"id": "id", "list": {"type": "table", "destination": "rows", "tableMapping": {"v": "v"}, "parentKey": {"destination": "parent"}}}`,
			}[j.dataType]; ok {
				mappings[j.dataType] = m
			}
		}
		var all []string
		for _, name := range []string{"m", "n", "z"} {
			if mappings[name] != "" {
				all = append(all, fmt.Sprintf("%q: %s", name, mappings[name]))
			}
		}
		return fmt.Sprintf(`{"api": {"baseUrl": "http://api.test/", "http": {"concurrency": %d}, "retryConfig": {"maxRetries": 0}, "pagination": {"method": "pagenum", "limit": 2}},
			"config": {"outputBucket": "k", "onFailure": "keepOthers", "incrementalOutput": true, "driftWarning": true, "mappings": {%s}, "jobs": [%s]}}`, concurrency, strings.Join(all, ","), strings.Join(texts, ","))
	}
	var state []byte
	extract := func(jobs []generatedJob) (outcome, map[string]string) {
		w := newWorld(t, api)
		if state != nil {
			writeFile(t, filepath.Join(w.dir, "in/state.json"), string(state))
		}
		got := w.runs(t, configOf(jobs, []int{1, 8}[random.IntN(2)]))
		files := readTree(t, w.dir)
		delete(files, "config.json")
		delete(files, "in/state.json")
		return got, files
	}
	if random.IntN(2) == 0 { // a run before, without failures
		got, files := extract(jobs)
		if got.exit != 0 {
			return 0, 0 // rows of different kinds
		}
		state = []byte(files["out/state.json"])
	}
	faulty = true
	got, files := extract(jobs)
	events := got.events(t)
	if got.exit != 0 {
		if got.exit != 1 || len(files) > 0 {
			t.Fatalf("seed %d: exit %d: %s", seed, got.exit, got.stderr)
		}
		return 0, 0
	}
	names, _ := events[len(events)-1]["failed"].([]any)
	others := slices.DeleteFunc(slices.Clone(jobs), func(j generatedJob) bool { return slices.Contains(names, any(j.endpoint)) })
	for _, j := range others {
		if j.failsAt == 1 {
			t.Errorf("seed %d: %s fails and is not named in %v", seed, j.endpoint, names)
		}
	}
	_, want := extract(others)
	if text, wanted := filesText(t, files), filesText(t, want); text != wanted {
		t.Fatalf("seed %d: failed %v of\n%s\n%s\nwant\n%s", seed, names, configOf(jobs, 1), text, wanted)
	}
	return len(others), len(names)
}

func filesText(t *testing.T, files map[string]string) string {
	t.Helper()
	text, err := json.MarshalIndent(files, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// generatedPage is a page of rows with lists, nulls and missing members. The third page is
// the last one.
func generatedPage(random *rand.Rand, page, job int, child bool) string {
	rows := []string{}
	for i := range 2 {
		if page > 2 && i > 0 {
			break
		}
		members := []string{fmt.Sprintf(`"id": %d`, 100*job+10*page+i)}
		if random.IntN(2) == 0 {
			members = append(members, `"list": [{"v": 1}, {"v": null, "w": true}]`)
		}
		if random.IntN(3) == 0 {
			members = append(members, `"deep": {"list": ["x", null], "n": 1.50}`)
		}
		if random.IntN(3) == 0 {
			members = append(members, fmt.Sprintf(`"own%d": "\"é,"`, job))
		}
		rows = append(rows, "{"+strings.Join(members, ",")+"}")
	}
	if child {
		rows = rows[:1]
	}
	return `{"rows": [` + strings.Join(rows, ",") + `]}`
}
