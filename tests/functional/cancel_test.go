package functional

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// prompt is how long a run may take to end once it was asked to.
const prompt = 5 * time.Second

// interruption is a moment of a run at which it is asked to end.
type interruption struct {
	// api gets a function that asks the run to end.
	api func(interrupt func()) http.HandlerFunc
	// event is the kind of event at which the run is asked to end; "" for none.
	event string
	// sleep asks it to end while it waits for a retry.
	sleep bool
}

// hang keeps a request without a response until its client has gone.
func hang(interrupt func()) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	}
}

// manyRows is a page that takes a while to map.
var manyRows = func() string {
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, `,{"id":%d,"name":"row %d","tags":["a","b"],"o":{"x":%d}}`, i, i, i)
	}
	return "[" + b.String()[1:] + "]"
}()

func respondWith(text string) func(func()) http.HandlerFunc {
	return func(func()) http.HandlerFunc { return status(http.StatusOK, text) }
}

func interruptions() map[string]interruption {
	return map[string]interruption{
		"a request hangs": {api: hang},
		"a body hangs": {api: func(interrupt func()) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				write(w, `[{"id":1},`)
				if err := http.NewResponseController(w).Flush(); err != nil {
					panic(err)
				}
				hang(interrupt)(w, r)
			}
		}},
		"a retry waits":           {sleep: true, api: func(func()) http.HandlerFunc { return status(http.StatusServiceUnavailable, "") }},
		"a response is not ready": {sleep: true, api: func(func()) http.HandlerFunc { return status(http.StatusAccepted, "") }},
		"a large response comes":  {event: "request.sent", api: respondWith(manyRows)},
		"the tables are written":  {event: "job.finished", api: respondWith(manyRows)},
		"the run has begun":       {event: "run.started", api: respondWith("[]")},
		"pages follow each other": {api: func(interrupt func()) http.HandlerFunc {
			var pages atomic.Int32
			return func(w http.ResponseWriter, _ *http.Request) {
				page := pages.Add(1)
				if page == 5 {
					interrupt()
				}
				write(w, fmt.Sprintf(`[{"id":%d}]`, page))
			}
		}},
	}
}

// atEvent interrupts when an event of a kind is written.
type atEvent struct {
	kind      string
	interrupt func()
}

func (a atEvent) Write(line []byte) (int, error) {
	if a.kind != "" && strings.Contains(string(line), `"event":"`+a.kind+`"`) {
		a.interrupt()
	}
	return len(line), nil
}

var errInterrupted = errors.New("asked to end")

// TestCancel asks runs to end at every stage: they do so at once, fail, and
// leave nothing.
func TestCancel(t *testing.T) {
	slowtest.Skip(t, "it interrupts runs at every stage")
	for name, i := range interruptions() {
		t.Run(name+", in advance", func(t *testing.T) { i.cancel(t, `"concurrency":4,"lookahead":3`, "") })
		t.Run(name, func(t *testing.T) { i.cancel(t, `"concurrency":1`, "") })
		t.Run(name+", side by side", func(t *testing.T) {
			i.cancel(t, `"concurrency":4`, `,"children":[{"endpoint":"c/{id}","placeholders":{"id":"id"},"recursionFilter":"id==3"}]`)
		})
	}
}

// cancel asks one run to end.
func (i interruption) cancel(t *testing.T, http, children string) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signalled := make(chan time.Time, 1)
	interrupt := sync.OnceFunc(func() {
		signalled <- time.Now()
		cancel(errInterrupted)
	})
	w := newWorld(t, i.api(interrupt))
	w.stdout = atEvent{i.event, interrupt}
	if i.sleep {
		w.options.Sleep = func(ctx context.Context, _ time.Duration) error {
			interrupt()
			<-ctx.Done()
			return ctx.Err()
		}
	}
	writeFile(t, filepath.Join(w.dir, "config.json"), `{"api":{"baseUrl":"http://api.test/","http":{`+http+`,"rules":[{"status":202,"do":"poll"}]},"pagination":{"method":"offset","limit":1}},"config":{"debug":true,"jobs":[{"endpoint":"t"`+children+`}]}}`)
	before := readTree(t, w.dir)
	got := w.run(ctx)
	select {
	case at := <-signalled:
		if took := time.Since(at); took > prompt {
			t.Errorf("the run continued for %v", took)
		}
	default:
		t.Errorf("the run ended before it was asked to: exit %d, %s", got.exit, got.stderr)
	}
	if got.exit == 0 {
		t.Error("exit code 0")
	}
	got.checkStderr(t)
	got.checkLastEvent(t)
	compareFiles(t, readTree(t, w.dir), before)
}
