//go:build linux

package machine

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMergesKilled kills runs that merge their tables into those of the run before.
// Regardless of the moment, all tables and the state are those of the runs that committed:
// no row is there twice, none is missing, also in a table without a primary key.
func TestMergesKilled(t *testing.T) {
	t.Parallel()
	kills, seed := number(t, "MACHINE_KILLS", 60)/2, number(t, "MACHINE_SEED", time.Now().UnixNano())
	t.Logf("MACHINE_SEED=%d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	m := newMerger(t)
	var committed []string
	for i := range kills {
		now := strconv.FormatInt(m.generation.Add(1), 10)
		exited := m.killAfter(time.Duration(random.Int64N(int64(m.life) * 15 / 10)))
		runs := m.runs()
		switch {
		case slices.Equal(runs, append(slices.Clone(committed), now)):
			committed = runs
		case !slices.Equal(runs, committed) || exited:
			t.Errorf("the rows are those of the runs %v, expected %v and maybe %s", runs, committed, now)
		}
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	t.Logf("%d of %d runs committed", len(committed), kills)
}

// TestMergeTooLarge: a run whose merged table cannot be written changes nothing, and
// says what to try.
func TestMergeTooLarge(t *testing.T) {
	t.Parallel()
	m, seen := newMerger(t), faults{}
	m.generation.Store(1)
	program{args: []string{"--merge"}}.run(t, m.data).mustSucceed(t)
	before := files(t, filepath.Join(m.data, "out"))
	m.few.Store(true)
	m.generation.Store(2)
	for limit := 1; ; limit *= 16 {
		r := program{args: []string{"--merge"}, limit: strconv.Itoa(limit)}.run(t, m.data)
		if r.exit == 0 {
			break
		}
		r.mustFail(t, 2, "file too large", filepath.Join(m.data, "out"), "ulimit -f")
		mustBe(t, "out", files(t, filepath.Join(m.data, "out")), before)
		seen.add(r)
		if t.Failed() || limit > 1<<30 {
			t.Fatalf("with a limit of %d bytes", limit)
		}
	}
	seen.mustHave(t, "cannot merge table")
	if got, want := m.column("b.log", "id"), []string{"1", "2"}; !slices.Equal(got, want) {
		t.Errorf("the log has the rows %v, want %v", got, want)
	}
}

// merger is a data directory whose tables grow from run to run.
type merger struct {
	*testing.T
	generation atomic.Int64
	few        atomic.Bool // without the shared rows
	data       string
	life       time.Duration
}

// sharedRows are there in each run, with another text.
const sharedRows = 2000

func newMerger(t *testing.T) *merger {
	m := &merger{T: t}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		now := m.generation.Load()
		var rows []map[string]any
		if r.URL.Path == "/keyed" && !m.few.Load() {
			for id := range sharedRows {
				rows = append(rows, map[string]any{"id": -id - 1, "run": now})
			}
		}
		_ = json.NewEncoder(w).Encode(append(rows, map[string]any{"id": now, "run": now})) // who asked may be dead
	}))
	t.Cleanup(api.Close)
	m.data = dataDir(t, fmt.Sprintf(`{"parameters": {"api": {"baseUrl": %q}, "config": {
		"outputBucket": "b", "incrementalOutput": true,
		"mappings": {
			"keyed": {"id": {"mapping": {"destination": "id", "primaryKey": true}}, "run": "run"},
			"log": {"id": "id", "run": "run"}},
		"jobs": [{"endpoint": "keyed"}, {"endpoint": "log"}]}}}`, api.URL))
	began := time.Now()
	program{args: []string{"--merge"}}.run(t, m.data).mustSucceed(t)
	m.life = time.Since(began)
	must(t, os.RemoveAll(filepath.Join(m.data, "out")))
	return m
}

// killAfter starts a run and kills it after a time. It reports whether the run had
// ended by then.
func (m *merger) killAfter(d time.Duration) (exited bool) {
	cmd := program{args: []string{"--merge"}}.command(m.Context(), m.data)
	must(m.T, cmd.Start())
	timer := time.AfterFunc(d, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer timer.Stop()
	_ = cmd.Wait() // it may be killed
	if cmd.ProcessState.Exited() && cmd.ProcessState.ExitCode() != 0 {
		m.Fatalf("the run failed by itself with exit code %d", cmd.ProcessState.ExitCode())
	}
	return cmd.ProcessState.Exited()
}

// runs are the runs whose rows are in the tables, in their order. Both tables must have
// the same ones, the state must be that of the last one.
func (m *merger) runs() []string {
	log, keyed := m.column("b.log", "id"), m.column("b.keyed", "id")
	switch {
	case len(log) == 0 && len(keyed) == 0:
		return nil
	case len(log) == 0 || len(keyed) < sharedRows:
		m.Fatalf("the tables have %d and %d rows", len(log), len(keyed))
	}
	if !slices.Equal(keyed[sharedRows:], log) {
		m.Errorf("the tables are not of the same runs: %v and %v", log, keyed[sharedRows:])
	}
	last := log[len(log)-1]
	for i, run := range m.column("b.keyed", "run") {
		if i < sharedRows && run != last {
			m.Fatalf("row %d is of run %s, the last one was %s", i, run, last)
		}
	}
	if _, err := os.Stat(stateFile(m.data)); err != nil {
		m.Errorf("tables without a state: %v", err)
	}
	return log
}

// column is a column of a table; nothing without the table.
func (m *merger) column(name, column string) []string {
	text, err := os.ReadFile(filepath.Join(m.data, "out", "tables", name))
	if err != nil {
		return nil
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	must(m.T, err)
	var cells []string
	for _, row := range rows[1:] {
		cells = append(cells, row[slices.Index(rows[0], column)])
	}
	return cells
}
