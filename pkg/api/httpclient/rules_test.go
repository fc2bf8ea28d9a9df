package httpclient

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keboola/configurable-extractor/pkg/api/auth"
	"github.com/keboola/configurable-extractor/pkg/api/request"
	"github.com/keboola/configurable-extractor/pkg/api/rule"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/event"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
)

// rules compiles rules of `api.http`.
func rules(t testing.TB, text string) rule.List {
	t.Helper()
	var problems failure.Problems
	list := rule.Compile(field.NewSection(parse(t, text), "/rules", &problems), rule.APIScope, time.Hour)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return list
}

// ruled is a fixture with these rules.
func ruled(t testing.TB, base, api, text string, change ...func(*Options)) *fixture {
	t.Helper()
	list := rules(t, text)
	return newFixture(t, base, api, nil, append(change, func(o *Options) { o.Settings.Rules = list })...)
}

// Without a rule that needs the body, no one reads it.
func TestResponsesWithoutRulesAreNotRead(t *testing.T) {
	f := ruled(t, serve(t, ok(`{"a":1}`)).URL, `{}`, `[{"status":404,"when":"a==1","do":"fail"}]`)
	if body, err := f.get(t, "x"); err != nil || body != `{"a":1}` {
		t.Errorf("got %q, %v", body, err)
	}
}

// A request that polls holds back no others; one whose response says when to retry holds
// back all of them.
func TestWhoWaitsWithARule(t *testing.T) {
	for verb, held := range map[string]bool{"poll": false, "retry": true} {
		synctest.Test(t, func(t *testing.T) {
			list := rules(t, `[{"status":202,"do":"`+verb+`","wait":{"header":"In"}}]`)
			f := newFixture(t, "http://a.test", `{"http":{"concurrency":2}}`, nil, func(o *Options) {
				o.Now, o.Sleep, o.Settings.Rules = time.Now, sleepFor, list
			})
			begun := time.Now()
			api := stepFunc(func(_ context.Context, x *call) (*Response, error) {
				res := &Response{call: x, Status: 200, Body: f.o.spooler.New()}
				if x.Method == "SLOW" && time.Since(begun) < 30*second {
					res.Status, res.Header = 202, http.Header{"In": {"30"}}
				}
				return res, nil
			})
			step := &retry{api, &f.o}
			var wg sync.WaitGroup
			ask := func(method string) {
				wg.Go(func() {
					if _, err := step.do(t.Context(), &call{Request: &request.Request{Method: method, URL: f.o.BaseURL}}); err != nil {
						t.Error(err)
					}
					if method == "QUICK" && held != (time.Since(begun) == 30*second) {
						t.Errorf("%s: another request was answered after %s", verb, time.Since(begun))
					}
				})
			}
			ask("SLOW")
			synctest.Wait()
			ask("QUICK")
			wg.Wait()
			if time.Since(begun) != 30*second {
				t.Errorf("%s took %s", verb, time.Since(begun))
			}
		})
	}
}

func TestInterruptedPollEndsTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := ruled(t, serve(t, say(202, "")).URL, `{}`, `[{"status":202,"do":"poll"}]`, func(o *Options) {
		o.Sleep = func(ctx context.Context, _ time.Duration) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}
	})
	if _, err := f.Do(ctx, config.RequestSpec{Endpoint: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// An exchange says when it waits, so that others may be sent. Not so in a login, which
// others wait for.
func TestPollRests(t *testing.T) {
	var order []string
	rest := func() func() error {
		order = append(order, "rests")
		return func() error {
			order = append(order, "continues")
			return nil
		}
	}
	s := serve(t, say(202, ""), ok("{}"), say(202, ""), say(503, ""), ok("data"))
	list := rules(t, `[{"status":202,"do":"poll"}]`)
	f := newFixture(t, s.URL, `{}`, authFunc(func(ctx context.Context, r *auth.Attempt) error {
		if len(s.lines()) > 1 {
			return nil
		}
		responded, err := r.Login(ctx, config.RequestSpec{Endpoint: "login"})
		if err == nil {
			err = responded.Body.Close()
		}
		order = append(order, "logged in")
		return err
	}), func(o *Options) {
		o.Settings.Rules, o.Settings.LoginRules = list, list
		o.Sleep = func(context.Context, time.Duration) error {
			order = append(order, "sleeps")
			return nil
		}
	})
	res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{YieldSlot: rest})
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "order", order, []string{"sleeps", "logged in", "rests", "sleeps", "continues", "sleeps"})
	_, err = newFixture(t, serve(t, say(202, "")).URL, `{}`, nil, func(o *Options) { o.Settings.Rules = list }).
		Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{YieldSlot: func() func() error { return func() error { return context.Canceled } }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the exchange may not continue", err)
	}
}

