package functional

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// amnesiac has forgotten every token of an earlier run. Its answers take their time, so
// that pages in advance are under way when the first response comes.
type amnesiac struct {
	all bool // refuses requests without a token, too
}

func (a amnesiac) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	linger(r, time.Second)
	query := r.URL.Query()
	if query.Has("since") || a.all {
		w.WriteHeader(http.StatusGone)
		return
	}
	offset := query.Get("offset")
	if offset >= "5" {
		write(w, `[]`)
		return
	}
	write(w, fmt.Sprintf(`[{"id":"%s%s"}]`, strings.ReplaceAll(r.URL.Path[1:], "/", "-"), offset))
}

// TestRestartSideBySide: a job that starts again brings the same side by side, though
// pages of its first attempt were requested in advance, and children start again too. An
// API that always refuses ends the run.
func TestRestartSideBySide(t *testing.T) {
	t.Parallel()
	const (
		rule  = `"params":{"since":{"remembered":"since"}},"rules":[{"status":410,"do":"restart"}]`
		pages = `{"endpoint":"l",` + rule + `}`
		below = `{"endpoint":"p",` + rule + `,"children":[{"endpoint":"c/{id}","placeholders":{"id":"id"},` + rule + `,"children":[{"endpoint":"d/{x}","placeholders":{"x":"id"},` + rule + `}]}]}`
	)
	for name, jobs := range map[string]string{"pages in advance": pages, "children": below, "both": below + "," + pages} {
		for _, all := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", refuses all: ", all), func(t *testing.T) {
				t.Parallel()
				var serial harvest
				for _, concurrency := range []int{1, 2, 3, 8} {
					a := amnesiac{all}
					inBubble(t, a, func(t *testing.T, w *world) {
						if err := os.MkdirAll(filepath.Join(w.dir, "in"), 0o755); err != nil {
							t.Fatal(err)
						}
						writeFile(t, filepath.Join(w.dir, "in", "state.json"), `{"remembered":{"since":"yesterday"}}`)
						h := reap(t, w, fmt.Sprintf(`{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d,"lookahead":%d},"pagination":{"method":"offset","limit":1}},"config":{"jobs":[%s]}}`,
							concurrency, concurrency-1, jobs))
						h.setting = fmt.Sprint(concurrency, " at once")
						if concurrency == 1 {
							serial = h
						}
						h.compare(t, serial)
					})
				}
				if (serial.exit != 0) != all {
					t.Errorf("exit %d: %s", serial.exit, serial.stderr)
				}
			})
		}
	}
}
