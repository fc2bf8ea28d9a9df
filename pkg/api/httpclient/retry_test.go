package httpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
)

const second = time.Second

// retryAfters are values of the header and their delays; -1 is the default delay. Today
// is 2025-03-01 09:00:00, 1740819600.
var retryAfters = []struct {
	name, value string
	wait        time.Duration
}{
	{"seconds", "120", 120 * second},
	{"seconds with blanks around", "  7 ", 7 * second},
	{"a fraction is cut off", "5.7", 5 * second},
	{"an exponent", "1e2", 100 * second},
	{"a sign", "+3", 3 * second},
	{"the longest wait", "3600", time.Hour},
	{"a Unix time", "1740819690", 90 * second},
	{"a Unix time with a fraction", "1740819690.9", 90 * second},
	{"an RFC 1123 date", "Sat, 01 Mar 2025 10:00:00 GMT", time.Hour},
	{"an RFC 1123 date with an offset", "Sat, 01 Mar 2025 10:00:00 +0000", time.Hour},
	{"an RFC 1123 date in another zone", "Sat, 01 Mar 2025 12:00:00 +0200", time.Hour},

	{"a negative number is over", "-5", 0},
	{"a very negative number is over", "-9e18", 0},
	{"a number before any time is over", "-1e30", 0},
	{"a Unix time of a minute ago is over", "1740819540", 0},
	{"the first number that is a Unix time", "1740733200", 0},
	{"a past date is over", "Sat, 01 Mar 2025 08:59:59 GMT", 0},

	{"zero", "0", -1},
	{"less than a second", "0.5", -1},
	{"a Unix time of now", "1740819600", -1},
	{"a date of now", "Sat, 01 Mar 2025 09:00:00 GMT", -1},
	{"an ISO date", "2025-03-01T10:00:00Z", -1},
	{"an RFC 850 date", "Saturday, 01-Mar-25 10:00:00 GMT", -1},
	{"an asctime date", "Sat Mar  1 10:00:00 2025", -1},
	{"a date in a zone with a name", "Sat, 01 Mar 2025 10:00:00 EST", -1},
	{"a text", "soon", -1},
	{"nothing", "", -1},
	{"no decimal number", "0x10", -1},
	{"infinity", "inf", -1},
	{"two numbers", "5, 5", -1},
}

func TestRetryHeader(t *testing.T) {
	for _, tt := range retryAfters {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, serve(t, say(503, ""), say(429, "", "Retry-After: "+tt.value), ok("")).URL, `{}`, nil)
			if _, err := f.get(t, "x"); err != nil {
				t.Fatal(err)
			}
			want := tt.wait
			if want < 0 {
				want = 2 * second // the second retry
			}
			equal(t, "waits", f.sleeps, []time.Duration{second, want})
		})
	}
}

func TestTooLongARetryHeader(t *testing.T) {
	tests := []struct{ name, api, status, header, value, asked, allowed string }{
		{"a second more than an hour", `{}`, "429", "Retry-After", "3601", "3601 seconds;", "3600 seconds"},
		{"the last number that counts seconds", `{}`, "503", "Retry-After", "1740733199", "1740733199 seconds (20147 days)", "3600 seconds"},
		{"milliseconds since 1970", `{}`, "429", "Retry-After", "1740819690000", "1739078870400 seconds (20128227 days)", "3600 seconds"},
		{"a huge number", `{}`, "429", "Retry-After", "1e18", "999999998259180400 seconds", "3600 seconds"},
		{"a number beyond any time", `{}`, "429", "Retry-After", "99999999999999999999999", "9223372035113956207 seconds", "3600 seconds"},
		{"a number beyond any double", `{}`, "429", "Retry-After", "1e400", "9223372035113956207 seconds", "3600 seconds"},
		{"a date", `{}`, "429", "Retry-After", "Sun, 02 Mar 2025 09:00:00 GMT", "86400 seconds;", "3600 seconds"},
		{"a limit of its own", `{"retryConfig":{"maxWait":"0.5","http":{"retryHeader":"X-Reset"}}}`, "429", "X-Reset", "1", "1 second;", "0.5 seconds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, err := strconv.Atoi(tt.status)
			if err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, serve(t, say(status, "", tt.header+": "+tt.value)).URL, tt.api, nil)
			_, err = f.get(t, "x")
			wantUserError(t, err, "["+tt.status+"] GET http://127.0.0.1", "the header '"+tt.header+": "+tt.value+"'", "requires a wait of "+tt.asked, "'api.retryConfig.maxWait' allows "+tt.allowed)
			equal(t, "waits", f.sleeps, nil)
		})
	}
	t.Run("of the last attempt it does not matter", func(t *testing.T) {
		f := newFixture(t, serve(t, say(429, "", "Retry-After: 9000")).URL, `{"retryConfig":{"maxRetries":0}}`, nil)
		_, err := f.get(t, "x")
		wantUserError(t, err, "[429] Client error")
	})
	t.Run("a longer limit", func(t *testing.T) {
		f := newFixture(t, serve(t, say(429, "", "Retry-After: 9000"), ok("")).URL, `{"retryConfig":{"maxWait":9000}}`, nil)
		if _, err := f.get(t, "x"); err != nil {
			t.Fatal(err)
		}
		equal(t, "waits", f.sleeps, []time.Duration{9000 * second})
	})
}

