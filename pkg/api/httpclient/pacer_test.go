package httpclient

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// wait sleeps in the time of a synctest bubble.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// starts sends so many requests at once through a pacer and returns the sorted times at
// which they passed.
func starts(t *testing.T, p *pacer, requests int) []time.Duration {
	t.Helper()
	began := time.Now()
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	for range requests {
		wg.Go(func() {
			if err := p.admit(t.Context(), &call{}); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, time.Since(began))
		})
	}
	wg.Wait()
	slices.Sort(all)
	return all
}

// No period of the limit's length has more starts than allowed.
func TestRateLimitInEverySpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := &stats{}
		p := newPacer(config.RateLimit{Requests: 3, Per: 10 * second}, stats, time.Now, wait)
		var all []time.Time
		for i := range 40 {
			time.Sleep(time.Duration(i*i%7) * second)
			if err := p.admit(t.Context(), &call{}); err != nil {
				t.Fatal(err)
			}
			all = append(all, time.Now())
		}
		for i := 3; i < len(all); i++ {
			if span := all[i].Sub(all[i-3]); span < 10*second {
				t.Errorf("requests %d to %d started within %s", i-3, i, span)
			}
		}
		if stats.Waited.Load() == 0 {
			t.Error("no wait was counted")
		}
	})
}

func TestRateLimitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(config.RateLimit{Requests: 1, Per: time.Hour}, &stats{}, time.Now, wait)
		starts(t, p, 1)
		ctx, cancel := context.WithTimeout(t.Context(), second)
		defer cancel()
		var wg sync.WaitGroup
		for range 3 { // one waits for the clock, the others for their turn
			wg.Go(func() {
				if err := p.admit(ctx, &call{}); err != context.DeadlineExceeded {
					t.Errorf("got %v", err)
				}
			})
		}
		began := time.Now()
		wg.Wait()
		if took := time.Since(began); took != second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestHeldRequestsWaitForTheLastRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(config.RateLimit{}, &stats{}, time.Now, wait)
		var wg sync.WaitGroup
		rest := func(ctx context.Context, d time.Duration, want error) {
			wg.Go(func() {
				if err := p.pauseAll(ctx, d); err != want {
					t.Errorf("got %v, want %v", err, want)
				}
			})
		}
		rest(t.Context(), 3*second, nil)
		rest(t.Context(), 5*second, nil)
		synctest.Wait()
		equal(t, "starts", starts(t, p, 2), []time.Duration{5 * second, 5 * second})
		rest(t.Context(), second, nil)
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.awaitResume(ctx, JobInfo{}); err != context.Canceled {
			t.Errorf("got %v", err)
		}
		wg.Wait()

		// After a cancelled wait the next requests wait for the remaining time.
		begun := time.Now()
		ctx, cancel = context.WithTimeout(t.Context(), second)
		defer cancel()
		rest(ctx, 9*second, context.DeadlineExceeded)
		rest(ctx, 7*second, context.DeadlineExceeded)
		wg.Wait()
		ctx, cancel = context.WithTimeout(t.Context(), second)
		defer cancel()
		if err := p.awaitResume(ctx, JobInfo{}); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
		starts(t, p, 3)
		if took := time.Since(begun); took != 9*second {
			t.Errorf("it took %v", took)
		}
		starts(t, p, 3)
		if took := time.Since(begun); took != 9*second {
			t.Errorf("no one has to wait any more, but it took %v", took)
		}
	})
}

// No request is sent while one waits because the API requested it. Others are sent while
// one waits because it failed.
func TestPatienceOfOneRequestIsThatOfAll(t *testing.T) {
	for _, tt := range []struct {
		name     string
		response http.HandlerFunc
		held     bool
	}{
		{"429", say(http.StatusTooManyRequests, ""), true},
		{"503 with a delay", say(http.StatusServiceUnavailable, "", "Retry-After: 7"), true},
		{"503", say(http.StatusServiceUnavailable, ""), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, tt.response, ok("1"), ok("2"))
			sleeping, awake := make(chan struct{}), make(chan struct{})
			f := newFixture(t, server.URL, `{"http":{"concurrency":2}}`, nil, func(o *Options) {
				var once sync.Once // it sleeps a little on top, by itself
				o.Sleep = func(context.Context, time.Duration) error {
					once.Do(func() { close(sleeping) })
					<-awake
					return nil
				}
			})
			var wg sync.WaitGroup
			defer wg.Wait()
			wg.Go(func() {
				if _, err := f.get(t, "patient"); err != nil {
					t.Error(err)
				}
			})
			<-sleeping
			done := make(chan struct{})
			wg.Go(func() {
				defer close(done)
				if _, err := f.get(t, "other"); err != nil {
					t.Error(err)
				}
			})
			if tt.held {
				select {
				case <-done:
					t.Error("the other request did not wait")
				case <-time.After(5 * time.Millisecond):
				}
			} else {
				<-done
			}
			close(awake)
		})
	}
}

// Requests for one response at the same time are one request.
func TestCacheRequestsOneResponseOnce(t *testing.T) {
	server := serve(t, ok("1"))
	f := newFixture(t, server.URL, `{"http":{"concurrency":8}}`, nil, func(o *Options) {
		o.Settings.ttl, o.CacheDir = 100, t.TempDir()
	})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := f.get(t, "x"); got != "1" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wg.Wait()
	if n := f.stats.Requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// A 401 to credentials that another request has replaced meanwhile does not count.
func TestUnauthorizedBecauseOfAnotherRequest(t *testing.T) {
	a := &tokens{}
	outdate := func(w http.ResponseWriter, r *http.Request) {
		a.n++
		say(401, "")(w, r)
	}
	server := serve(t, outdate, outdate, say(401, ""), ok("1"))
	f := newFixture(t, server.URL, `{}`, a)
	if _, err := f.get(t, "x"); err != nil {
		t.Fatal(err)
	}
	equal(t, "given up", a.renewed, []string{"t2"})
	var tokens []string
	for _, r := range server.seen {
		tokens = append(tokens, r.header.Get("X-Token"))
	}
	if got, want := fmt.Sprint(tokens), "[t0 t1 t2 t3]"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}
