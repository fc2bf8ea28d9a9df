package functional

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// panicking panics with a secret at every write that holds a text.
type panicking struct{ at string }

func (p panicking) Write(b []byte) (int, error) {
	if strings.Contains(string(b), p.at) {
		panic("planted panic about " + canaryText(1))
	}
	return len(b), nil
}

// TestPanicShowsNoSecret: a fault of ours ends a run with an error, and what the
// panic shows is masked, wherever it comes up: also in goroutines of net/http, and
// outside of what the run does with the API.
func TestPanicShowsNoSecret(t *testing.T) {
	t.Parallel()
	tests := map[string]func(w *world){
		"while connecting": func(w *world) {
			w.options.Dial = func(context.Context, string, string) (net.Conn, error) {
				panic("planted panic about " + canaryText(1))
			}
		},
		"while waiting": func(w *world) {
			w.options.Sleep = func(context.Context, time.Duration) error { panic("planted panic about " + canaryText(1)) }
		},
		"in the log":        func(w *world) { w.stdout = panicking{"request.sent"} },
		"in the last event": func(w *world) { w.stdout = panicking{"run.failed"} },
		"while connecting to a tunnel": func(w *world) {
			w.options.Dial = func(context.Context, string, string) (net.Conn, error) {
				panic("planted panic about " + canaryText(1))
			}
			w.env["tunnel"] = "yes"
		},
	}
	for name, plant := range tests {
		for _, concurrency := range []int{1, 3} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, http.HandlerFunc(status(http.StatusServiceUnavailable, "later")))
				w.options.LogFormat = "json"
				plant(w)
				parameters := map[string]any{
					"api": map[string]any{"baseUrl": "http://api.test/", "http": map[string]any{"concurrency": concurrency}, "retryConfig": map[string]any{"maxRetries": 1}},
					"config": map[string]any{"debug": true, "outputBucket": "b", "#key": canaryText(1),
						"jobs": []any{map[string]any{"endpoint": "t", "params": map[string]any{"key": map[string]any{"attr": "#key"}}}}},
				}
				if w.env["tunnel"] != "" {
					key, _ := newKey(t)
					parameters["sshProxy"] = map[string]any{"host": "bastion.test", "port": 22, "user": "ann", "#privateKey": key}
				}
				got := w.runs(t, jsonText(map[string]any{"parameters": parameters}))
				if got.exit != 2 || !strings.Contains(got.stderr, "internal error: planted panic about [hidden] (") {
					t.Errorf("exit code %d, want 2: %s", got.exit, got.stderr)
				}
				for _, hit := range seen(got.stdout + got.stderr) {
					t.Errorf("shown: %s", hit)
				}
			})
		}
	}
}
