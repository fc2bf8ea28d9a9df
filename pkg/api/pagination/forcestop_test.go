package pagination

import (
	"testing"
	"time"
)

func TestForceStopByPages(t *testing.T) {
	testSequences(t, []sequence{
		{name: "one page", settings: `{"method":"pagenum","forceStop":{"pages":1}}`,
			responses: []string{rows(1)}, sent: []string{`t {"page":1}`}, rule: "the number of pages (1) has reached the limit of 1", pointer: "/forceStop/pages"},
		{name: "the scroller is faster", settings: `{"method":"pagenum","forceStop":{"pages":2}}`,
			responses: []string{rows(0)}, sent: []string{`t {"page":1}`}, rule: "the page is empty", pointer: "/method"},
		{name: "0 is no limit", settings: `{"method":"pagenum","forceStop":{"pages":0,"time":"","volume":null}}`,
			responses: []string{rows(1)}, sent: []string{`t {"page":1}`, `t {"page":2}`}},
		{name: "without a method", settings: `{"forceStop":{"pages":1}}`,
			responses: []string{rows(1)}, sent: []string{`t`}, rule: "the number of pages (1) has reached the limit of 1", pointer: "/forceStop/pages"},
	})
}

func TestForceStopByTime(t *testing.T) {
	tests := []struct {
		name, time string
		every      time.Duration
		pages      int
		rule       string
	}{
		{"just in time", `10`, 5 * time.Second, 2, "the time since the first request (10 seconds) has reached the limit of 10"},
		{"a moment earlier", `10`, 3333 * time.Millisecond, 4, "the time since the first request (13 seconds) has reached the limit of 10"},
		{"a text of digits", `"10"`, 10 * time.Second, 1, "the time since the first request (10 seconds) has reached the limit of 10"},
		{"a span", `"1 hour"`, 20 * time.Minute, 3, "the time since the first request (3600 seconds) has reached the limit of 3600"},
		{"a span of several words", `"1 minute 30 seconds"`, 45 * time.Second, 2, "the time since the first request (90 seconds) has reached the limit of 90"},
		{"far beyond the numbers of a clock", `"99999999999"`, time.Hour, 4, ""},
		{"a span into the past", `"-1 hour"`, 0, 1, "the time since the first request (0 seconds) has reached the limit of -3600"},
	}
	for _, tt := range tests {
		one := sequence{name: tt.name, settings: `{"method":"response.param","responseParam":"a","queryParam":"p","forceStop":{"time":` + tt.time + `}}`, every: tt.every, rule: tt.rule}
		for range tt.pages {
			one.responses = append(one.responses, `{"a":1}`)
			one.sent = append(one.sent, `t {"p":1}`)
		}
		one.sent[0] = `t`
		if tt.rule == "" {
			one.sent = append(one.sent, `t {"p":1}`)
		} else {
			one.pointer = "/forceStop/time"
		}
		testSequences(t, []sequence{one})
	}
}

func TestForceStopByVolume(t *testing.T) {
	const settings = `{"method":"response.param","responseParam":"a","queryParam":"p","forceStop":{"volume":"15"}}`
	const over = "the volume of the pages (16 bytes) is over the limit of 15"
	sent := []string{`t`, `t {"p":1}`, `t {"p":1}`}
	testSequences(t, []sequence{
		{name: "equal continues", settings: settings, responses: []string{`{"a":1}`, ` { "a" : 1 } `, `1`},
			sent: sent, rule: "the response has no value at 'a'", pointer: "/responseParam"},
		{name: "one byte more", settings: settings, responses: []string{`{"a":1}`, `{"a":1}`, `10`},
			sent: sent, rule: over, pointer: "/forceStop/volume"},
		{name: "a slash has two bytes", settings: settings, responses: []string{`{"a":"\/\/\/\/"}`},
			sent: sent[:1], rule: over, pointer: "/forceStop/volume"},
	})
}

func TestForceStopChecksPagesThenTimeThenVolume(t *testing.T) {
	const all = `{"method":"pagenum","forceStop":{"volume":1,"time":1,"pages":1}}`
	testSequences(t, []sequence{
		{name: "pages", settings: all, every: time.Minute,
			responses: []string{rows(1)}, sent: []string{`t {"page":1}`}, rule: "the number of pages (1) has reached the limit of 1", pointer: "/forceStop/pages"},
		{name: "time", settings: `{"method":"pagenum","forceStop":{"volume":1,"time":1,"pages":2}}`, every: time.Minute,
			responses: []string{rows(1)}, sent: []string{`t {"page":1}`}, rule: "the time since the first request (60 seconds) has reached the limit of 1", pointer: "/forceStop/time"},
		{name: "volume", settings: `{"method":"pagenum","forceStop":{"volume":1,"time":61,"pages":2}}`, every: time.Minute,
			responses: []string{rows(1)}, sent: []string{`t {"page":1}`}, rule: "the volume of the pages (3 bytes) is over the limit of 1", pointer: "/forceStop/volume"},
	})
}

func TestVolumeIsOnlyAskedForWhenALimitIsSet(t *testing.T) {
	for settings, want := range map[string]bool{
		`{"method":"pagenum"}`:                                                     false,
		`{"method":"pagenum","forceStop":{"pages":2}}`:                             false,
		`{"method":"pagenum","forceStop":{"volume":2}}`:                            true,
		`{"method":"pagenum","forceStop":{"volume":2},"limitStop":{"count":2}}`:    true,
		`{"method":"multiple","scrollers":{"default":{"forceStop":{"volume":2}}}}`: true,
		`{"method":"multiple","forceStop":{"volume":2},"scrollers":{"a":{}}}`:      true,
	} {
		if got := scroller(t, settings, "").Needs.Volume; got != want {
			t.Errorf("%s: got %t", settings, got)
		}
	}
}
