package platform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// iterating is a configuration with iterations 1 to n of the endpoint "part/N".
func iterating(baseURL, settings string, n int) string {
	var iterations []string
	for i := range n {
		iterations = append(iterations, fmt.Sprintf(`{"part":%d}`, i+1))
	}
	return fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q},
		"config":{%s"jobs":[{"endpoint":"part","params":{"n":{"attr":"part"}},"dataType":"t"}],
			"mappings":{"t":{"id":{"mapping":{"destination":"id","primaryKey":true}},"name":"name"}}},
		"iterations":[%s]}}`, baseURL, settings, strings.Join(iterations, ","))
}

// together answers no request before n of them have arrived, and then all.
func together(t *testing.T, n int) *target {
	t.Helper()
	var mu sync.Mutex
	arrived, all := 0, make(chan struct{})
	return newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if arrived++; arrived == n {
			close(all)
		}
		mu.Unlock()
		select {
		case <-all:
			fmt.Fprintf(w, `[{"id":%s,"name":"part %[1]s"}]`, r.URL.Query().Get("n"))
		case <-time.After(patience):
			http.Error(w, "not all jobs run side by side", http.StatusBadRequest)
		}
	})
}

// splitResult is what `job run --split --json` prints.
type splitResult struct {
	Groups []struct {
		State    string
		ExitCode *int `json:"exit_code"`
		Job      struct{ ID string }
	}
	Result struct {
		ExitCode        int `json:"exit_code"`
		Jobs, Succeeded int
	}
}

func TestSplitSideBySide(t *testing.T) {
	t.Parallel()
	const n = 20
	api := together(t, n)
	s := serve(t, t.TempDir(), "--parallel", "32")
	config := s.store(t, component, iterating(api.url, `"outputBucket":"b","incrementalOutput":true,`, n))
	done := s.extractor(t, "job", "run", "--config", config, "--split", "iterations", "--json")
	done.want(t, 0, "", "[iteration 20] job ")
	var got splitResult
	if err := json.Unmarshal([]byte(done.stdout), &got); err != nil {
		t.Fatalf("%v in %s", err, done.stdout)
	}
	if got.Result.ExitCode != 0 || got.Result.Jobs != n || got.Result.Succeeded != n || len(got.Groups) != n {
		t.Fatalf("result %+v", got)
	}
	ids := map[string]bool{}
	for _, g := range got.Groups {
		ids[g.Job.ID] = true
		if j := s.job(t, g.Job.ID); j.Status != "success" || g.State != "success" {
			t.Errorf("job %s: %s, %s", g.Job.ID, j.Status, g.State)
		}
	}
	if len(ids) != n {
		t.Errorf("%d different jobs", len(ids))
	}
	records := strings.Split(strings.TrimSuffix(s.rows(t, "in.c-b.t"), "\n"), "\n")
	if len(records) != n+1 || records[0] != `"id","name"` {
		t.Errorf("table with %d records: %v", len(records), records)
	}
	for i := range n {
		if want := fmt.Sprintf(`"%d","part %[1]d"`, i+1); !slices.Contains(records, want) {
			t.Errorf("the table lacks %s", want)
		}
	}
}

// TestSplitWithAFailedGroup: the other groups are loaded.
func TestSplitWithAFailedGroup(t *testing.T) {
	t.Parallel()
	api := newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if n := r.URL.Query().Get("n"); n != "2" {
			fmt.Fprintf(w, `[{"id":%s,"name":"x"}]`, n)
			return
		}
		http.Error(w, "not this one", http.StatusForbidden)
	})
	s := serve(t, t.TempDir())
	config := s.store(t, component, iterating(api.url, `"outputBucket":"b","incrementalOutput":true,`, 3))
	done := s.extractor(t, "job", "run", "--config", config, "--split", "iterations")
	done.want(t, 1, "2 of 3 jobs succeeded: exit code 1", "[iteration 2] job ")
	if got := s.rows(t, "in.c-b.t"); len(strings.Split(got, "\n")) != 4 {
		t.Errorf("table %s", got)
	}
}

func TestSplitRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	api := pages(t, nil)
	rows := []struct{ name, settings, text string }{
		{"tables would be replaced", `"outputBucket":"b",`, `it replaces the tables in bucket "b", which several jobs of the split write to`},
		{"default bucket", `"incrementalOutput":true,`, `set "outputBucket" in "config" or in each iteration`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			config := s.store(t, component, iterating(api.url, row.settings, 3))
			s.extractor(t, "job", "run", "--config", config, "--split", "iterations").want(t, 1, "", row.text)
		})
	}
	var jobs []job
	s.get(t, s.queue+"/search/jobs", &jobs)
	if len(jobs) > 0 || len(api.arrived()) > 0 {
		t.Errorf("something ran: %+v, %v", jobs, api.arrived())
	}
}
