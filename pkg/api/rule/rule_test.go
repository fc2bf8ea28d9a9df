package rule

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/testvalue"
	"github.com/keboola/configurable-extractor/pkg/api/response"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func now() time.Time { return time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC) }

// compiled are the rules of a text that has no problems.
func compiled(t testing.TB, text string) List {
	t.Helper()
	var problems failure.Problems
	list := Compile(field.NewSection(testvalue.Parse(t, text), "/r", &problems), APIScope, time.Hour)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return list
}

// responded is a response; it is closed with the test. Headers are lines.
func responded(t testing.TB, status int, body string, headers ...string) Response {
	t.Helper()
	spool := response.NewSpooler(t.TempDir(), 1<<16).New()
	t.Cleanup(func() { spool.Close() })
	if _, err := spool.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	a := Response{Status: status, Header: http.Header{}, Body: spool}
	for _, line := range headers {
		name, text, _ := strings.Cut(line, ": ")
		a.Header.Add(name, text)
	}
	return a
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		rule    string
		status  int
		body    string
		headers []string
		want    bool
	}{
		{`"status":404`, 404, ``, nil, true},
		{`"status":"404"`, 404, ``, nil, true},
		{`"status":404`, 403, ``, nil, false},
		{`"status":"4xx"`, 499, ``, nil, true},
		{`"status":"4XX"`, 400, ``, nil, true},
		{`"status":"4xx"`, 500, ``, nil, false},
		{`"status":[200,"5xx"]`, 503, ``, nil, true},
		{`"status":[200,"5xx"]`, 201, ``, nil, false},
		{`"status":[]`, 201, ``, nil, true},
		{`"status":999`, 999, ``, nil, true},
		{``, 200, ``, nil, true},
		{`"match":"<code>(busy|later)</code>"`, 200, `<error><code>later</code></error>`, nil, true},
		{`"match":"(?i)^<html"`, 400, `<HTML>`, nil, true},
		{`"match":"^<html"`, 400, ` <html>`, nil, false},
		{`"match":"x"`, 200, ``, nil, false},
		{`"match":"^$"`, 204, ``, nil, true},
		{`"match":"x"`, 200, "\xff\x00x", nil, true},
		{`"match":"x","when":"a==1"`, 200, `{"a":1,"b":"x"}`, nil, true},
		{`"match":"x","when":"a==1"`, 200, `{"a":2,"b":"x"}`, nil, false},
		{`"match":"x","when":"a==1"`, 200, `x`, nil, false},
		{`"match":"x","status":404`, 200, `x`, nil, false},
		{`"match":"x"`, 200, strings.Repeat(" ", 1<<20) + "x", nil, false},
		{`"match":"x"`, 200, strings.Repeat(" ", 1<<20-1) + "x", nil, true},
		{`"when":"a==1"`, 200, `{"a":1}`, nil, true},
		{`"when":"a==1"`, 200, `{"a":"1"}`, nil, true},
		{`"when":"a==1"`, 200, "\ufeff" + `{"a":1}`, nil, true},
		{`"when":"a==true"`, 200, `{"a":true}`, nil, true},
		{`"when":"a==1&b==2"`, 200, `{"a":1}`, nil, false},
		{`"when":"a.b==x"`, 200, `{"a":{"b":"x"}}`, nil, true},
		{`"when":"a.b==x"`, 200, `{"a.b":"x"}`, nil, true},
		{`"when":"a.-1.b==x"`, 200, `{"a":[{"b":"y"},{"b":"x"}]}`, nil, true},
		{`"when":"a.[n=s].v==x"`, 200, `{"a":[{"n":"r","v":"y"},{"n":"s","v":"x"}]}`, nil, true},
		{`"when":"0.code==4"`, 400, `[{"code":4}]`, nil, true},
		{`"when":".==later"`, 200, `"later"`, nil, true},
		{`"when":"errors!="`, 200, `{"errors":[{"message":"x"}]}`, nil, true},
		{`"when":"errors!="`, 200, `{"errors":null}`, nil, false},
		{`"when":"errors!="`, 200, `{}`, nil, false},
		{`"when":"state!=done"`, 200, `{}`, nil, true},
		{`"when":"state!=done"`, 200, ``, nil, false},
		{`"when":"state!=done"`, 200, `  `, nil, false},
		{`"when":"state!=done"`, 200, `id,state` + "\n1,x\n", nil, false},
		{`"when":"state!=done"`, 200, `{"state":"x"}` + "\n" + `{"state":"y"}`, nil, false},
		{`"when":"state!=done"`, 200, `{"state":"x"`, nil, false},
		{`"when":"state!=done"`, 200, `<html>`, nil, false},
		{`"when":"list=="`, 200, `{"list":[` + strings.Repeat(`"0123456789",`, 1<<17) + `"0"]}`, nil, false},
		{`"header":{"x-left":"==0"}`, 200, ``, []string{"X-Left: 0"}, true},
		{`"header":{"X-Left":"==0"}`, 200, ``, []string{"X-Left: 0", "X-Left: 1"}, false},
		{`"header":{"X-Left":"==0, 1"}`, 200, ``, []string{"X-Left: 0", "X-Left: 1"}, true},
		{`"header":{"X-Left":"<10"}`, 200, ``, []string{"X-Left: 9"}, true},
		{`"header":{"X-Left":"<10"}`, 200, ``, []string{"X-Left: 10"}, false},
		{`"header":{"X-Left":"=="}`, 200, ``, nil, true},
		{`"header":{"X-Left":"!="}`, 200, ``, nil, false},
		{`"header":{"A":"==1","B":"==2"}`, 200, ``, []string{"A: 1", "B: 2"}, true},
		{`"header":{"A":"==1","B":"==2"}`, 200, ``, []string{"A: 1"}, false},
		{`"status":403,"when":"m~~%limit%","header":{"A":"==1"}`, 403, `{"m":"the limit is reached"}`, []string{"A: 1"}, true},
		{`"status":403,"when":"m~~%limit%","header":{"A":"==1"}`, 403, `{"m":"forbidden"}`, []string{"A: 1"}, false},
	} {
		list := compiled(t, strings.Replace(`[{`+tt.rule+`,"do":"fail"}]`, "{,", "{", 1))
		d, err := Decide(responded(t, tt.status, tt.body, tt.headers...), now(), nil, list)
		if err != nil || (d != nil) != tt.want {
			t.Errorf("%s, status %d, %.40q, %q: got %v, %v", tt.rule, tt.status, tt.body, tt.headers, d != nil, err)
		}
	}
}

