package functional

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// ending is an API with a token that ends after some requests. It reports the end with the
// status 200, or, if it alternates, with a 401.
type ending struct {
	mu         sync.Mutex
	random     *rand.Rand
	lasts      int // requests of a token, 0 for none
	alternates bool
	used       int
	logins     int
	refused    int
}

// ServeHTTP implements http.Handler.
func (a *ending) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	delay := time.Duration(a.random.IntN(3000)) * time.Millisecond
	a.mu.Unlock()
	linger(r, delay)
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.URL.Path == "/login" {
		a.logins, a.used = a.logins+1, 0
		write(w, fmt.Sprintf(`{"token":"token-%d"}`, a.logins))
		return
	}
	if a.used++; a.used > a.lasts || r.Header.Get("X-Token") != fmt.Sprintf("token-%d", a.logins) {
		if a.refused++; a.alternates && a.refused%2 == 0 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		write(w, `{"errors":[{"code":"602"}],"rows":null}`)
		return
	}
	if r.URL.Path == "/parents" {
		var rows []string
		for i := range 40 {
			rows = append(rows, fmt.Sprintf(`{"id":%d}`, i))
		}
		write(w, `{"rows":[`+strings.Join(rows, ",")+`]}`)
		return
	}
	write(w, fmt.Sprintf(`{"errors":null,"rows":[{"path":%q}]}`, r.URL.Path))
}

const endingConfiguration = `{"api":{"baseUrl":"http://api.test/","http":{"concurrency":%d,"rules":[{"when":"errors.[code=602].code==602","do":"login"}]},
	"authentication":{"type":"login","loginRequest":{"endpoint":"login"},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}},
	"config":{"jobs":[{"endpoint":"parents","dataField":"rows","children":[{"endpoint":"t/{id}","dataType":"t","dataField":"rows","placeholders":{"id":"id"}}]}]}}`

// TestRulesLogInOnceForAll: tokens that end, according to a rule, while requests are under
// way bring every row, and each of them costs one login, no matter how many requests meet
// its end.
func TestRulesLogInOnceForAll(t *testing.T) {
	t.Parallel()
	for _, concurrency := range []int{1, 4, 16} {
		for _, alternates := range []bool{false, true} {
			t.Run(fmt.Sprint(concurrency, alternates), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(5) {
					api := &ending{random: rand.New(rand.NewPCG(seed, uint64(concurrency))), lasts: 35, alternates: alternates}
					inBubble(t, api, func(t *testing.T, w *world) {
						h := reap(t, w, fmt.Sprintf(endingConfiguration, concurrency))
						if rows := strings.Count(h.files["out/tables/t"], "\n") - 1; h.exit != 0 || rows != 40 {
							t.Errorf("exit code %d, %d rows: %s", h.exit, rows, h.stderr)
						}
					})
					if api.logins != 2 {
						t.Errorf("seed %d: %d logins, want 2", seed, api.logins)
					}
				}
			})
		}
	}
}

// TestRulesLogInInVain: an API that takes every login and refuses every request is left
// alone after few logins, and the error names the rule.
func TestRulesLogInInVain(t *testing.T) {
	t.Parallel()
	for _, concurrency := range []int{1, 4, 16} {
		t.Run(fmt.Sprint(concurrency), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(5) {
				api := &ending{random: rand.New(rand.NewPCG(seed, uint64(concurrency)))}
				inBubble(t, api, func(t *testing.T, w *world) {
					h := reap(t, w, fmt.Sprintf(endingConfiguration, concurrency))
					if h.exit != 1 || !strings.Contains(h.stderr, "(at /api/http/rules/0)") {
						t.Errorf("exit code %d: %s", h.exit, h.stderr)
					}
				})
				if api.logins > concurrency+1 {
					t.Errorf("seed %d: %d logins, want at most %d", seed, api.logins, concurrency+1)
				}
			}
		})
	}
}
