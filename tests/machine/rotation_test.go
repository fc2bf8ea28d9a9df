//go:build linux

package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// rotation is an API whose refresh tokens are good until the credentials that they
// brought are used: then only the new one is good. That is the moment from which on a
// token must not be lost.
type rotation struct {
	mu       sync.Mutex
	serial   int
	good     string // the refresh token in use
	unused   string // one that was given and whose credentials were not used yet
	lost     int    // logins with a token that is good for nothing
	replaced int    // how often a new token took the place of an old one
	// moments get a value when a login was answered, and when credentials were used.
	responded, used chan struct{}
}

func (a *rotation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path != "/token" {
		if access := r.Header.Get("Authorization"); access == "access of "+a.unused {
			a.good, a.unused = a.unused, ""
			a.replaced++
		} else if access != "access of "+a.good {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = fmt.Fprint(w, `[{"id":1},{"id":2},{"id":3}]`) // who asked may be dead
		signal(a.used)
		return
	}
	switch token := r.FormValue("refresh_token"); {
	case token == a.unused && token != "":
		a.good = token
	case token != a.good:
		a.lost++
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	a.serial++
	a.unused = fmt.Sprintf("refresh-%d", a.serial)
	_, _ = fmt.Fprintf(w, `{"access_token":"access of %s","refresh_token":%q}`, a.unused, a.unused)
	signal(a.responded)
}

func (a *rotation) hasLost() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lost > 0
}

func signal(moment chan struct{}) {
	select {
	case moment <- struct{}{}:
	default:
	}
}

// TestKilledAfterLogin kills runs at random moments, many of them around their logins.
// No matter what a run has left, the next one can log in.
func TestKilledAfterLogin(t *testing.T) {
	t.Parallel()
	slowtest.OutsideCI(t, "it kills programs")
	kills, seed := number(t, "MACHINE_KILLS", 60), number(t, "MACHINE_SEED", time.Now().UnixNano())
	t.Logf("MACHINE_SEED=%d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	api := &rotation{good: "refresh-0", responded: make(chan struct{}, 1), used: make(chan struct{}, 1)}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	data := dataDir(t, fmt.Sprintf(`{"parameters":{"api":{"baseUrl":%q,"retryConfig":{"maxRetries":0},"authentication":{"type":"login","expires":0,
		"loginRequest":{"endpoint":"token","method":"FORM","params":{"refresh_token":{"remembered":"#refresh_token","default":{"attr":"#refresh_token"}}},
			"remember":{"#refresh_token":{"response":"refresh_token"}}},
		"apiRequest":{"headers":{"Authorization":{"response":"access_token"}}}}},
		"config":{"#refresh_token":"refresh-0","outputBucket":"b","jobs":[{"endpoint":"users","children":[{"endpoint":"users/{id}","placeholders":{"id":"id"}}]}]}}}`, server.URL))
	for i := range kills {
		killAround(t, api, data, random)
		carryState(t, data)
		if api.hasLost() {
			break
		}
		if i%10 == 9 {
			program{}.run(t, data).mustSucceed(t)
			carryState(t, data)
		}
	}
	if !api.hasLost() {
		program{}.run(t, data).mustSucceed(t)
	}
	server.Close() // a request of a process that was killed may have been on its way
	t.Logf("%d logins, %d tokens replaced", api.serial, api.replaced)
	if api.lost > 0 || api.replaced < int(kills)/10 {
		t.Errorf("%d logins with a token that was replaced, after %d logins, MACHINE_SEED=%d", api.lost, api.serial, seed)
	}
}

// killAround kills a run: at any moment, or around one of its logins.
func killAround(t *testing.T, api *rotation, data string, random *rand.Rand) {
	t.Helper()
	cmd := program{}.command(t.Context(), data)
	must(t, cmd.Start())
	over := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(over)
	}()
	spinUpTo := func(most time.Duration) { spin(time.Duration(random.Int64N(int64(most)))) }
	moment := api.responded
	switch random.IntN(3) {
	case 0:
		moment = nil
		select {
		case <-time.After(time.Duration(random.Int64N(int64(150 * time.Millisecond)))):
		case <-over:
		}
	case 1:
		moment = api.used
	}
	for range 1 + random.IntN(4) { // which of the logins
		if moment == nil {
			break
		}
		select {
		case <-moment:
		case <-over:
		}
	}
	spinUpTo(3 * time.Millisecond)
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	<-over
	for _, moment := range []chan struct{}{api.responded, api.used} {
		select {
		case <-moment:
		default:
		}
	}
}

// carryState is what the platform does between two runs. The state is whole, or there
// is none.
func carryState(t *testing.T, data string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "out", "state.json"))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	must(t, err)
	if !json.Valid(text) || !strings.Contains(string(text), `"#refresh_token":"refresh-`) {
		t.Fatalf("the state is %s", text)
	}
	lay(t, filepath.Join(data, "in"), map[string]string{"state.json": string(text)})
}
