package functional

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// TestNextRun shows what one run hands over to the next one: when it started,
// and the columns of its tables. The platform carries out/state.json to
// in/state.json.
func TestNextRun(t *testing.T) {
	var sent []string
	responses := []string{`[{"old":1,"id":1}]`, `[{"id":2,"new":3}]`}
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.RequestURI)
		// A client that is gone has its own error.
		_, _ = fmt.Fprint(w, responses[len(sent)-1])
	}))
	writeFile(t, filepath.Join(w.dir, "config.json"), `{"api": {"baseUrl": "http://api.test/"}, "config": {"jobs": [
		{"endpoint": "t", "params": {"since": {"time": "previousStart"}, "until": {"time": "currentStart"}}}]}}`)
	tables := []string{"\"old\",\"id\"\n\"1\",\"1\"\n", "\"old\",\"id\",\"new\"\n\"\",\"2\",\"3\"\n"}
	for _, want := range tables {
		got := w.run(context.Background())
		got.checkStderr(t)
		files := readTree(t, w.dir)
		if got.exit != 0 || files["out/tables/t"] != want {
			t.Fatalf("exit %d, table:\n%swant:\n%s", got.exit, files["out/tables/t"], want)
		}
		writeFile(t, filepath.Join(w.dir, "in", "state.json"), files["out/state.json"])
		w.clock.Advance(time.Hour)
	}
	want := []string{"/t?since=0&until=1767323045", "/t?since=1767323045&until=1767326645"}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
}

// TestDriftFromRunToRun: columns that come with the data are reported once.
func TestDriftFromRunToRun(t *testing.T) {
	response := ""
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, response) }))
	writeFile(t, filepath.Join(w.dir, "config.json"), `{"api": {"baseUrl": "http://api.test/"}, "config": {"driftWarning": true, "jobs": [{"endpoint": "t"}]}}`)
	for i, run := range []struct {
		response string
		added    any // of the event; nil when there must be none
	}{
		{`[{"id":1}]`, nil},
		{`[{"id":1,"mail":"x","o":{"a":1}}]`, []any{"mail", "o_a"}},
		{`[{"id":1}]`, nil}, // what an automatic table once had it keeps
		{`[]`, nil},         // no table at all
		{`[{"id":1,"new":2}]`, []any{"new"}},
	} {
		response = run.response
		got := w.run(context.Background())
		got.checkStderr(t)
		var added any
		for _, e := range got.events(t) {
			if e["event"] == "table.drifted" {
				added = e["added"]
			}
		}
		if !reflect.DeepEqual(added, run.added) || got.exit != 0 {
			t.Errorf("run %d: exit %d, added %v, want %v", i+1, got.exit, added, run.added)
		}
		writeFile(t, filepath.Join(w.dir, "in", "state.json"), readTree(t, w.dir)["out/state.json"])
		w.clock.Advance(time.Hour)
	}
}
