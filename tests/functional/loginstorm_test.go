package functional

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// TestRefusedLogins has an API that takes every login and returns 401 to every
// request of a job, from the first one or from the children on. No matter what happens
// first, each request that is under way logs in at most once, and one of them
// once more.
func TestRefusedLogins(t *testing.T) {
	slowtest.Skip(t, "it tries all combinations")
	t.Parallel()
	expiries := map[string]string{
		"never":             ``,
		"before a request":  `"expires":0,`,
		"at once":           `"expires":{"response":"seconds","relative":true},`,
		"within the second": `"expires":{"response":"seconds","relative":true},`,
	}
	jobs := map[string]string{
		"one request":      `{"endpoint":"t","scroller":"none"}`,
		"pages in advance": `{"endpoint":"t"}`,
		"children":         `{"endpoint":"parents","scroller":"none","children":[{"endpoint":"t/{id}","scroller":"none","placeholders":{"id":"id"}}]}`,
	}
	for expiry, expires := range expiries {
		for shape, job := range jobs {
			for _, concurrency := range []int{1, 2, 4, 7, 16} {
				t.Run(fmt.Sprintf("%s, %s, %d at once", expiry, shape, concurrency), func(t *testing.T) {
					t.Parallel()
					for seed := range uint64(5) {
						api := &refusing{random: rand.New(rand.NewPCG(seed, uint64(concurrency)))}
						api.tick = map[string]time.Duration{"at once": 1100 * time.Millisecond, "within the second": 300 * time.Millisecond}[expiry]
						inBubble(t, api, func(t *testing.T, w *world) {
							api.Clock = w.clock
							h := reap(t, w, fmt.Sprintf(`{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d,"lookahead":%d},
								"pagination":{"method":"multiple","default":"pages","scrollers":{"none":{},"pages":{"method":"pagenum"}}},
								"authentication":{"type":"login",%s"loginRequest":{"endpoint":"login"},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}},
								"config":{"jobs":[%s]}}`, concurrency, concurrency-1, expires, job))
							if h.exit != 1 || !strings.Contains(h.stderr, "[401]") {
								t.Errorf("exit code %d: %s", h.exit, h.stderr)
							}
						})
						if api.logins < 1 || api.logins > concurrency+1 {
							t.Errorf("seed %d: %d logins, want 1 to %d", seed, api.logins, concurrency+1)
						}
					}
				})
			}
		}
	}
}

// refusing is an API that refuses everybody but for parents.
type refusing struct {
	tick time.Duration // passes with every request, no matter who measures
	*clock.Clock

	mu     sync.Mutex
	random *rand.Rand
	logins int // since the last response that was none of 401
}

// ServeHTTP implements http.Handler.
func (a *refusing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	delay := time.Duration(a.random.IntN(3000)) * time.Millisecond
	a.mu.Unlock()
	linger(r, delay)
	a.Advance(a.tick)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch r.URL.Path {
	case "/login":
		if a.logins++; a.logins > 1000 {
			w.WriteHeader(http.StatusTeapot) // a storm that would not end
			return
		}
		write(w, fmt.Sprintf(`{"token":"token-%d","seconds":0}`, a.logins))
	case "/parents":
		a.logins = 0
		write(w, `[`+strings.TrimSuffix(strings.Repeat(`{"id":1},`, 40), ",")+`]`)
	default:
		w.WriteHeader(http.StatusUnauthorized)
	}
}

// TestRefusedOnce has an API that returns 401 to the first attempt of every
// request: each may log in again, though others have done so before.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	for _, concurrency := range []int{1, 4, 16} {
		t.Run(fmt.Sprint(concurrency), func(t *testing.T) {
			t.Parallel()
			const children = 20
			var mu sync.Mutex
			logins, seen := 0, map[string]bool{}
			api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				linger(r, time.Second)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case r.URL.Path == "/login":
					logins++
					write(w, fmt.Sprintf(`{"token":"token-%d"}`, logins))
				case !seen[r.URL.Path]:
					seen[r.URL.Path] = true
					w.WriteHeader(http.StatusUnauthorized)
				case r.URL.Path == "/parents":
					var rows []string
					for i := range children {
						rows = append(rows, fmt.Sprintf(`{"id":%d}`, i))
					}
					write(w, "["+strings.Join(rows, ",")+"]")
				default:
					write(w, `[{"row":1}]`)
				}
			})
			inBubble(t, api, func(t *testing.T, w *world) {
				h := reap(t, w, fmt.Sprintf(`{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d},
					"authentication":{"type":"login","expires":0,"loginRequest":{"endpoint":"login"},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}},
					"config":{"jobs":[{"endpoint":"parents","children":[{"endpoint":"t/{id}","dataType":"t","placeholders":{"id":"id"}}]}]}}`, concurrency))
				if rows := strings.Count(h.files["out/tables/t"], "\n") - 1; h.exit != 0 || rows != children {
					t.Errorf("exit code %d, %d rows: %s", h.exit, rows, h.stderr)
				}
			})
			if want := 2 * (children + 1); logins != want {
				t.Errorf("%d logins, want %d", logins, want)
			}
		})
	}
}
