package schema_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
)

// single is a document with one iteration.
type single struct {
	config.Iteration
	API config.API
}

// accepted is the one iteration of a document without problems.
func accepted(t *testing.T, in given) single {
	t.Helper()
	doc, problems, _ := compiled(t, in.document(), false)
	sameLines(t, "problems", problems, nil)
	if len(doc.Iterations) != 1 {
		t.Fatalf("%d iterations, want 1", len(doc.Iterations))
	}
	return single{doc.Iterations[0], doc.API}
}

func TestRetry(t *testing.T) {
	with := func(change func(r *config.Retry)) config.Retry {
		r := config.Retry{MaxRetries: 10, Header: "Retry-After", MaxWait: time.Hour,
			Codes: []int{500, 502, 503, 504, 408, 420, 429}, NetworkCodes: []int{28, 6, 7, 35, 52, 56, 18}}
		change(&r)
		return r
	}
	rows := []struct {
		name, in string
		want     config.Retry
	}{
		{"absent", ``, with(func(*config.Retry) {})},
		{"new spelling", `"maxRetries":3,"http":{"retryHeader":"X-Wait","codes":[500,"503"]},"curl":{"codes":[6]}`, config.Retry{MaxRetries: 3, Header: "X-Wait", Codes: []int{500, 503}, NetworkCodes: []int{6}, MaxWait: time.Hour}},
		{"old spelling", `"maxRetries":"2","headerName":"X-Wait","httpCodes":[429],"curlCodes":["7"]`, config.Retry{MaxRetries: 2, Header: "X-Wait", Codes: []int{429}, NetworkCodes: []int{7}, MaxWait: time.Hour}},
		{"old header hides new codes", `"headerName":"X-Wait","http":{"codes":[1],"retryHeader":"Y"}`, with(func(r *config.Retry) { r.Header = "X-Wait" })},
		{"old codes hide new header", `"httpCodes":[429],"http":{"codes":[1],"retryHeader":"Y"},"curl":{"codes":[6]}`, with(func(r *config.Retry) { r.Codes, r.NetworkCodes = []int{429}, []int{6} })},
		{"old network codes hide new ones", `"curlCodes":[7],"curl":{"codes":[6]},"http":{"codes":[1]}`, with(func(r *config.Retry) { r.Codes, r.NetworkCodes = []int{1}, []int{7} })},
		{"never", `"maxRetries":0,"http":{"codes":[]},"curl":{"codes":{}}`, with(func(r *config.Retry) { r.MaxRetries, r.Codes, r.NetworkCodes = 0, nil, nil })},
		{"negative", `"maxRetries":-1`, with(func(r *config.Retry) { r.MaxRetries = 0 })},
		{"fraction is cut", `"maxRetries":2.9`, with(func(r *config.Retry) { r.MaxRetries = 2 })},
		{"longest wait", `"maxWait":90.5`, with(func(r *config.Retry) { r.MaxWait = 90500 * time.Millisecond })},
		{"longest wait as text", `"maxWait":"90"`, with(func(r *config.Retry) { r.MaxWait = 90 * time.Second })},
		{"longest wait of 0 is the default", `"maxWait":0`, with(func(*config.Retry) {})},
		{"wrong place is ignored", `"http":{"maxRetries":1}`, with(func(*config.Retry) {})},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := accepted(t, given{api: `"retryConfig":{` + row.in + `},`}).API.Retry
			if fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

func TestPace(t *testing.T) {
	none := config.RateLimit{}
	rows := []struct {
		name, in               string
		concurrency, lookahead int
		limit                  config.RateLimit
	}{
		{"absent", ``, 1, 0, none},
		{"numbers", `"http":{"concurrency":64,"lookahead":64,"rateLimit":{"requests":100,"perSeconds":60}},`, 64, 64, config.RateLimit{Requests: 100, Per: time.Minute}},
		{"texts", `"http":{"concurrency":"8","lookahead":"3","rateLimit":{"requests":"1","perSeconds":"0.5"}},`, 8, 3, config.RateLimit{Requests: 1, Per: time.Second / 2}},
		{"empty", `"http":{"concurrency":null,"lookahead":"","rateLimit":[]},`, 1, 0, none},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			api := accepted(t, given{api: row.in}).API
			if api.Concurrency != row.concurrency || api.Lookahead != row.lookahead || api.RateLimit != row.limit {
				t.Errorf("got %d, %d, %+v, want %d, %d, %+v", api.Concurrency, api.Lookahead, api.RateLimit, row.concurrency, row.lookahead, row.limit)
			}
		})
	}
}

func TestMaxResponseBytes(t *testing.T) {
	const gib = 1 << 30
	for in, want := range map[string]int64{`null`: 16 * gib, `0`: 16 * gib, `""`: 16 * gib, `100`: 100, `"1073741824"`: gib, `1e9`: 1_000_000_000} {
		if got := accepted(t, given{api: `"http":{"maxResponseBytes":` + in + `},`}).API.MaxResponseBytes; got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
}

func TestTimeouts(t *testing.T) {
	rows := []struct {
		in   string
		want time.Duration
	}{
		{`10`, 10 * time.Second}, {`"10"`, 10 * time.Second}, {`1.5`, 1500 * time.Millisecond}, {`" 0.25 "`, 250 * time.Millisecond},
		{`1e1`, 10 * time.Second}, {`0`, 300 * time.Second}, {`"0.0"`, 300 * time.Second}, {`1e300`, math.MaxInt64}, {`"1e999"`, math.MaxInt64},
	}
	for _, row := range rows {
		t.Run(row.in, func(t *testing.T) {
			if got := accepted(t, given{api: `"http":{"requestTimeout":` + row.in + `},`}).API.RequestTimeout; got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	rows := map[string]bool{`true`: true, `1`: true, `"1"`: true, `"false"`: true, `0.5`: true, `false`: false, `0`: false, `"0"`: false, `""`: false, `null`: false, `[]`: false}
	for in, want := range rows {
		it := accepted(t, given{config: `"debug":` + in + `,"driftWarning":` + in + `,"incrementalOutput":` + in + `,`})
		if it.Debug != want || it.DriftWarning != want || it.Incremental != want {
			t.Errorf("%s: got %v, want %v", in, it.Debug, want)
		}
	}
}

func TestCompatLevel(t *testing.T) {
	rows := map[string]int{`null`: 3, `0`: 3, `""`: 3, `3`: 3, `4`: 3, `2`: 2, `"2"`: 2, `2.9`: 2}
	for in, want := range rows {
		if got := accepted(t, given{config: `"compatLevel":` + in + `,`}).CompatLevel; got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
}

func TestBaseURL(t *testing.T) {
	rows := []struct {
		name string
		in   given
		want string
	}{
		{"string", given{baseURL: `"https://h.test/v1"`}, "https://h.test/v1"},
		{"path is kept as written", given{baseURL: `"https://h.test/a%2Fb//c/"`}, "https://h.test/a%2Fb//c/"},
		{"function", given{baseURL: `{"function":"sprintf","args":["https://%s.test/",{"attr":"server.name"}]}`, config: `"server":{"name":"eu"},`}, "https://eu.test/"},
		{"reference", given{baseURL: `{"attr":"url"}`, config: `"url":"https://h.test/",`}, "https://h.test/"},
		{"JSON in a string", given{baseURL: `"{\"attr\": \"url\"}"`, config: `"url":"https://h.test/",`}, "https://h.test/"},
		{"string in a string", given{baseURL: `"\"https://h.test/\""`}, "https://h.test/"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := accepted(t, row.in).BaseURL.String(); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
