package httpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/env"
)

// bytesOf is a random source that repeats these bytes.
type bytesOf byte

func (b bytesOf) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{byte(b)}, len(p)))
	return len(p), nil
}

// random is the injected source of some tests.
func random(r io.Reader) func(*Options) { return func(o *Options) { o.Rand = r } }

// Computed waits of parallel requests get an additional random part of 10 % to 100 %;
// the wait in a header does not.
func TestComputedWaitsAreSpread(t *testing.T) {
	const few, many = bytesOf(0), bytesOf(255)
	api := `{"http":{"concurrency":2},"retryConfig":{"maxRetries":3,"maxWait":6}}`
	header := "Retry-After: 3"
	for _, tt := range []struct {
		name, api string
		source    io.Reader
		responses []http.HandlerFunc
		want      []time.Duration
	}{
		{"the least", api, few, times(3, say(503, "")), []time.Duration{1100 * time.Millisecond, 2200 * time.Millisecond, 4400 * time.Millisecond}},
		{"the most, cut to the longest wait", api, many, times(3, say(503, "")), []time.Duration{2 * second, 4 * second, 6 * second}},
		// All wait for the first part, and this request alone for the second.
		{"status 429 without a header", api, few, times(2, say(429, "")), []time.Duration{second, second / 10, 2 * second, second / 5}},
		{"a header", api, many, times(2, say(429, "", header)), []time.Duration{3 * second, 3 * second}},
		{"a header with another status", api, many, times(2, say(503, "", header)), []time.Duration{3 * second, 3 * second}},
		{"one request after another", `{}`, many, times(2, say(503, "")), []time.Duration{second, 2 * second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, serve(t, append(tt.responses, ok(""))...).URL, tt.api, nil, random(tt.source))
			if _, err := f.get(t, "x"); err != nil {
				t.Fatal(err)
			}
			equal(t, "waits", f.sleeps, tt.want)
			var total time.Duration
			for _, wait := range f.sleeps {
				total += wait
			}
			if got := time.Duration(f.stats.Waited.Load()); got != total {
				t.Errorf("%s are counted, waited %s", got, total)
			}
		})
	}
	limited := newFixture(t, serve(t, say(503, ""), ok("")).URL, api, nil, random(many), func(o *Options) { o.Limits = env.Limits{Requests: 9} })
	if _, err := limited.get(t, "x"); err != nil {
		t.Error(err)
	}
	equal(t, "waits of a run with limits, which sends one request after another", limited.sleeps, []time.Duration{second})
	f := newFixture(t, serve(t, say(503, "")).URL, api, nil, random(strings.NewReader("")))
	if _, err := f.get(t, "x"); !errors.Is(err, io.EOF) {
		t.Errorf("got %v without a random source", err)
	}
}

// Requests that fail together, or while others wait, are repeated at different times.
func TestRetriesSideBySideComeBackApart(t *testing.T) {
	for _, tt := range []struct {
		status int
		apart  time.Duration // from one failure to the next
	}{{503, 0}, {429, 0}, {503, second / 4}, {429, second / 4}} {
		synctest.Test(t, func(t *testing.T) {
			const n = 8
			chacha := rand.NewChaCha8([32]byte{1})
			var mu sync.Mutex
			failed := second // so that all of them are in flight
			var attempts []time.Duration
			begun := time.Now()
			f := newFixture(t, "http://a.test", `{"http":{"concurrency":8}}`, nil, func(o *Options) {
				o.Now, o.Sleep = time.Now, sleepFor
				o.Rand = readerFunc(func(p []byte) (int, error) {
					mu.Lock()
					defer mu.Unlock()
					return chacha.Read(p)
				})
			})
			api := stepFunc(func(_ context.Context, x *Call) (*Response, error) {
				if x.Attempt == 1 {
					mu.Lock()
					failed += tt.apart
					after := failed
					mu.Unlock()
					time.Sleep(after)
					return &Response{Status: tt.status, Body: f.o.spooler.New()}, nil
				}
				mu.Lock()
				defer mu.Unlock()
				attempts = append(attempts, time.Since(begun)-second)
				return &Response{Status: 200, Body: f.o.spooler.New()}, nil
			})
			step := &retry{api, &f.o}
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					if _, err := step.Do(t.Context(), &Call{Request: &request.Request{Method: "GET", URL: f.o.BaseURL}}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if apart := slices.Compact(slices.Sorted(slices.Values(attempts))); len(apart) != n || apart[0] < 1100*time.Millisecond || apart[n-1] > 2*second+n*tt.apart {
				t.Errorf("status %d: came back after %v", tt.status, attempts)
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// sleepFor waits on the clock of a bubble.
func sleepFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