func TestRetryHeaderName(t *testing.T) {
	tests := []struct {
		name, api string
		headers   []string
		wait      time.Duration
	}{
		{"letter case does not count", `{"retryConfig":{"http":{"retryHeader":"x-rate-RESET"}}}`, []string{"X-RATE-reset: 9"}, 9 * second},
		{"the old spelling", `{"retryConfig":{"headerName":"X-Reset"}}`, []string{"X-Reset: 9"}, 9 * second},
		{"another name hides the default", `{"retryConfig":{"http":{"retryHeader":"X-Reset"}}}`, []string{"Retry-After: 9"}, second},
		{"repeated lines are one value", `{}`, []string{"Retry-After: Sat", "Retry-After: 01 Mar 2025 10:00:00 GMT"}, time.Hour},
		{"repeated numbers are none", `{}`, []string{"Retry-After: 9", "Retry-After: 9"}, second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, serve(t, say(503, "", tt.headers...), ok("")).URL, tt.api, nil)
			if _, err := f.get(t, "x"); err != nil {
				t.Fatal(err)
			}
			equal(t, "waits", f.sleeps, []time.Duration{tt.wait})
		})
	}
}

func TestFailedLoginIsNotRetriedByTheRequestThatNeedsIt(t *testing.T) {
	address, connections := misbehave(t, responding(""))
	f := newFixture(t, "http://"+address, `{"retryConfig":{"maxRetries":2}}`, authFunc(func(ctx context.Context, r *auth.Attempt) error {
		_, err := r.Login(ctx, config.RequestSpec{Endpoint: "login"})
		return err
	}))
	_, err := f.get(t, "x")
	wantUserError(t, err, "/login failed: network error 52")
	if connections() != 3 {
		t.Errorf("%d logins were tried, want 3", connections())
	}
}

func TestInterruptedWaitEndsTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, say(503, "", "Retry-After: 3600"))
	f := newFixture(t, s.URL, `{}`, nil, func(o *Options) {
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			if d != time.Hour {
				t.Errorf("waits %s", d)
			}
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}
	})
	if _, err := f.Do(ctx, config.RequestSpec{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

func TestInterruptedExchangeIsNotRetried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	codes := `{"retryConfig":{"curl":{"codes":[1,7,28,52,56]}}}`
	f := newFixture(t, s.URL, codes, nil)
	if _, err := f.Do(ctx, config.RequestSpec{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	equal(t, "waits", f.sleeps, nil)
}

func TestRetriesAreReported(t *testing.T) {
	f := newFixture(t, serve(t, say(503, ""), say(429, "", "Retry-After: 90"), ok("")).URL, `{}`, nil)
	if _, err := f.get(t, "a b?token=x"); err != nil {
		t.Fatal(err)
	}
	equal(t, "events", f.messages("request.retried"), []string{
		"GET /a%20b: status 503 Service Unavailable, retry 1 in 1s",
		"GET /a%20b: status 429 Too Many Requests, retry 2 in 1m30s",
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, tt := range retryAfters {
		f.Add(tt.value)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seconds, ok := retryAfter(text, today())
		if ok == (seconds == 0) {
			t.Errorf("%q: %d seconds, %v", text, seconds, ok)
		}
		r := retry{Options: &Options{Shared: &Shared{Run: &env.Run{Now: today}}, API: config.API{Retry: config.Retry{Header: "A", MaxWait: time.Hour}}}}
		res := &Response{Status: 429, Header: http.Header{"A": {text}}, call: &call{Request: &request.Request{URL: &url.URL{}}}}
		if d, err := r.delay(res, nil, 1); err == nil && (d.wait < 0 || d.wait > time.Hour) {
			t.Errorf("%q waits %s", text, d.wait)
		}
		if slices.Contains([]string{"", "0"}, text) && ok {
			t.Errorf("%q is taken for a delay", text)
		}
	})
}

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

// TestComputedDelaysAreCut: a computed wait never exceeds the limit or becomes negative,
// also after many attempts and with the longest limit.
func TestComputedDelaysAreCut(t *testing.T) {
	for _, longest := range []time.Duration{second / 2, time.Minute, time.Hour, math.MaxInt64} {
		for _, concurrency := range []int{1, 2} {
			api := config.API{Concurrency: concurrency, Retry: config.Retry{MaxWait: longest}}
			r := retry{Options: &Options{Shared: &Shared{Run: &env.Run{Now: today}}, API: api}}
			for attempt := 1; attempt < 100; attempt++ {
				d, err := r.delay(nil, nil, attempt)
				if err != nil || d.wait < min(second, longest) || d.jitter < 0 || d.wait+d.jitter < d.wait || d.wait+d.jitter > longest {
					t.Fatalf("attempt %d waits %s and %s, at most %s: %v", attempt, d.wait, d.jitter, longest, err)
				}
			}
		}
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
			api := stepFunc(func(_ context.Context, x *call) (*Response, error) {
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
					if _, err := step.do(t.Context(), &call{Request: &request.Request{Method: "GET", URL: f.o.BaseURL}}); err != nil {
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
