package auth

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/field"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// sends authenticates a request at each of these times after the start and
// says which of them needed a login first.
func sends(t *testing.T, expires, res string, after ...time.Duration) string {
	t.Helper()
	w := newWorld(t, res)
	a := w.start(mustCompile(t, loginWith(`"expires":`+expires), `{}`))
	pattern := ""
	for _, d := range after {
		w.clock.Advance(d - w.clock.Now().Sub(today()))
		before := len(w.logins)
		authenticated(t, a, requestTo(t, "http://a.test/"))
		pattern += map[bool]string{true: "L", false: "-"}[len(w.logins) > before]
	}
	return pattern
}

const forever = 200 * 365 * 24 * time.Hour

func TestWhenALoginIsRepeated(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name, expires, res string
		after              []time.Duration
		want               string // L for a request with a login before it
	}{
		{"absent", `null`, `{}`, []time.Duration{0, 0, forever}, "L--"},
		{"false", `false`, `{}`, []time.Duration{0, 0, forever}, "L--"},
		{"true", `true`, `{}`, []time.Duration{0, 0, forever}, "L--"},
		{"empty text", `""`, `{}`, []time.Duration{0, 0, forever}, "L--"},
		{"zero as text", `"0"`, `{}`, []time.Duration{0, 0, 0}, "LLL"},
		{"negative", `-1`, `{}`, []time.Duration{0, 0, 0}, "LLL"},
		{"seconds as text", `"3600"`, `{}`, []time.Duration{0, 3600 * s, 3601 * s}, "L-L"},
		{"a sign", `"+5"`, `{}`, []time.Duration{0, 5 * s, 6 * s}, "L-L"},
		{"a whole fraction", `5.0`, `{}`, []time.Duration{0, 5 * s, 6 * s}, "L-L"},
		{"an exponent", `1e1`, `{}`, []time.Duration{0, 10 * s, 11 * s}, "L-L"},
		{"parts of a second do not count", `5`, `{}`, []time.Duration{0, 5*s + 999*time.Millisecond, 6 * s}, "L-L"},
		{"the largest number", `9223372036854775807`, `{}`, []time.Duration{0, 0, forever}, "L--"},

		{"Unix time of now", `{"response":"u"}`, `{"u":1740819600}`, []time.Duration{0, 0}, "L-"},
		{"milliseconds", `{"response":"u"}`, `{"u":1740819610000}`, []time.Duration{0, forever}, "L-"},
		{"the largest Unix time", `{"response":"u"}`, `{"u":9223372036854775807}`, []time.Duration{0, forever}, "L-"},
		{"the last item of a list", `{"response":"a.-1"}`, `{"a":[0,1740819610]}`, []time.Duration{0, 10 * s}, "L-"},
		{"an item that is chosen", `{"response":"a.[type=access].u"}`, `{"a":[{"u":0,"type":"refresh"},{"u":1740819610,"type":"access"}]}`, []time.Duration{0, 10 * s}, "L-"},
		{"a name with a dot", `{"response":"token.end"}`, `{"token.end":1740819610}`, []time.Duration{0, 10 * s}, "L-"},
		{"relative zero", `{"response":"ttl","relative":true}`, `{"ttl":0}`, []time.Duration{0, 0, 1 * s}, "L-L"},
		{"relative by the text false", `{"response":"ttl","relative":"false"}`, `{"ttl":10}`, []time.Duration{0, 10 * s, 11 * s}, "L-L"},
		{"relative, the largest number", `{"response":"ttl","relative":true}`, `{"ttl":9223372036854775807}`, []time.Duration{0, forever}, "L-"},
		{"date", `{"response":"d"}`, `{"d":"2025-03-01 09:00:10"}`, []time.Duration{0, 10 * s}, "L-"},
		{"tomorrow", `{"response":"d"}`, `{"d":"tomorrow"}`, []time.Duration{0, 15 * time.Hour, 15*time.Hour + s}, "L-L"},
		{"with an at sign", `{"response":"d"}`, `{"d":"@1740819610"}`, []time.Duration{0, 10 * s}, "L-"},
		{"a date is never relative", `{"response":"d","relative":true}`, `{"d":"2025-03-01 09:00:10"}`, []time.Duration{0, 10 * s}, "L-"},
		{"missing path", `{"response":"d"}`, `{}`, []time.Duration{0, forever}, "L-"},
		{"null", `{"response":"d"}`, `{"d":null}`, []time.Duration{0, forever}, "L-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sends(t, tt.expires, tt.res, tt.after...); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTimeCountsFromTheResponse(t *testing.T) {
	w := newWorld(t, `{"ttl":10}`)
	m := mustCompile(t, loginWith(`"expires":{"response":"ttl","relative":true}`), `{}`)
	a := w.startWith(m, func(ctx context.Context, r config.RequestSpec) (LoginResponse, error) {
		w.clock.Advance(30 * time.Second)
		return w.login(ctx, r)
	})
	for _, d := range []time.Duration{0, 10 * time.Second} { // 30 and 40 seconds after the start
		w.clock.Advance(d)
		authenticated(t, a, requestTo(t, "http://a.test/"))
	}
	if len(w.logins) != 1 {
		t.Errorf("%d logins", len(w.logins))
	}
}

func TestExpiriesThatFail(t *testing.T) {
	const unreadable, over = "the response's value at 'u' is neither a number nor a date", "the credentials had already expired when they arrived, says the response at 'u' ("
	tests := []struct{ name, relative, value, want string }{
		{"text", `false`, `"s3cret"`, unreadable},
		{"empty text", `false`, `""`, unreadable},
		{"blanks", `false`, `"  "`, unreadable},
		{"relative text", `true`, `"s3cret"`, unreadable},
		{"boolean", `false`, `true`, unreadable},
		{"object", `false`, `{"a":1}`, unreadable},
		{"list", `false`, `[1740819610]`, unreadable},
		{"too large a number", `false`, `1e30`, unreadable},
		{"a second ago", `false`, `1740819599`, over + "2025-03-01T08:59:59Z)"},
		{"seconds taken for a Unix time", `false`, `3600`, over + "1970-01-01T01:00:00Z)"},
		{"past date", `false`, `"2025-03-01 08:00:00"`, over + "2025-03-01T08:00:00Z)"},
		{"negative", `true`, `-1`, over + "2025-03-01T08:59:59Z)"},
		{"the smallest number", `true`, `-9223372036854775808`, over},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, `{"u":`+tt.value+`}`)
			m := mustCompile(t, loginWith(`"expires":{"response":"u","relative":`+tt.relative+`}`), `{}`)
			err := w.start(m).Authenticate(t.Context(), requestTo(t, "http://a.test/"))
			wantUserError(t, err, "/parameters/api/authentication/expires", "the login failed: "+tt.want)
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows the value: %v", err)
			}
		})
	}
}

