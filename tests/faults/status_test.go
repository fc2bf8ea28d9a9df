package faults

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

func statusFaults() []fault {
	var passingCodes, fatalCodes []fault
	for _, code := range []int{500, 502, 503, 504, 408, 420, 429} {
		passingCodes = append(passingCodes, fault{name: "status " + strconv.Itoa(code), says: "[" + strconv.Itoa(code) + "]", hit: responding(code)})
	}
	for _, code := range []int{400, 402, 403, 404, 405, 409, 410, 418, 451, 501, 505, 599, 999} {
		fatalCodes = append(fatalCodes, fault{name: "status " + strconv.Itoa(code), says: "[" + strconv.Itoa(code) + "]", hit: responding(code)})
	}
	return slices.Concat(
		with(storm("status 408, 420, 429, 500, 502, 503, 504"), passingCodes...),
		retryAfters(),
		with(fatal("any other status of 400 and above"), fatalCodes...),
		with(fatal("status 401"),
			fault{name: "401 without credentials to renew", only: unrenewable, says: "[401]", hit: responding(401)},
		),
		[]fault{{name: "401 in the middle", row: "status 401", only: renewing, once: healthy, stays: refused, says: "[401]", hit: responding(401)}},
		redirects(),
		ruled(),
		[]fault{
			{name: "clock jumps a day forward", row: "clock jumps", once: healthy, hit: jumping(24 * time.Hour)},
			{name: "clock jumps ten years forward", row: "clock jumps", once: healthy, hit: jumping(87600 * time.Hour)},
			{name: "clock jumps a day back", row: "clock jumps", once: healthy, hit: jumping(-24 * time.Hour)},
			{name: "clock jumps back to 1970", row: "clock jumps", once: healthy, hit: jumping(-time.Duration(56) * 365 * 24 * time.Hour)},
		},
	)
}

func responding(status int, headers ...string) func(*strike) {
	return func(s *strike) { s.say(status, `{"error": "the API is not well"}`, headers...) }
}

// ruled are answers about which rules decide.
func ruled() []fault {
	rules := func(rule string) string { return `{"http": {"rules": [` + rule + `]}}` }
	limited := rules(`{"status": [200, 403], "when": "limit==reached", "do": "retry", "wait": {"response": "in"}}`)
	pending := rules(`{"when": "state==pending", "do": "poll", "wait": {"header": "In"}, "timeout": 600}`)
	reached := func(status int, in string) func(*strike) {
		return func(s *strike) { s.say(status, `{"limit": "reached", "in": `+in+`}`) }
	}
	waiting := func(status int, headers ...string) func(*strike) {
		return func(s *strike) { s.say(status, `{"state": "pending"}`, headers...) }
	}
	return slices.Concat(
		[]fault{{name: "ended credentials in a 200", row: "response about ended credentials, by a rule", only: renewing, once: healthy, stays: refused, says: "the credentials have ended, after a new login too",
			settings: rules(`{"when": "errors.0==ended", "do": "login"}`),
			hit:      func(s *strike) { s.say(200, `{"errors": ["ended"]}`) }}},
		with(func(f *fault) { storm("response that a rule retries")(f); f.only = noLogin },
			fault{name: "limit in a 200", settings: limited, says: "'api.retryConfig.maxRetries'", hit: reached(200, "2")},
			fault{name: "limit in a 403", settings: limited, says: "'api.retryConfig.maxRetries'", hit: reached(403, `"soon"`)},
		),
		with(func(f *fault) { storm("response that is not ready, by a rule")(f); f.only = noLogin },
			fault{name: "202 that is not ready", settings: pending, says: "'timeout' of the rule", hit: waiting(202)},
			fault{name: "200 that says when it is ready", settings: pending, says: "'timeout' of the rule", hit: waiting(200, "In: 30")},
			fault{name: "503 that is not ready", settings: pending, says: "'timeout' of the rule", hit: waiting(503, "In: -1")},
		),
		with(func(f *fault) { fatal("wait beyond the limits of a rule")(f); f.only = noLogin },
			fault{name: "retry in a day", settings: limited, says: "'api.retryConfig.maxWait'", hit: reached(403, "86400")},
			fault{name: "retry in 1e400 seconds", settings: limited, says: "'api.retryConfig.maxWait'", hit: reached(200, "1e400")},
			fault{name: "not ready before an hour", settings: pending, says: "'timeout' of the rule", hit: waiting(202, "In: 3601")},
		),
		with(func(f *fault) { fatal("response that a rule refuses")(f); f.only = noLogin },
			fault{name: "errors in a 200", settings: rules(`{"when": "errors!=", "do": "fail", "message": "errors.0"}`), says: "no more today",
				hit: func(s *strike) { s.say(200, `{"errors": ["no more today"]}`) }},
		),
	)
}

