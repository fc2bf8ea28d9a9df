package devstack

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/devstack/store"
)

// TestStart: the platform starts in less than half a second, with TLS too, and does not read
// the events that it has stored: the start needs as little memory as without any.
func TestStart(t *testing.T) {
	const promised = 500 * time.Millisecond
	for name, encrypted := range map[string]bool{"without TLS": false, "with TLS": true} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			started(t, data, encrypted) // the first start makes the certificates
			_, empty := started(t, data, encrypted)
			addEvents(t, data, 20_000)
			took, full := started(t, data, encrypted)
			for range 4 { // another program may use the machine
				again, _ := started(t, data, encrypted)
				took = min(took, again)
			}
			if took > promised {
				t.Errorf("took %s", took)
			}
			if full > 2*empty+1<<20 {
				t.Errorf("%d bytes with 20,000 events, %d without", full, empty)
			}
		})
	}
}

// started starts a platform and ends it. It returns how long the start took, and the bytes
// that it allocated.
func started(t *testing.T, data string, encrypted bool) (time.Duration, uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	l, _, err := ServeOptions{Data: data, Listen: "127.0.0.1:0", Token: DefaultToken, TLS: encrypted, Stderr: io.Discard, engine: inProcess{}}.start(t.Context())
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if err := background(t.Context(), l.run)(); err != nil {
		t.Fatal(err)
	}
	return took, after.TotalAlloc - before.TotalAlloc
}

// addEvents stores events of a job that has ended.
func addEvents(t *testing.T, data string, n int) {
	t.Helper()
	s, err := store.Open(filepath.Join(data, "platform.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	events := make([]store.Event, n)
	for i := range events {
		events[i] = store.Event{RunID: "1", Type: "info", Message: fmt.Sprintf("GET /users?page=%d answered 200", i)}
	}
	_, err = s.AddEvents(events...)
	if closed := s.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
}
