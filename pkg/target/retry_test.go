package target

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/auth"
	"github.com/keboola/configurable-extractor/pkg/config"
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

func TestDelaysNeverOverflow(t *testing.T) {
	r := retry{now: today}
	for attempt := 1; attempt < 1000; attempt++ {
		if wait, _ := r.wait(nil, attempt); wait < second {
			t.Fatalf("attempt %d waits %s", attempt, wait)
		}
	}
}

// retryAfters are values of the header and the delays they ask for; -1 stands
// for none of their own. Today is 2025-03-01 09:00:00, 1740819600.
var retryAfters = []struct {
	name, value string
	wait        time.Duration
}{
	{"seconds", "120", 120 * second},
	{"seconds with blanks around", "  7 ", 7 * second},
	{"a fraction is cut off", "5.7", 5 * second},
	{"an exponent", "1e2", 100 * second},
	{"a sign", "+3", 3 * second},
	{"the last number that counts seconds", "1740733199", 1740733199 * second},
	{"a Unix time", "1740819690", 90 * second},
	{"a Unix time with a fraction", "1740819690.9", 90 * second},
	{"an RFC 1123 date", "Sat, 01 Mar 2025 10:00:00 GMT", time.Hour},
	{"an RFC 1123 date with an offset", "Sat, 01 Mar 2025 10:00:00 +0000", time.Hour},
	{"an RFC 1123 date in another zone", "Sat, 01 Mar 2025 12:00:00 +0200", time.Hour},
	{"milliseconds since 1970 wait as long as they can", "1740819690000", (1<<31 - 1) * second},
	{"a huge number", "1e18", (1<<31 - 1) * second},

	{"a negative number is over", "-5", 0},
	{"a very negative number is over", "-9e18", 0},
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
	{"too large a number", "1e400", -1},
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
			if _, err := f.do(t, config.Request{Endpoint: "x", Method: tt.method, Params: parse(t, `{"a":"b"}`)}); err != nil {
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
	f := newFixture(t, s.URL, `{}`, authenticated(func(r *http.Request) error {
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
	address, connections := misbehave(t, answer(""))
	f := newFixture(t, "http://"+address, `{"retryConfig":{"maxRetries":2}}`, func(c *Client) auth.Authenticator {
		return authFunc(func(r *http.Request) error {
			_, err := c.Login(r.Context(), config.Request{Endpoint: "login"})
			return err
		})
	})
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
	if _, err := f.Do(ctx, config.Request{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
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
	if _, err := f.Do(ctx, config.Request{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
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
		wait, ok := retryAfter(text, today())
		if wait < 0 || wait > (1<<31-1)*second {
			t.Errorf("%q waits %s", text, wait)
		}
		if slices.Contains([]string{"", "0"}, text) && ok {
			t.Errorf("%q is taken for a delay", text)
		}
	})
}