// jumping answers well, but puts the clock of the run forward or back first.
func jumping(d time.Duration) func(*strike) {
	return func(s *strike) {
		s.world.clock.Advance(d)
		s.whole().write(s)
	}
}

// retryAfters are storms of 429 and 503 with every form of Retry-After.
func retryAfters() []fault {
	now := func(s *strike) time.Time { return s.world.clock.Now() }
	forms := []struct {
		name string
		text func(*strike) string
	}{
		{"seconds", func(*strike) string { return "3" }},
		{"zero", func(*strike) string { return "0" }},
		{"negative", func(*strike) string { return "-5" }},
		{"fraction", func(*strike) string { return "5.7" }},
		{"exponent", func(*strike) string { return "1e2" }},
		{"blanks", func(*strike) string { return "  7  " }},
		{"a time", func(s *strike) string { return strconv.FormatInt(now(s).Unix()+30, 10) }},
		{"a time that is over", func(s *strike) string { return strconv.FormatInt(now(s).Unix()-30, 10) }},
		{"a date", func(s *strike) string { return now(s).Add(time.Minute).UTC().Format(http.TimeFormat) }},
		{"a date with a zone", func(s *strike) string { return now(s).Add(time.Minute).UTC().Format(time.RFC1123Z) }},
		{"a date that is over", func(s *strike) string { return now(s).Add(-time.Hour).UTC().Format(http.TimeFormat) }},
		{"a date of RFC 850", func(s *strike) string { return now(s).Add(time.Minute).UTC().Format(time.RFC850) }},
		{"a date of ISO 8601", func(s *strike) string { return now(s).Add(time.Minute).UTC().Format(time.RFC3339) }},
		{"a text", func(*strike) string { return "soon" }},
		{"empty", func(*strike) string { return "" }},
	}
	var all []fault
	for i, form := range forms {
		status := []int{429, 503}[i%2]
		all = append(all, fault{name: strconv.Itoa(status) + " with Retry-After: " + form.name, says: "[" + strconv.Itoa(status) + "]",
			hit: func(s *strike) { responding(status, "Retry-After: "+form.text(s))(s) }})
	}
	all = append(all, fault{name: "429 with two Retry-After", says: "[429]", hit: responding(429, "Retry-After: 3", "Retry-After: 4")},
		fault{name: "429 with a header of its own", says: "[429]", settings: `{"retryConfig": {"http": {"retryHeader": "X-Reset"}}}`, hit: responding(429, "X-Reset: 9", "Retry-After: 3")})
	years := func(s *strike) { responding(429, "Retry-After: "+strconv.FormatInt(now(s).UnixMilli()+30000, 10))(s) }
	return slices.Concat(
		with(storm("429 or 503 with Retry-After, in any form"), all...),
		with(fatal("Retry-After of more than an hour"),
			fault{name: "503 with Retry-After: a day", says: "'api.retryConfig.maxWait'", hit: responding(503, "Retry-After: 86400")},
			fault{name: "429 with Retry-After: a time in milliseconds", says: "'api.retryConfig.maxWait'", hit: years},
			fault{name: "429 with Retry-After: a number beyond any time", says: "'api.retryConfig.maxWait'", hit: responding(429, "Retry-After: 99999999999999999999999")},
		),
	)
}