func TestFirstRuleDecides(t *testing.T) {
	first := compiled(t, `[{"status":404,"do":"skip"},{"when":"a==1","do":"poll","message":"m"}]`)
	second := compiled(t, `[{"status":404,"do":"fail"},{"status":500,"do":"retry"},{"do":"accept"}]`)
	for _, tt := range []struct {
		status int
		body   string
		want   Action
		at     string
	}{
		{404, `{"a":1}`, Skip, "/r/0"},
		{500, `{"a":1}`, Poll, "/r/1"},
		{500, `{"a":2}`, Retry, "/r/1"},
		{200, ``, Accept, "/r/2"},
	} {
		d, err := Decide(responded(t, tt.status, tt.body), now(), first, second)
		if err != nil || !d.Is(tt.want) || d.Pointer != tt.at {
			t.Errorf("status %d, %s: got %+v, %v", tt.status, tt.body, d, err)
		}
	}
	var none *Decision
	if none.Is(Fail) {
		t.Error("no decision is one")
	}
}

// The body is not touched where no rule needs it, and can be read after rules did.
func TestBodyStaysReadable(t *testing.T) {
	list := compiled(t, `[{"status":404,"when":"a==1","do":"fail"},{"when":"a==2","do":"skip"}]`)
	for _, body := range []string{`{"a":3}`, `{"a":"` + strings.Repeat("x", 1<<18) + `"}`} {
		a := responded(t, 200, body)
		if d, err := Decide(a, now(), list); d != nil || err != nil {
			t.Fatal(d, err)
		}
		if text, _, err := a.Body.Text(response.Format{}); string(text) != body || err != nil {
			t.Errorf("got %d bytes, %v", len(text), err)
		}
	}
	closed := Response{Status: 200}
	if d, err := Decide(closed, now(), compiled(t, `[{"status":404,"when":"a==1","message":"m","do":"fail"}]`)); d != nil || err != nil {
		t.Error("a body was wanted by a rule whose status does not match", err)
	}
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{"m":{"text":"no"}}`, "no"},
		{`{"m":{"text":7}}`, "7"},
		{`{"m":{"text":["a","b"]}}`, `["a","b"]`},
		{`{"m":{"text":[]}}`, ""},
		{`{"m":{"text":null}}`, ""},
		{`{}`, ""},
		{`no JSON`, ""},
		{``, ""},
		{`{"m":{"text":"` + strings.Repeat("č", 1<<18) + `"}}`, strings.Repeat("č", MostMessage/2)},
		{`{"m":{"text":"` + strings.Repeat("x", 2<<20) + `"}}`, ""},
	} {
		d, err := Decide(responded(t, 500, tt.body), now(), compiled(t, `[{"do":"fail","message":"m.text"}]`))
		if err != nil || d.Message != tt.want {
			t.Errorf("%.50s: got %.50q, %v", tt.body, d.Message, err)
		}
	}
}

func TestConditionsThatCannotBeApplied(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":{"b":1}}`: "is an object",
		`{"a":"` + strings.Repeat("x", 2<<20) + `"}`: "too large for a rule",
	} {
		_, err := Decide(responded(t, 500, body), now(), compiled(t, `[{"when":"a==1","do":"fail"}]`))
		if failure.KindOf(err) != failure.User || failure.PointerOf(err) != "/r/0/when" || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: got %v", body, err)
		}
	}
}

