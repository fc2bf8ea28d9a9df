package schema_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/config/expr"
	"github.com/keboola/configurable-extractor/pkg/value"
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

// TestEmptyIsAbsent: empty values of every kind mean absent, and an empty list means an
// empty object.
func TestEmptyIsAbsent(t *testing.T) {
	want := show(accepted(t, given{}))
	parts := map[string]given{
		"api":    {api: `"name":%[1]s,"http":%[1]s,"retryConfig":%[1]s,"authentication":%[1]s,"pagination":%[1]s,"query":%[1]s,`},
		"http":   {api: `"http":{"headers":%[1]s,"defaultOptions":%[1]s,"ignoreErrors":%[1]s,"requiredHeaders":%[1]s,"connectTimeout":%[1]s,"requestTimeout":%[1]s},`},
		"retry":  {api: `"retryConfig":{"http":%[1]s,"curl":%[1]s},`},
		"config": {config: `"debug":%[1]s,"onIncomplete":%[1]s,"driftWarning":%[1]s,"outputBucket":%[1]s,"id":%[1]s,"incrementalOutput":%[1]s,"compatLevel":%[1]s,"http":%[1]s,"mappings":%[1]s,`},
		"job":    {job: `"params":%[1]s,"headers":%[1]s,"dataType":%[1]s,"dataField":%[1]s,"scroller":%[1]s,"responseFilter":%[1]s,"children":%[1]s,"placeholders":%[1]s,"recursionFilter":%[1]s,`},
		"rest":   {parameters: `"iterations":%[1]s,"cache":%[1]s,"aws":%[1]s,`, top: `"authorization":%[1]s,"image_parameters":%[1]s,`},
	}
	for name, part := range parts {
		for _, empty := range []string{`null`, `""`, `[]`, `{}`, `false`, `0`, `"0"`} {
			if empty == `"0"` && name != "config" {
				continue // a normal text there
			}
			t.Run(name+" "+empty, func(t *testing.T) {
				fill := func(s string) string {
					if s == "" {
						return ""
					}
					return fmt.Sprintf(s, empty)
				}
				in := given{api: fill(part.api), config: fill(part.config), job: fill(part.job), parameters: fill(part.parameters), top: fill(part.top)}
				if empty == `"0"` {
					in.config = `"debug":"0","outputBucket":"0","id":"0","incrementalOutput":"0","compatLevel":"0",`
				}
				got := accepted(t, in)
				got.Attributes, got.Jobs[0].ID = value.OfMembers(), "id"
				if got := show(got); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// show is what a run sees of an iteration.
func show(it single) string {
	j := it.Jobs[0]
	params, _ := j.Params.Eval(&expr.Scope{Now: clock})
	headers, _ := j.Headers.Eval(&expr.Scope{Now: clock})
	return fmt.Sprint(it.API.Name, it.BaseURL, it.Headers, it.API.DefaultOptions.JSON(), it.API.Retry, it.API.ConnectTimeout, it.API.RequestTimeout,
		it.API.IgnoreErrors, it.API.Authentication.Present(), it.API.Pagination.Present(), it.Debug, it.FailIncomplete, it.Bucket, it.Incremental, it.CompatLevel, it.Mappings.Present(),
		"|", j.Pointer, j.Endpoint, j.Method, params.JSON(), headers.JSON(), j.DataType, j.DataField, j.Scroller, j.ResponseFilter, j.ResponseFilterDelimiter,
		len(j.Children), j.Placeholders.Present(), j.RecursionFilter, j.UserData.Present())
}

func TestDefaultsOfAPI(t *testing.T) {
	it := accepted(t, given{})
	api := it.API
	switch {
	case api.Name != "generic", it.BaseURL.String() != "https://h.test/v1", len(it.Headers) != 0, api.DefaultOptions.JSON() != "{}":
		t.Errorf("api: %+v", api)
	case api.ConnectTimeout != 30*time.Second, api.RequestTimeout != 300*time.Second, len(api.IgnoreErrors) != 0:
		t.Errorf("times: %+v", api)
	case !api.Authentication.Value.IsNull(), !api.Pagination.Value.IsNull():
		t.Errorf("sections: %+v", api)
	case it.Debug, it.Incremental, it.Bucket != "", it.CompatLevel != 3:
		t.Errorf("config: %+v", it)
	}
	j := it.Jobs[0]
	if j.Endpoint != "users" || j.DataType != "users" || j.Method != "" || j.DataField != (config.DataField{}) || j.ResponseFilterDelimiter != "." || j.Headers.Len() != 0 {
		t.Errorf("job: %+v", j)
	}
}

func TestRetry(t *testing.T) {
	codes, network := []int{500, 502, 503, 504, 408, 420, 429}, []int{28, 6, 7, 35, 52, 56, 18}
	rows := []struct {
		name, in string
		want     config.Retry
	}{
		{"absent", ``, config.Retry{MaxRetries: 10, Header: "Retry-After", Codes: codes, NetworkCodes: network, MaxWait: time.Hour}},
		{"new spelling", `"retryConfig":{"maxRetries":3,"http":{"retryHeader":"X-Wait","codes":[500,"503"]},"curl":{"codes":[6]}},`, config.Retry{MaxRetries: 3, Header: "X-Wait", Codes: []int{500, 503}, NetworkCodes: []int{6}, MaxWait: time.Hour}},
		{"old spelling", `"retryConfig":{"maxRetries":"2","headerName":"X-Wait","httpCodes":[429],"curlCodes":["7"]},`, config.Retry{MaxRetries: 2, Header: "X-Wait", Codes: []int{429}, NetworkCodes: []int{7}, MaxWait: time.Hour}},
		{"old header hides new codes", `"retryConfig":{"headerName":"X-Wait","http":{"codes":[1],"retryHeader":"Y"}},`, config.Retry{MaxRetries: 10, Header: "X-Wait", Codes: codes, NetworkCodes: network, MaxWait: time.Hour}},
		{"old codes hide new header", `"retryConfig":{"httpCodes":[429],"http":{"codes":[1],"retryHeader":"Y"},"curl":{"codes":[6]}},`, config.Retry{MaxRetries: 10, Header: "Retry-After", Codes: []int{429}, NetworkCodes: []int{6}, MaxWait: time.Hour}},
		{"old network codes hide new ones", `"retryConfig":{"curlCodes":[7],"curl":{"codes":[6]},"http":{"codes":[1]}},`, config.Retry{MaxRetries: 10, Header: "Retry-After", Codes: []int{1}, NetworkCodes: []int{7}, MaxWait: time.Hour}},
		{"never", `"retryConfig":{"maxRetries":0,"http":{"codes":[]},"curl":{"codes":{}}},`, config.Retry{MaxRetries: 0, Header: "Retry-After", Codes: []int{}, NetworkCodes: []int{}, MaxWait: time.Hour}},
		{"negative", `"retryConfig":{"maxRetries":-1},`, config.Retry{MaxRetries: 0, Header: "Retry-After", Codes: codes, NetworkCodes: network, MaxWait: time.Hour}},
		{"fraction is cut", `"retryConfig":{"maxRetries":2.9},`, config.Retry{MaxRetries: 2, Header: "Retry-After", Codes: codes, NetworkCodes: network, MaxWait: time.Hour}},
		{"longest wait", `"retryConfig":{"maxWait":90.5},`, config.Retry{MaxRetries: 10, Header: "Retry-After", Codes: codes, NetworkCodes: network, MaxWait: 90500 * time.Millisecond}},
		{"longest wait as text", `"retryConfig":{"maxWait":"90"},`, config.Retry{MaxRetries: 10, Header: "Retry-After", Codes: codes, NetworkCodes: network, MaxWait: 90 * time.Second}},
		{"longest wait of 0 is the default", `"retryConfig":{"maxWait":0},`, config.Retry{MaxRetries: 10, Header: "Retry-After", Codes: codes, NetworkCodes: network, MaxWait: time.Hour}},
		{"wrong place is ignored", `"retryConfig":{"http":{"maxRetries":1}},`, config.Retry{MaxRetries: 10, Header: "Retry-After", Codes: codes, NetworkCodes: network, MaxWait: time.Hour}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := accepted(t, given{api: row.in}).API.Retry
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

func TestHeaders(t *testing.T) {
	rows := []struct {
		name string
		in   given
		want []config.Header
	}{
		{"scalars", given{api: `"http":{"headers":{"S":" a b\t","N":1.50,"I":12,"T":true,"F":false,"E":"","Z":null}},`},
			[]config.Header{{Name: "S", Values: []string{"a b"}}, {Name: "N", Values: []string{"1.5"}}, {Name: "I", Values: []string{"12"}}, {Name: "T", Values: []string{"1"}}, {Name: "F", Values: []string{""}}, {Name: "E", Values: []string{""}}, {Name: "Z", Values: []string{""}}}},
		{"lists", given{api: `"http":{"headers":{"L":["a"," b ",3]}},`}, []config.Header{{Name: "L", Values: []string{"a", "b", "3"}}}},
		{"config over api by exact name", given{
			api:    `"http":{"headers":{"A":"1","b":"2","C":["3","4"]}},`,
			config: `"http":{"headers":{"B":"5","C":"6","D":"7"}},`,
		}, []config.Header{{Name: "A", Values: []string{"1"}}, {Name: "C", Values: []string{"6"}}, {Name: "B", Values: []string{"5"}}, {Name: "D", Values: []string{"7"}}}},
		{"the last of two spellings", given{api: `"http":{"headers":{"x-a":"1","B":"2","X-A":["3","4"],"X-a":"5","x-A":{"attr":"#t"}}},`, config: `"#t":"x",`},
			[]config.Header{{Name: "B", Values: []string{"2"}}, {Name: "x-A", Values: []string{"x"}, Secret: true}}},
		{"expressions", given{
			api:    `"http":{"headers":{"A":{"function":"concat","args":["Bearer ",{"attr":"#t"}]},"T":{"function":"time"}}},`,
			config: `"#t":"x","http":{"headers":{"B":{"attr":"#t"}}},`,
		}, []config.Header{{Name: "A", Values: []string{"Bearer x"}, Secret: true}, {Name: "T", Values: []string{"1700000000"}}, {Name: "B", Values: []string{"x"}, Secret: true}}},
		{"required header is there", given{api: `"http":{"requiredHeaders":["X-A"]},`, config: `"http":{"headers":{"X-A":"v"}},`}, []config.Header{{Name: "X-A", Values: []string{"v"}}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := accepted(t, row.in).Headers
			for i, h := range got {
				if !strings.HasSuffix(h.Pointer, "/http/headers/"+h.Name) {
					t.Errorf("%s is at %s", h.Name, h.Pointer)
				}
				got[i].Pointer = ""
			}
			if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", row.want) {
				t.Errorf("got  %#v\nwant %#v", got, row.want)
			}
		})
	}
}

func TestAPI(t *testing.T) {
	api := accepted(t, given{api: `"name":7,"caCertificate":"ca","#clientCertificate":"client","http":{"ignoreErrors":[404,"500",0],` +
		`"defaultOptions":{"method":"post","params":{"a":{"state":"x"}},"headers":{"A":"1","B":{"state":"x"},"C":["1","2"],"D":null}}},` +
		`"authentication":{"type":"basic"},"pagination":{"method":"offset"},`}).API
	if api.Name != "7" || api.CACertificate.Value.Raw() != "ca" || api.ClientCertificate.Value.Raw() != "client" || !slices.Equal(api.IgnoreErrors, []int{404, 500, 0}) {
		t.Errorf("%+v", api)
	}
	const options = `{"method":"POST","params":{"a":{"state":"x"}},"headers":{"A":"1","B":["x"],"C":["1","2"],"D":null}}`
	if got := api.DefaultOptions.JSON(); got != options {
		t.Errorf("got  %s\nwant %s", got, options)
	}
	if api.Authentication.Pointer != "/parameters/api/authentication" || api.Pagination.Pointer != "/parameters/api/pagination" {
		t.Errorf("%+v", api)
	}
}

func TestBuckets(t *testing.T) {
	rows := []struct{ api, config, want string }{
		{``, ``, ""},
		{``, `"outputBucket":"b","id":"i",`, "b"},
		{`"name":"crm",`, `"id":"i",`, "ex-api-crm-i"},
		{``, `"id":5,`, "ex-api-generic-5"},
		{`"name":"crm",`, `"outputBucket":"0","id":"0",`, ""},
	}
	for _, row := range rows {
		if got := accepted(t, given{api: row.api, config: row.config}).Bucket; got != row.want {
			t.Errorf("%s %s: got %q, want %q", row.api, row.config, got, row.want)
		}
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

// TestOnIncomplete: an item of iterations replaces the value of config.
func TestOnIncomplete(t *testing.T) {
	doc, problems, _ := compiled(t, given{
		config:     `"onIncomplete":"fail",`,
		parameters: `"iterations":[{},{"onIncomplete":"warn"},{"onIncomplete":""},{"onIncomplete":"fail"}],`,
	}.document(), false)
	sameLines(t, "problems", problems, nil)
	var got []bool
	for _, it := range doc.Iterations {
		got = append(got, it.FailIncomplete)
	}
	if want := []bool{true, false, false, true}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
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
