package schema_test

import (
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/schema"
)

// TestHints: the hints for words of other tools and keys of other sections.
func TestHints(t *testing.T) {
	tests := []struct {
		name    string
		in      given
		pointer string
		want    string // "" is no hint
	}{
		{"paging under http", given{api: `"http":{"pagination":{"method":"offset"}},`}, "/parameters/api/http/pagination", `"pagination" is a key of "api"`},
		{"paging in a job", given{job: `"pagination":{"method":"offset"},`}, "/parameters/config/jobs/0/pagination", `"pagination" is a key of "api"`},
		{"headers beside http", given{api: `"headers":{"A":"b"},`}, "/parameters/api/headers", `"headers" is a key of "api.http"`},
		{"the parts of a login beside it", given{api: `"authentication":{"endpoint":"login"},`}, "/parameters/api/authentication/endpoint", `"endpoint" is a key of "api.authentication.loginRequest"`},
		{"a password beside the type", given{api: `"authentication":{"#password":"x"},`}, "/parameters/api/authentication/#password", `"#password" is a key of "config"`},
		{"a page size in a job", given{job: `"limit":100,`}, "/parameters/config/jobs/0/limit", `"limit" is a key of "api.pagination"`},
		{"a near key wins over one elsewhere", given{job: `"param":{"a":1},`}, "/parameters/config/jobs/0/param", `did you mean "params"?`},
		{"the name of another tool", given{job: `"url":"x",`}, "/parameters/config/jobs/0/url", `the key for that is "endpoint"`},
		{"a missing key under the name of another tool", given{jobs: `[{"path":"users"}]`}, "/parameters/config/jobs/0", `is "path" meant to be it?`},
		{"names of data are no keys", given{config: `"mappings":{"a":{"x":{"mapping":{"destination":"y"},"id":"id"}}},`}, "/parameters/config/mappings/a/x/id", ``},
		{"an unknown key without a hint", given{job: `"colour":"red",`}, "/parameters/config/jobs/0/colour", ``},

		{"a bearer token", given{api: `"authentication":{"type":"bearer"},`}, "/parameters/api/authentication/type", `for a token in a header write "api.http.headers": {"Authorization": …} instead of "authentication"`},
		{"an API key", given{api: `"authentication":{"type":"api_key"},`}, "/parameters/api/authentication/type", `for a key in the query write "query", for one in a header "api.http.headers" instead of "authentication"`},
		{"no authentication", given{api: `"authentication":{"type":"none"},`}, "/parameters/api/authentication/type", `remove the key for no authentication`},
		{"pages by number", given{api: `"pagination":{"method":"page_number"},`}, "/parameters/api/pagination/method", `did you mean "pagenum"?`},
		{"pages by offset", given{api: `"pagination":{"method":"LimitOffset"},`}, "/parameters/api/pagination/method", `did you mean "offset"?`},
		{"pages by address", given{api: `"pagination":{"method":"next-link"},`}, "/parameters/api/pagination/method", `did you mean "response.url"?`},
		{"pages by token", given{api: `"pagination":{"method":"page_token"},`}, "/parameters/api/pagination/method", `did you mean "response.param"?`},
		{"no pages", given{api: `"pagination":{"method":"none"},`}, "/parameters/api/pagination/method", `remove the key for no pagination`},
		{"an unknown method", given{api: `"pagination":{"method":"sideways"},`}, "/parameters/api/pagination/method", ``},

		{"headers as a list", given{api: `"http":{"headers":["A: b"]},`}, "/parameters/api/http/headers", `write an object, {"name": value}, instead of the list`},
		{"a path as a list", given{job: `"dataField":["data",0,"items"],`}, "/parameters/config/jobs/0/dataField", `write "data.0.items"`},
		{"a path as a list of others", given{job: `"dataField":[["data"]],`}, "/parameters/config/jobs/0/dataField", ``},
		{"a number in the place of an object", given{api: `"pagination":{"forceStop":10},`}, "/parameters/api/pagination/forceStop", `write an object with the keys "pages", "time", "volume"`},
		{"one job", given{jobs: `{"endpoint":"users"}`}, "/parameters/config/jobs", `put the job into brackets: [{"endpoint": …}]`},
		{"one child job", given{job: `"children":{"endpoint":"users/{id}","placeholders":{"id":"id"}},`}, "/parameters/config/jobs/0/children", `put the job into brackets: [{"endpoint": …}]`},
		{"hours in the place of seconds", given{api: `"http":{"requestTimeout":"1.5 hours"},`}, "/parameters/api/http/requestTimeout", `write it in seconds: 5400`},
		{"seconds with their unit", given{api: `"http":{"requestTimeout":"1.5 sec"},`}, "/parameters/api/http/requestTimeout", `write the seconds without their unit: 1.5`},
		{"a wait that names a header", given{job: `"rules":[{"status":429,"do":"retry","wait":"Retry-After"}],`}, "/parameters/config/jobs/0/rules/0/wait", `for the name of a header write {"header": "Retry-After"}`},
		{"a wait with a unit", given{job: `"rules":[{"status":429,"do":"retry","wait":"2 min"}],`}, "/parameters/config/jobs/0/rules/0/wait", `write it in seconds: 120`},
		{"another unit", given{api: `"http":{"requestTimeout":"5 days"},`}, "/parameters/api/http/requestTimeout", ``},
		{"a unit alone", given{api: `"http":{"requestTimeout":"s"},`}, "/parameters/api/http/requestTimeout", ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, problems := config.Compile(mustParse(t, []byte(tt.in.document())), config.Options{Tree: schema.Default().Tree, Now: clock})
			found := append(*problems, doc.Warnings...)
			var there []string
			for _, p := range found {
				if p.Pointer == tt.pointer {
					there = append(there, p.Hint.String())
				}
			}
			if len(there) != 1 || there[0] != tt.want {
				t.Errorf("got %q, want %q among %v", there, tt.want, found)
			}
			for _, p := range found {
				if strings.HasPrefix(p.Pointer, tt.pointer+"/") && p.Code != failure.UnknownKey {
					t.Errorf("a second problem of the same mistake: %v", p)
				}
			}
		})
	}
}

// TestAMappingOfAnEndpoint: a column named endpoint makes no job.
func TestAMappingOfAnEndpoint(t *testing.T) {
	accepted(t, given{config: `"mappings":{"a":{"endpoint":"endpoint"}},`})
	accepted(t, given{jobs: `{"endpoint":{"endpoint":"users"}}`})
}
