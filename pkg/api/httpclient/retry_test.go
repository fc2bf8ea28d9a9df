package httpclient

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
)

const second = time.Second

func TestStatusesRetriedByDefault(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504, 408, 420, 429} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			f := newFixture(t, serve(t, say(status, "later"), ok("now")).URL, `{}`, nil)
			if body, err := f.get(t, "x"); err != nil || body != "now" {
				t.Errorf("got %q, %v", body, err)
			}
			equal(t, "waits", f.sleeps, []time.Duration{second})
		})
	}
	for _, status := range []int{400, 401, 403, 404, 409, 501} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			f := newFixture(t, serve(t, say(status, "never")).URL, `{}`, nil)
			_, err := f.get(t, "x")
			wantUserError(t, err, "["+strconv.Itoa(status)+"]")
			equal(t, "waits", f.sleeps, nil)
		})
	}
}

func TestRetryConfig(t *testing.T) {
	tests := []struct {
		name, api string
		status    int
		requests  int
	}{
		{"ten retries by default", `{}`, 503, 11},
		{"an own count", `{"retryConfig":{"maxRetries":2}}`, 503, 3},
		{"a count as text", `{"retryConfig":{"maxRetries":"1"}}`, 503, 2},
		{"zero means none", `{"retryConfig":{"maxRetries":0}}`, 503, 1},
		{"the count inside http has no effect", `{"retryConfig":{"http":{"maxRetries":1}}}`, 503, 11},
		{"own codes replace the default", `{"retryConfig":{"maxRetries":1,"http":{"codes":[404]}}}`, 503, 1},
		{"a code of their own", `{"retryConfig":{"maxRetries":1,"http":{"codes":[404]}}}`, 404, 2},
		{"no codes mean never", `{"retryConfig":{"http":{"codes":[]}}}`, 503, 1},
		{"the old spelling", `{"retryConfig":{"maxRetries":1,"httpCodes":[404]}}`, 404, 2},
		{"the old spelling hides the new one", `{"retryConfig":{"maxRetries":1,"headerName":"X","http":{"codes":[404]}}}`, 404, 1},
		{"empty is the default", `{"retryConfig":[]}`, 503, 11},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, serve(t, times(tt.requests, say(tt.status, ""))...).URL, tt.api, nil)
			_, err := f.get(t, "x")
			wantUserError(t, err, "["+strconv.Itoa(tt.status)+"]")
			if got := f.stats.Requests.Load(); got != int64(tt.requests) {
				t.Errorf("%d requests are counted, want %d", got, tt.requests)
			}
		})
	}
}

func TestDelaysDouble(t *testing.T) {
	f := newFixture(t, serve(t, times(11, say(500, ""))...).URL, `{}`, nil)
	_, err := f.get(t, "x")
	wantUserError(t, err)
	equal(t, "waits", f.sleeps, []time.Duration{1 * second, 2 * second, 4 * second, 8 * second, 16 * second,
		32 * second, 64 * second, 128 * second, 256 * second, 512 * second})
}

func TestComputedDelaysAreCut(t *testing.T) {
	for _, longest := range []time.Duration{second / 2, time.Minute, time.Hour, math.MaxInt64} {
		for _, concurrency := range []int{1, 2} {
			api := config.API{Concurrency: concurrency, Retry: config.Retry{MaxWait: longest}}
			r := retry{Options: &Options{Shared: &Shared{Run: &env.Run{Now: today}}, API: api}}
			for attempt := 1; attempt < 1000; attempt++ {
				d, err := r.delay(nil, nil, attempt)
				if err != nil || d.wait < min(second, longest) || d.jitter < 0 || d.wait+d.jitter < d.wait || d.wait+d.jitter > longest {
					t.Fatalf("attempt %d waits %s and %s, at most %s: %v", attempt, d.wait, d.jitter, longest, err)
				}
			}
		}
	}
	f := newFixture(t, serve(t, times(5, say(500, ""))...).URL, `{"retryConfig":{"maxRetries":4,"maxWait":2.5}}`, nil)
	_, err := f.get(t, "x")
	wantUserError(t, err, "[500]")
	equal(t, "waits", f.sleeps, []time.Duration{second, 2 * second, 2500 * time.Millisecond, 2500 * time.Millisecond})
}

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
		{"a limit of its own", `{"retryConfig":{"maxWait":"0.5","http":{"retryHeader":"X-Reset"}}}`, "429", "X-Reset", "1", "1 seconds;", "0.5 seconds"},
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

func TestListedSuccessIsRetriedAndAcceptedInTheEnd(t *testing.T) {
	f := newFixture(t, serve(t, times(3, say(202, "pending"))...).URL, `{"retryConfig":{"maxRetries":2,"http":{"codes":[202]}}}`, nil)
	if body, err := f.get(t, "x"); err != nil || body != "pending" {
		t.Errorf("got %q, %v", body, err)
	}
	equal(t, "waits", f.sleeps, []time.Duration{second, 2 * second})
}

func TestRetrySendsTheBodyAgain(t *testing.T) {
	tests := []struct{ method, want string }{{"POST", `{"a":"b"}`}, {"FORM", "a=b"}, {"PUT", `{"a":"b"}`}, {"GET", ""}}
	for _, tt := range tests {
		t.Run(tt.method, func(t *testing.T) {
			s := serve(t, say(503, ""), say(503, ""), ok(""))
			f := newFixture(t, s.URL, `{}`, nil)
			if _, err := f.do(t, config.RequestSpec{Endpoint: "x", Method: tt.method, Params: parse(t, `{"a":"b"}`)}); err != nil {
				t.Fatal(err)
			}
			for i, r := range s.seen {
				if r.body != tt.want || r.line != s.seen[0].line {
					t.Errorf("attempt %d: got %s with %q", i+1, r.line, r.body)
				}
			}
		})
	}
}

func TestCredentialsAreComputedForEachAttempt(t *testing.T) {
	s := serve(t, say(503, ""), say(503, ""), ok(""))
	nonce := 0
	f := newFixture(t, s.URL, `{}`, authenticated(func(r *auth.Attempt) error {
		nonce++
		r.Header.Add("X-Nonce", strconv.Itoa(nonce))
		r.URL.RawQuery += "&n=" + strconv.Itoa(nonce)
		return nil
	}))
	if _, err := f.get(t, "x?a=1"); err != nil {
		t.Fatal(err)
	}
	for i, r := range s.seen {
		n := strconv.Itoa(i + 1)
		equal(t, "nonces of attempt "+n, r.header.Values("X-Nonce"), []string{n})
		if want := "GET /x?a=1&n=" + n; r.line != want {
			t.Errorf("got %s, want %s", r.line, want)
		}
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
		res := &Response{Status: 429, Header: http.Header{"A": {text}}, Call: &Call{Request: &request.Request{URL: &url.URL{}}}}
		if d, err := r.delay(res, nil, 1); err == nil && (d.wait < 0 || d.wait > time.Hour) {
			t.Errorf("%q waits %s", text, d.wait)
		}
		if slices.Contains([]string{"", "0"}, text) && ok {
			t.Errorf("%q is taken for a delay", text)
		}
	})
}