// redirected responds with a redirect to an address, "" is that of the request.
func redirected(status int, to string) func(*strike) {
	return func(s *strike) {
		location := to
		if location == "" {
			location = s.r.URL.RequestURI()
		}
		s.say(status, "moved", "Location: "+location)
	}
}

// elsewhere responds with a redirect to the same on another host.
func elsewhere(status int, host string) func(*strike) {
	return func(s *strike) { redirected(status, host+s.r.URL.RequestURI())(s) }
}

func redirects() []fault {
	return slices.Concat(
		with(func(f *fault) {
			f.row, f.often, f.stays, f.says = "redirect", healthy, refused, "too many redirects"
		},
			fault{name: "307 to itself", hit: redirected(307, "")},
			fault{name: "308 to itself", hit: redirected(308, "")},
			fault{name: "301 to itself", only: reading, hit: redirected(301, "")},
			fault{name: "302 to itself, absolute", only: reading, hit: elsewhere(302, "http://api.test")},
			fault{name: "303 to itself", only: reading, hit: redirected(303, "")},
		),
		with(func(f *fault) { f.row, f.once = "redirect, next page or child job at another host", healthy },
			fault{name: "307 to another host", only: open, hit: elsewhere(307, "http://other.test")},
			fault{name: "302 to another port", only: readingOpen, hit: elsewhere(302, "http://api.test:8080")},
		),
		with(func(f *fault) { f.row, f.secure = "redirect from https to http", true },
			fault{name: "downgrade to http", only: open, once: healthy, hit: elsewhere(307, "http://api.test")},
			fault{name: "downgrade to http, which gets no credentials", only: proved, once: refused, says: "[401]", hit: elsewhere(307, "http://api.test")},
		),
		with(fatal("redirect, next page or child job at another host"),
			fault{name: "307 to another host, which gets no credentials", only: proved, says: "[401]", hit: elsewhere(307, "http://other.test")},
			fault{name: "307 to a host that is not allowed", says: "http://other.test", beside: `{"image_parameters": {"allowed_hosts": [{"host": "api.test"}]}}`, hit: elsewhere(307, "http://other.test")},
		),
		with(fatal("redirect of a login to another host"),
			fault{name: "login: 307 to another host", only: loggingIn, says: "a login is not sent to another origin", hit: elsewhere(307, "http://other.test")},
			fault{name: "login: 303 to another host", only: loggingIn, says: "a login is not sent to another origin", hit: elsewhere(303, "http://other.test")},
		),
		with(fatal("redirect that leads nowhere"),
			fault{name: "to a file", says: "redirected", hit: redirected(302, "file:///etc/passwd")},
			fault{name: "to a script", says: "redirected", hit: redirected(302, "javascript:alert(1)")},
			fault{name: "to FTP", says: "redirected", hit: redirected(307, "ftp://api.test/x")},
			fault{name: "to nonsense", says: "redirected", hit: redirected(302, "http://[::1")},
			fault{name: "to no host", says: "redirected", hit: redirected(302, "http:///x")},
			fault{name: "without an address", says: "[302] Redirect without a URL", hit: func(s *strike) { s.say(302, "") }},
			fault{name: "without an address, with a body", says: "[300] Redirect without a URL", hit: func(s *strike) { s.say(300, `[{"id": 1, "token": "x"}]`) }},
			fault{name: "304 that no one requested", says: "[304] Redirect without a URL", hit: func(s *strike) { s.WriteHeader(304) }},
		),
	)
}

// reading are the requests that a redirect does not change.
func reading(s scenario, p place) bool { return s.name != "POST" && p.name != "login" }

// loggingIn are logins.
func loggingIn(_ scenario, p place) bool { return p.name == "login" }

func readingOpen(s scenario, p place) bool { return reading(s, p) && open(s, p) }