// TestLivePoll: the line of a job says that its response is not ready.
func TestLivePoll(t *testing.T) {
	shown, ticks := make(terminal), make(chan time.Time)
	live := event.NewLive(event.LiveOptions{
		Terminal: shown, Ticks: ticks, Secrets: &secret.Registry{}, Now: today,
		Size: func() (int, int, error) { return 80, 24, nil },
	})
	var lines []string
	f := ruled(t, serve(t, say(202, ""), ok("")).URL, `{}`, `[{"status":202,"do":"poll","wait":7}]`, func(o *Options) {
		o.Sleep = func(context.Context, time.Duration) error {
			ticks <- today()
			_, wait, _ := strings.Cut(strings.TrimSuffix(<-shown, "\x1b[?7h"), "rows, ")
			lines = append(lines, wait)
			return nil
		}
	})
	res, err := f.Do(t.Context(), config.RequestSpec{Endpoint: "x"}, JobInfo{Live: live.Job(1, "x", 0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	go live.Close()
	<-shown
	equal(t, "lines", lines, []string{"waiting 7 s: status 202 Accepted, not ready"})
}

// However often a response is requested, no memory is kept.
func TestPollKeepsNoMemory(t *testing.T) {
	const often = 20_000
	f := ruled(t, "http://a.test", `{}`, `[{"when":"state!=done","do":"poll","message":"state"}]`, func(o *Options) {
		o.Log, o.Sleep = event.NewLog(event.Discard{}, o.Secrets, today), func(context.Context, time.Duration) error { return nil }
	})
	asked := 0
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before, after uint64
	api := stepFunc(func(_ context.Context, x *call) (*Response, error) {
		asked++
		body := `{"state":"running"}`
		switch asked {
		case often / 2:
			before = heap()
		case often:
			after = heap()
			body = `{"state":"done"}`
		}
		spool := f.o.spooler.New()
		_, err := spool.Write([]byte(body))
		return &Response{call: x, Status: 200, StatusLine: "200 OK", Body: spool}, err
	})
	res, err := (&retry{api, &f.o}).do(t.Context(), &call{Request: &request.Request{Method: "GET", URL: f.o.BaseURL}})
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if asked != often || after > before+1<<20 {
		t.Errorf("asked %d times, the heap grew by %d bytes", asked, int64(after)-int64(before))
	}
}

// The waits that a rule says are exact, also side by side.
func TestWaitsOfRulesAreNotSpread(t *testing.T) {
	for wait, want := range map[string]time.Duration{`4`: 4 * second, `{"header":"In"}`: 5 * second, `{"header":"Out"}`: 2 * second} {
		f := ruled(t, serve(t, say(403, "", "In: 5"), ok("")).URL, `{"http":{"concurrency":2}}`, `[{"status":403,"do":"retry","wait":`+wait+`}]`, random(bytesOf(255)))
		if _, err := f.get(t, "x"); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.sleeps, []time.Duration{want}) {
			t.Errorf("%s: waits %v, want %s", wait, f.sleeps, want)
		}
	}
}

// FuzzRuleWait: no matter what a response says, no wait is longer than the limits.
func FuzzRuleWait(f *testing.F) {
	for _, tt := range retryAfters {
		f.Add(tt.value)
	}
	for _, text := range []string{"1e400", "-1e400", "NaN", "9223372036.9", "9223372036854775808", "0.0000001", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"} {
		f.Add(text)
	}
	const longest, timeout = time.Hour, 30 * time.Minute
	f.Fuzz(func(t *testing.T, text string) {
		r := retry{Options: &Options{Shared: &Shared{Run: &env.Run{Now: today, Secrets: &secret.Registry{}}}, API: config.API{Retry: config.Retry{Header: "B", MaxWait: longest}}}}
		for _, verb := range []string{"retry", "poll"} {
			list := rules(t, `[{"status":429,"do":"`+verb+`","wait":{"header":"A"}}]`)
			list[0].Timeout = timeout
			res := &Response{Status: 429, Header: http.Header{"A": {text}}, call: &call{Request: &request.Request{URL: docOf(t, "http://a.test", `{}`).Iterations[0].BaseURL}}}
			d, err := rule.Decide(rule.Response{Status: 429, Header: res.Header}, today(), list)
			if err != nil {
				t.Fatal(err)
			}
			if verb == "retry" {
				if wait, err := r.delay(res, d, 1); err == nil && (wait.wait < 0 || wait.wait > longest) {
					t.Errorf("%q waits %s", text, wait.wait)
				}
				continue
			}
			p := polling{began: today().Add(-timeout / 2)}
			if wait, err := r.pollWait(res, d, &p); err == nil && (wait < minStatedWait || wait > timeout/2) || err != nil && failure.KindOf(err) != failure.User {
				t.Errorf("%q waits %s, %v", text, wait, err)
			}
		}
	})
}

// A message that is cut shows no half of a secret, however it is made to end with one.
func TestLongMessagesShowNoHalfOfASecret(t *testing.T) {
	const hidden = "s3cr3t-and-long"
	for at := rule.MostMessage - len(hidden) - 1; at <= rule.MostMessage; at++ {
		body := `{"m":"` + strings.Repeat(" ", at) + hidden + ` and more"}`
		f := ruled(t, serve(t, say(400, body)).URL, `{}`, `[{"status":400,"do":"fail","message":"m"}]`, func(o *Options) { o.Secrets.Add(hidden) })
		if _, err := f.get(t, "x"); err == nil || strings.Contains(err.Error(), hidden[:4]) {
			t.Errorf("got %v", err)
		}
	}
}