var waits = []struct {
	text    string
	seconds float64 // 0 for nothing that is reported
}{
	{"30", 30}, {" 30 ", 30}, {"0.25", 0.25}, {"1e1", 10}, {"+5", 5}, {"0.0001", 0.001}, {"1.1", 1.1}, {"0.0074", 0.008},
	{"0", 0}, {"-1", 0}, {"-1e400", 0}, {"NaN", 0}, {"Inf", 0}, {"0x10", 0}, {"1_000", 0}, {"", 0}, {"soon", 0}, {"30 s", 0}, {"1,5", 0},
	{"1740819660", 60}, {"1740819600", 0}, {"1740819540", 0}, {"1000000000", 0},
	{"999999999", 999999999}, {"1740819660000", 60}, {"1740819660500", 60.5}, {"1740819660.123456", 60.124}, {"1740819660000.5", 60.001}, {"1740819600000", 0}, {"1e300", 1e300},
	{"Sat, 01 Mar 2025 09:00:30 GMT", 30}, {"Sat, 01 Mar 2025 10:00:30 +0100", 30}, {"Saturday, 01-Mar-25 09:00:30 GMT", 30}, {"Sat Mar  1 09:00:30 2025", 30},
	{"2025-03-01T09:00:30Z", 30}, {"2025-03-01T09:00:30.5Z", 30.5}, {"2025-03-01T10:00:30+01:00", 30}, {"2025-03-01T10:00:30+0100", 30}, {"2025-03-01T09:00:30", 30}, {"2025-03-01 09:00:30", 30},
	{"2025-03-02", 15 * 3600}, {"2025-03-01T08:59:59Z", 0}, {"9999-12-31T23:59:59Z", time.Duration(1<<63 - 1).Seconds()}, {"Sat, 01 Mar 2025 08:00:00 GMT", 0},
}

func TestWaits(t *testing.T) {
	for _, tt := range waits {
		for _, rule := range []string{`{"header":"x-in"}`, `{"response":"in"}`, `{"match":"<(.*)>"}`} {
			a := responded(t, 503, `{"in":`+value.OfString(tt.text).JSON()+`,"text":"<`+tt.text+`>"}`, "X-In: "+tt.text)
			d, err := Decide(a, now(), compiled(t, `[{"do":"retry","wait":`+rule+`}]`))
			if err != nil {
				t.Fatal(err)
			}
			if d.Wait.Known != (tt.seconds > 0) || d.Wait.Known && d.Wait.Seconds != tt.seconds {
				t.Errorf("%q by %s: got %+v, want %v", tt.text, rule, d.Wait, tt.seconds)
			}
		}
	}
}

