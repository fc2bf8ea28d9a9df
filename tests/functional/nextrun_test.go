package functional

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestNextRun shows what one run hands over to the next one: when it started,
// and the columns of its tables. The platform carries out/state.json to
// in/state.json.
func TestNextRun(t *testing.T) {
	var sent []string
	answers := []string{`[{"old":1,"id":1}]`, `[{"id":2,"new":3}]`}
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.RequestURI)
		// A client that is gone has its own error.
		_, _ = fmt.Fprint(w, answers[len(sent)-1])
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
		w.clock.advance(time.Hour)
	}
	want := []string{"/t?since=0&until=1767323045", "/t?since=1767323045&until=1767326645"}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %q, want %q", sent, want)
	}
}
