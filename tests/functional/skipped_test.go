package functional

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
)

// TestSkippedIsNotRemembered: a list that a rule has skipped is read from its beginning
// when it is there, and from then on what is new.
func TestSkippedIsNotRemembered(t *testing.T) {
	for _, remember := range []string{`{"time": "currentStart"}`, `{"time": "currentStart", "per": ["id"]}`, `{"window": "end"}`} {
		t.Run(remember, func(t *testing.T) {
			exists := false
			var since []string
			w := newWorld(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/lists" {
					fmt.Fprint(rw, `[{"id": 1}]`)
					return
				}
				since = append(since, r.URL.Query().Get("since"))
				if !exists {
					rw.WriteHeader(http.StatusNotFound)
				}
				fmt.Fprint(rw, `[{"item": 5}]`)
			}))
			writeFile(t, filepath.Join(w.dir, "config.json"), `{"api": {"baseUrl": "http://api.test"}, "config": {"jobs": [{"endpoint": "lists", "children": [{
				"endpoint": "lists/{id}", "placeholders": {"id": "id"}, "dataType": "items", "windows": {"from": "yesterday", "step": "1 year"},
				"params": {"since": {"remembered": "since"}}, "remember": {"since": `+remember+`}, "rules": [{"status": 404, "do": "skip"}]}]}]}}`)
			for i, want := range []bool{false, false, true} {
				exists = i > 0
				if got := w.run(context.Background()); got.exit != 0 {
					t.Fatalf("exit %d: %s", got.exit, got.stderr)
				}
				if len(since) != i+1 || (since[i] != "") != want {
					t.Errorf("run %d has sent since=%q", i+1, since)
				}
			}
		})
	}
}
