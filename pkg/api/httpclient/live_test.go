package httpclient

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// terminal passes each text that is written to it to one reader.
type terminal chan string

// Write implements io.Writer.
func (c terminal) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}

// TestLiveWaits: the line of a job shows what its request waits for.
func TestLiveWaits(t *testing.T) {
	shown, ticks := make(terminal), make(chan time.Time)
	live := event.NewLive(event.LiveOptions{
		Terminal: shown, Ticks: ticks, Secrets: &secret.Registry{}, Now: today,
		Size: func() (int, int, error) { return 80, 24, nil },
	})
	job := live.Job(1, "x", 0)
	var mu sync.Mutex
	var waits []string
	look := func() {
		ticks <- today()
		_, wait, _ := strings.Cut(strings.TrimSuffix(<-shown, "\x1b[?7h"), "rows, ")
		mu.Lock()
		defer mu.Unlock()
		waits = append(waits, wait)
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		first := len(waits) == 0
		mu.Unlock()
		look()
		if first {
			w.Header().Set("Retry-After", "12")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(api.Close)
	f := newFixture(t, api.URL, `{"http":{"rateLimit":{"requests":1,"perSeconds":60}}}`, nil, func(o *Options) {
		o.Sleep = func(context.Context, time.Duration) error {
			look()
			return nil
		}
	})
	res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{Live: job})
	if err != nil {
		t.Fatal(err)
	}
	readSpool(t, res.Body)
	look()
	want := []string{
		"waiting for a response",
		"waiting 12 s: status 429 Too Many Requests",
		"waiting 1 min 0 s: api.http.rateLimit",
		"waiting for a response",
		"",
	}
	if !slices.Equal(waits, want) {
		t.Errorf("the line shows\n%s\nwant\n%s", strings.Join(waits, "\n"), strings.Join(want, "\n"))
	}
	go func() { <-shown }() // that the line is removed
	live.Close()
}
