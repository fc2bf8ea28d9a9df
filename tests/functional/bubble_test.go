package functional

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/pipes"
)

// inBubble runs a test in a world whose time passes only while everybody waits:
// the API may take as long as it likes, and no one really waits. When the test
// ends all goroutines have to. Connections are pipes, for a bubble does not
// notice that somebody waits for the network.
func inBubble(t *testing.T, api http.Handler, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := pipes.Listen()
		server := &http.Server{Handler: api}
		go server.Serve(l)
		defer server.Shutdown(context.Background()) // waits for requests that were broken off
		w := &world{dir: t.TempDir(), clock: clock.At(defaultStart), env: map[string]string{}}
		w.options.Dial = l.Dial
		w.options.Sleep = func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		test(t, w)
	})
}

// linger lets a request wait for its response, unless it is broken off.
func linger(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	}
}
