package functional

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// rotation is an API whose refresh tokens are good for one login each.
type rotation struct {
	mu      sync.Mutex
	serial  int
	current string // the only refresh token that is good
	refused int    // logins with another one
	broken  bool   // every other request fails
	// Called when that happens, and after each login; nil for nothing.
	failed, rotated func()
}

func (r *rotation) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case q.URL.Path == "/token":
		if q.FormValue("refresh_token") != r.current {
			r.refused++
			w.WriteHeader(http.StatusBadRequest)
			write(w, `{"error":"invalid_grant"}`)
			return
		}
		r.serial++
		r.current = fmt.Sprintf("refresh-%d", r.serial)
		if r.rotated != nil {
			r.rotated()
		}
		write(w, fmt.Sprintf(`{"access_token":"access-%d","refresh_token":%q}`, r.serial, r.current))
	case r.broken:
		if r.failed != nil {
			r.failed()
		}
		w.WriteHeader(http.StatusForbidden)
	default:
		write(w, `[{"id":1},{"id":2},{"id":3}]`)
	}
}

// TestRotation: runs in sequence against an API that accepts each refresh token once.
// The second one fails after its login, in one way or another, and the third works. The
// platform carries out/state.json to in/state.json.
func TestRotation(t *testing.T) {
	for _, expires := range []string{"", `"expires":0,`} {
		for _, concurrency := range []int{1, 4} {
			for _, interrupted := range []string{"", "by the data", "by the login"} {
				t.Run(fmt.Sprintf("%sconcurrency %d, interrupted %s", expires, concurrency, interrupted), func(t *testing.T) {
					t.Parallel()
					testRotation(t, expires, concurrency, interrupted)
				})
			}
		}
	}
}

func testRotation(t *testing.T, expires string, concurrency int, interrupted string) {
	api := &rotation{current: "refresh-0"}
	w := newWorld(t, api)
	writeFile(t, filepath.Join(w.dir, "config.json"), fmt.Sprintf(`{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d},"authentication":{"type":"login",%s
		"loginRequest":{"endpoint":"token","method":"FORM","params":{"refresh_token":{"remembered":"#refresh_token","default":{"attr":"#refresh_token"}}},
			"remember":{"#refresh_token":{"response":"refresh_token"}}},
		"apiRequest":{"headers":{"Authorization":{"response":"access_token"}}}}},
		"config":{"#refresh_token":"refresh-0","jobs":[{"endpoint":"users","children":[{"endpoint":"users/{id}/orders","placeholders":{"id":"id"}}]}]}}`, concurrency, expires))
	for run, broken := range []bool{false, true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		api.mu.Lock()
		api.broken = broken
		api.failed, api.rotated = nil, nil
		switch {
		case interrupted == "by the data":
			api.failed = cancel
		case interrupted != "" && broken:
			api.rotated = cancel
		}
		api.mu.Unlock()
		got := w.run(ctx)
		cancel()
		got.checkStderr(t)
		want := failure.ExitOK
		if broken {
			want = failure.ExitUser
		}
		state := readTree(t, w.dir)["out/state.json"]
		if got.exit != want || api.refused > 0 || !strings.Contains(state, `"#refresh_token":"`+api.current+`"`) {
			t.Fatalf("run %d: exit %d, %d logins refused, state %s, the API wants %s\n%s", run+1, got.exit, api.refused, state, api.current, got.stderr)
		}
		if shown := got.stdout + got.stderr; strings.Contains(shown, "refresh-") || strings.Contains(shown, "access-") {
			t.Errorf("run %d shows a token:\n%s", run+1, shown)
		}
		writeFile(t, filepath.Join(w.dir, "in", "state.json"), state)
	}
	if api.serial < 3 {
		t.Errorf("%d logins", api.serial)
	}
}