func TestWaitsOfResponses(t *testing.T) {
	big := strings.Repeat(" ", 1<<20)
	for _, tt := range []struct {
		wait, body string
		headers    []string
		want       float64
		from       string
	}{
		{`7`, ``, nil, 7, ""},
		{`"7.5"`, ``, nil, 7.5, ""},
		{`{"response":"a.0.b"}`, `{"a":[{"b":7}]}`, nil, 7, "'7' at 'a.0.b' of its body"},
		{`{"response":"a"}`, `{"a":1e400}`, nil, 1e308, "'1e400' at 'a' of its body"},
		{`{"response":"a"}`, `{"a":[7]}`, nil, 0, ""},
		{`{"response":"a"}`, `{"a":{"b":7}}`, nil, 0, ""},
		{`{"response":"a"}`, `{"a":true}`, nil, 0, ""},
		{`{"response":"a"}`, `a=7`, nil, 0, ""},
		{`{"response":"a"}`, `{"a":"` + strings.Repeat("7", 2<<20) + `"}`, nil, 0, ""},
		{`{"header":"X-In"}`, ``, []string{"X-In: 7"}, 7, "the header 'X-In: 7'"},
		{`{"header":"X-In"}`, ``, []string{"X-In: Sat", "X-In: 01 Mar 2025 09:00:07 GMT"}, 7, "the header 'X-In: Sat, 01 Mar 2025 09:00:07 GMT'"},
		{`{"header":"X-In"}`, ``, []string{"X-In: 7", "X-In: 7"}, 0, ""},
		{`{"header":"X-In"}`, ``, nil, 0, ""},
		{`{"match":"in (\\d+)(?: s)?"}`, `wait in 7 s`, nil, 7, "'7' in its body"},
		{`{"match":"in (\\d+) or (\\d+)"}`, `in 7 or 8`, nil, 7, "'7' in its body"},
		{`{"match":"x(\\d+)?"}`, `x`, nil, 0, ""},
		{`{"match":"in (\\d+)"}`, big[4:] + `in 7`, nil, 7, "'7' in its body"},
		{`{"match":"in (\\d+)"}`, big + `in 7`, nil, 0, ""},
		{`{"match":"in (\\d+)"}`, "\xff\x00in 7", nil, 7, "'7' in its body"},
		{`{"header":"X-Usage","match":"\"regain\": *([1-9]\\d*)","unit":"minutes"}`, ``, []string{`X-Usage: {"1":[{"regain": 0}],"2":[{"regain": 19}]}`}, 1140, "'19' in the header 'X-Usage'"},
		{`{"header":"X-Usage","match":"([1-9]\\d*)"}`, `7`, []string{"X-Usage: 0"}, 0, ""},
		{`{"header":"X-Usage","match":"([1-9]\\d*)"}`, `7`, nil, 0, ""},
		{`{"response":"error","match":"in (\\d+) seconds"}`, `{"error":"again in 7 seconds","a":"in 8 seconds"}`, nil, 7, "'7' at 'error' of its body"},
		{`{"response":"ms","unit":"milliseconds"}`, `{"ms":1700000000000}`, nil, 1700000000, "'1700000000000' at 'ms' of its body"},
		{`{"header":"X-In","unit":"milliseconds"}`, ``, []string{"X-In: 10000"}, 10, "the header 'X-In: 10000'"},
		{`{"header":"X-In","unit":"hours"}`, ``, []string{"X-In: 1.5"}, 5400, "the header 'X-In: 1.5'"},
		{`{"header":"X-In","unit":"minutes"}`, ``, []string{"X-In: 0.1"}, 6, "the header 'X-In: 0.1'"},
		{`{"header":"X-In","unit":"minutes"}`, ``, []string{"X-In: 1e300"}, 6e301, "the header 'X-In: 1e300'"},
		{`{"header":"X-In","unit":"seconds"}`, ``, []string{"X-In: 1767323165"}, 1767323165, "the header 'X-In: 1767323165'"},
		{`{"header":"X-In","unit":"minutes"}`, ``, []string{"X-In: -1"}, 0, ""},
		{`{"header":"X-In","unit":"minutes"}`, ``, []string{"X-In: Sat, 01 Mar 2025 09:00:07 GMT"}, 0, ""},
		{`{"match":"(\\d+)"}`, strings.Repeat("7", 100), nil, 1e99, "'…' in its body"},
	} {
		d, err := Decide(responded(t, 503, tt.body, tt.headers...), now(), compiled(t, `[{"do":"retry","wait":`+tt.wait+`}]`))
		if err != nil {
			t.Fatal(err)
		}
		if d.Wait.Known != (tt.want > 0) {
			t.Errorf("%s on %.30q: got %+v", tt.wait, tt.body, d.Wait)
		}
		if tt.want == 0 {
			if d.Wait.From != "" {
				t.Errorf("%s on %.30q: %q says nothing", tt.wait, tt.body, d.Wait.From)
			}
			continue
		}
		if got := d.Wait.Seconds; got != tt.want && (tt.want < 1e99 || got < tt.want) || d.Wait.From != tt.from {
			t.Errorf("%s on %.30q: got %+v", tt.wait, tt.body, d.Wait)
		}
	}
}

// FuzzWait: no matter what a response says, a wait that is known is above 0.
func FuzzWait(f *testing.F) {
	for _, tt := range waits {
		f.Add(tt.text, `{"in":"`+tt.text+`"}`)
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		list := compiled(t, `[{"status":500,"do":"retry","wait":{"header":"X-In"}},{"status":501,"do":"poll","wait":{"response":"in"},"message":"in"},{"do":"poll","wait":{"match":"in\\W*([0-9A-Za-z:. +-]+)"}}]`)
		for status := 500; status < 503; status++ {
			d, err := Decide(responded(t, status, body, "X-In: "+text), now(), list)
			if err != nil || d == nil {
				t.Fatalf("status %d: %v, %v", status, d, err)
			}
			if d.Wait.Known && !(d.Wait.Seconds > 0) {
				t.Errorf("%q, %q: waits %v", text, body, d.Wait)
			}
			if wait := field.Duration(d.Wait.Seconds); d.Wait.Known && wait < 0 {
				t.Errorf("%q, %q: waits %s", text, body, wait)
			}
		}
	})
}
