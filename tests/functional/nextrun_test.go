package functional

import (
	"context"
	"net/http"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

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
