package functional

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestCache(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		write(out, `[{"id":1}]`)
	}))
	const document = `{"parameters":{"cache":{"ttl":60},"api":{"baseUrl":"http://api.test/"},"config":{"debug":true,"outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`
	if err := os.WriteFile(filepath.Join(w.dir, "config.json"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	var tables map[string]string
	for _, run := range []struct {
		name string
		wait time.Duration
		sent int32
	}{{"first", 0, 1}, {"within the time to live", 60 * time.Second, 0}, {"after it", time.Second, 1}} {
		w.clock.advance(run.wait)
		requests.Store(0)
		got := w.run(t.Context())
		if got.exit != 0 || requests.Load() != run.sent || strings.Count(got.stdout, `"event":"request.sent"`) != int(run.sent) {
			t.Errorf("%s run: exit code %d, %d requests, want %d\n%s", run.name, got.exit, requests.Load(), run.sent, got.stdout)
		}
		written := readTree(t, filepath.Join(w.dir, "out", "tables"))
		if tables == nil {
			tables = written
		}
		if !maps.Equal(written, tables) {
			t.Errorf("%s run: wrote %v, the first one %v", run.name, written, tables)
		}
	}
}