func TestLoginsAreReported(t *testing.T) {
	tests := []struct{ expires, res, want string }{
		{`null`, `{}`, "Logged in by session"},
		{`0`, `{}`, "Logged in by session"},
		{`60`, `{}`, "Logged in by session, valid until 2025-03-01T09:01:00Z"},
		{`{"response":"t.until"}`, `{"t":{"until":"2025-03-01T10:00:00Z"}}`, "Logged in by session, valid until 2025-03-01T10:00:00Z"},
		{`{"response":"u"}`, `{"u":1740819660}`, "Logged in by session, valid until 2025-03-01T09:01:00Z"},
		{`{"response":"ttl","relative":true}`, `{"ttl":3600}`, "Logged in by session, valid until 2025-03-01T10:00:00Z"},
	}
	for _, tt := range tests {
		w := newWorld(t, tt.res)
		authenticated(t, w.start(mustCompile(t, loginWith(`"expires":`+tt.expires), `{}`)), requestTo(t, "http://a.test/"))
		if len(w.events) != 1 || w.events[0].Kind != "login.done" || w.events[0].Message != tt.want {
			t.Errorf("%s: got %+v, want %s", tt.expires, w.events, tt.want)
		}
	}
}

// FuzzExpiry checks that no value of a response makes credentials that ended
// before they came, and that an error never shows the value.
func FuzzExpiry(f *testing.F) {
	for _, text := range []string{"1740819610", "3600", "5.5", "1e9", "-1", "tomorrow", "2031-05-01 10:00:00", "@9e99", " ", "s3cret!", "9223372036854775807"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, relative bool) {
		e := expiry{kind: fromResponse, path: "u", relative: relative}
		responses := []value.Value{value.OfString(text)}
		if v, err := value.Parse([]byte(text)); err == nil {
			responses = append(responses, v)
		}
		for _, v := range responses {
			end, err := e.timeFrom(value.OfMembers(value.Member{Name: "u", Value: v}), today())
			switch {
			case err != nil && failure.KindOf(err) != failure.User:
				t.Errorf("%q: %v", text, err)
			case err == nil && end.expired(today()):
				t.Errorf("%q: passed at once, %+v", text, end)
			case err == nil && end.set && end.unix != afterOneRequest && !end.expired(time.Unix(math.MaxInt64/4, 0)):
				t.Errorf("%q: never ends, %+v", text, end)
			}
			if readable := fmt.Sprint(err); err != nil && len(text) > 12 && strings.Contains(readable, text) && !strings.Contains(readable, "expired") {
				t.Errorf("%q is shown: %v", text, err)
			}
		}
	})
}

// FuzzSeconds checks which numbers of a configuration count seconds.
func FuzzSeconds(f *testing.F) {
	for _, text := range []string{"5", "5.0", "5.5", `" 5 "`, `"+5"`, `"007"`, `"1e3"`, "1e3", "1e30", `"abc"`, "true", `""`, "null", "-9223372036854775808"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.Parse([]byte(text))
		if err != nil || v.Len() > 0 {
			return
		}
		var problems failure.Problems
		e := compileExpiry(field.NewSection(v, "/expires", &problems))
		if len(problems) == 0 && e.kind == afterSeconds && e.seconds <= 0 || len(problems) > 1 {
			t.Errorf("%s: %+v, %v", text, e, problems)
		}
	})
}
