package functional

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestLive: a platform that shows running jobs gets every request, and no other one does.
func TestLive(t *testing.T) {
	for _, live := range []string{"false", "true"} {
		w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[{"id": 1}]`)) }))
		writeFile(t, filepath.Join(w.dir, "config.json"), `{"parameters": {"api": {"baseUrl": "http://api.test/"}, "config": {"outputBucket": "b", "jobs": [{"endpoint": "users"}]}}}`)
		w.env["EXTRACTOR_LIVE"] = live
		log := listenGELF(t, w)
		if got := w.run(context.Background()); got.exit != 0 {
			t.Fatalf("exit code %d: %s", got.exit, got.stderr)
		}
		text := log()
		if sent := strings.Contains(text, `"_event":"request.answered"`); sent != (live == "true") || !strings.Contains(text, `"_event":"run.finished"`) {
			t.Errorf("EXTRACTOR_LIVE=%q: the log server got %s", live, text)
		}
	}
}
