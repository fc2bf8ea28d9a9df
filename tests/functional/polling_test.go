package functional

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// factory makes reports, each in a minute from the first time it is requested, and wants
// a token that lives for 45 seconds.
type factory struct {
	mu       sync.Mutex
	begun    map[string]time.Time
	token    string
	logins   int
	loggedIn time.Time
	now      int // requests under way
	most     int
}

const (
	made       = time.Minute
	downloaded = 20 * time.Second
	tokenLives = 45 * time.Second
)

func (f *factory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.now--
	}()
	status, body := f.response(r)
	if strings.HasPrefix(r.URL.Path, "/d/") && status == http.StatusOK {
		linger(r, downloaded)
	}
	w.WriteHeader(status)
	write(w, body)
}

func (f *factory) response(r *http.Request) (int, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.URL.Path == "/login" {
		f.logins++
		if f.logins%2 == 1 {
			return http.StatusOK, `{"state":"pending"}`
		}
		f.token, f.loggedIn = fmt.Sprint("token-", f.logins), time.Now()
		return http.StatusOK, `{"token":"` + f.token + `"}`
	}
	if r.Header.Get("X-Token") != f.token || time.Since(f.loggedIn) > tokenLives {
		return http.StatusUnauthorized, `{}`
	}
	switch kind, id, _ := strings.Cut(r.URL.Path[1:], "/"); kind {
	case "p":
		return http.StatusOK, `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]`
	case "d":
		return http.StatusOK, `[{"row":"` + id + `"}]`
	default:
		key := r.URL.RequestURI()
		if _, ok := f.begun[key]; !ok {
			f.begun[key] = time.Now()
		}
		if time.Since(f.begun[key]) < made {
			return http.StatusAccepted, `{}`
		}
		if offset := r.URL.Query().Get("offset"); offset != "" {
			if len(offset) > 1 { // from 10 on
				return http.StatusOK, `[]`
			}
			return http.StatusOK, `[{"id":` + offset + `}]`
		}
		return http.StatusOK, fmt.Sprintf(`[{"id":"%s-1"},{"id":"%s-2"},{"id":"%s-3"}]`, id, id, id)
	}
}

// TestPollingSideBySide: what answers that are not ready bring is the same side by side,
// in less time, no matter what else waits: logins that are not ready either, tokens that end,
// pages in advance. No run waits for ever.
func TestPollingSideBySide(t *testing.T) {
	t.Parallel()
	const (
		rule    = `"rules":[{"status":202,"do":"poll","wait":5}]`
		login   = `"authentication":{"type":"login","loginRequest":{"endpoint":"login","rules":[{"when":"state==pending","do":"poll","wait":3}]},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}}`
		reports = `{"endpoint":"p","children":[{"endpoint":"c/{id}","placeholders":{"id":"id"},` + rule + `,"children":[{"endpoint":"d/{x}","placeholders":{"x":"id"}}]}]}`
		pages   = `{"endpoint":"l",` + rule + `}`
	)
	for name, job := range map[string]string{"reports": reports, "pages in advance": pages} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var serial harvest
			took := map[int]time.Duration{}
			for _, concurrency := range []int{1, 2, 3, 8} {
				f := &factory{begun: map[string]time.Time{}}
				inBubble(t, f, func(t *testing.T, w *world) {
					began := time.Now()
					h := reap(t, w, fmt.Sprintf(`{"api":{"baseUrl":"http://api.test/",%s,"http":{"concurrency":%d,"lookahead":3},
						"pagination":{"method":"multiple","scrollers":{"l":{"method":"offset","limit":1}}}},"config":{"jobs":[%s]}}`,
						login, concurrency, strings.Replace(job, `"l",`, `"l","scroller":"l",`, 1)))
					took[concurrency] = time.Since(began)
					h.setting = fmt.Sprint(concurrency, " at once")
					if concurrency == 1 {
						serial = h
					}
					h.compare(t, serial)
				})
				if f.most > concurrency {
					t.Errorf("%d requests were under way, %d may be", f.most, concurrency)
				}
			}
			if serial.exit != 0 {
				t.Error(serial.stderr)
			}
			if took[2] >= took[1] || took[8] >= took[1] {
				t.Errorf("took %v", took)
			}
		})
	}
}
