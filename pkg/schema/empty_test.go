package schema_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// emptySetting is what empty values of one setting mean.
type emptySetting struct {
	name string
	// setting is the place of the key in a document.
	setting givenDefault
	// means is the meaning of empty values, "" for an absent key; null is the meaning of
	// null.
	means, null string
	// not are empty values that are an error, here or in the original.
	not []string
}

// emptySettings has the settings, as runs of the original show them: some are checked
// with isset, so that an empty value is a value, others with empty.
func emptySettings() []emptySetting {
	paging := func(members string) givenDefault {
		return givenDefault{api: `"pagination":{` + members + `"__":0},`, see: paged}
	}
	retries := func(members string) givenDefault {
		return givenDefault{api: `"retryConfig":{` + members + `"__":0},`, see: model}
	}
	http := givenDefault{api: `"http":{§"__":0},`, see: model}
	post := `"http":{"defaultOptions":{"method":"POST"}},`
	scroll := func(members string) givenDefault {
		return givenDefault{api: `"pagination":{"method":"response.param","responseParam":"token","queryParam":"t","scrollRequest":{` + members + `"__":0}},`, job: `"method":"POST",`, see: run}
	}
	return []emptySetting{
		// Set or not.
		{"pagination.firstPage", paging(`"method":"pagenum",§`), `0`, ``, nil},
		{"pagination.firstPageParams of pagenum", paging(`"method":"pagenum",§`), `false`, ``, nil},
		{"pagination.firstPageParams of offset", paging(`"method":"offset","limit":2,§`), `false`, ``, nil},
		{"pagination.offsetFromJob", paging(`"method":"offset","limit":2,§`), `false`, ``, nil},
		{"pagination.includeParams", paging(`"method":"response.url",§`), `false`, ``, nil},
		{"pagination.paramIsQuery", paging(`"method":"response.url","urlKey":"query",§`), `false`, ``, nil},
		{"pagination.reverse", paging(`"method":"cursor","idKey":"id","param":"since",§`), `false`, ``, nil},
		{"pagination.nextPageFlag.ifNotSet", paging(`"method":"pagenum","nextPageFlag":{"field":"none","stopOn":true,§"__":0},`), `false`, ``, []string{`""`, `0`, `"0"`, `[]`, `{}`}},
		{"retryConfig.maxRetries", retries(`§`), `0`, ``, nil},
		{"retryConfig.http.retryHeader", retries(`"http":{§"__":0},`), `""`, ``, nil},
		{"retryConfig.headerName", retries(`"http":{"codes":[404]},§`), `""`, ``, nil},
		{"retryConfig.http.codes", retries(`"http":{§"__":0},`), `[]`, ``, []string{`""`, `0`, `"0"`, `false`}},
		{"retryConfig.httpCodes", retries(`"http":{"retryHeader":"X"},§`), `[]`, ``, []string{`""`, `0`, `"0"`, `false`}},
		{"retryConfig.curl.codes", retries(`"curl":{§"__":0},`), `[]`, ``, []string{`""`, `0`, `"0"`, `false`}},

		// Replaces another value.
		{"jobs[].method", givenDefault{api: post, job: `§`, see: run}, `"GET"`, `"GET"`, nil},
		{"scrollRequest.method", scroll(`§`), `"GET"`, `"GET"`, nil},

		// Empty or not.
		{"pagination.limit", paging(`"method":"pagenum",§`), ``, ``, nil},
		{"pagination.limitParam", paging(`"method":"pagenum","limit":2,§`), ``, ``, nil},
		{"pagination.pageParam", paging(`"method":"pagenum",§`), ``, ``, nil},
		{"pagination.offsetParam", paging(`"method":"offset","limit":2,§`), ``, ``, nil},
		{"pagination.urlKey", paging(`"method":"response.url",§`), ``, ``, nil},
		{"pagination.increment", paging(`"method":"cursor","idKey":"id","param":"since",§`), ``, ``, nil},
		{"pagination.method", paging(`§`), ``, ``, []string{`"0"`}},
		{"pagination.forceStop", paging(`"method":"pagenum",§`), ``, ``, nil},
		{"pagination.forceStop.pages", paging(`"method":"pagenum","forceStop":{§"__":0},`), ``, ``, nil},
		{"pagination.forceStop.time", paging(`"method":"pagenum","forceStop":{§"__":0},`), ``, ``, nil},
		{"pagination.forceStop.volume", paging(`"method":"pagenum","forceStop":{§"__":0},`), ``, ``, nil},
		{"pagination.limitStop", paging(`"method":"pagenum",§`), ``, ``, nil},
		{"pagination.nextPageFlag", paging(`"method":"pagenum",§`), ``, ``, nil},
		{"retryConfig", givenDefault{api: `§`, see: model}, ``, ``, nil},
		{"http.connectTimeout", http, ``, ``, nil},
		{"http.requestTimeout", http, ``, ``, nil},
		{"http.ignoreErrors", http, ``, ``, nil},
		{"http.headers", http, ``, ``, nil},
		{"api.name", givenDefault{api: `§`, config: `"id":"1",`, see: model}, ``, ``, nil},
		{"cache", givenDefault{beside: `§`, see: model}, ``, ``, nil},
		{"cache.ttl", givenDefault{beside: `"cache":{§"__":1},`, see: model}, ``, ``, nil},
		{"config.outputBucket", givenDefault{config: `§`, see: model}, ``, ``, nil},
		{"config.id", givenDefault{config: `§`, see: model}, ``, ``, nil},
		{"config.debug", givenDefault{config: `§`, see: model}, ``, ``, nil},
		{"config.incrementalOutput", givenDefault{config: `§`, see: model}, ``, ``, nil},
		{"config.compatLevel", givenDefault{config: `§`, see: model}, ``, ``, nil},
		{"config.mappings", givenDefault{config: `§`, see: run}, ``, ``, nil},
		{"config.userData", givenDefault{config: `§`, see: run}, ``, ``, nil},
		{"jobs[].id", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"jobs[].params", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"jobs[].dataType", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"jobs[].responseFilter", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"jobs[].responseFilterDelimiter", givenDefault{job: `"responseFilter":"deep.list",§`, see: run}, ``, ``, nil},
		{"jobs[].children", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"jobs[].userData", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"jobs[].scroller", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"api.http", givenDefault{api: `§`, see: model}, ``, ``, []string{`"0"`}},
		{"api.authentication", givenDefault{api: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"api.pagination", givenDefault{api: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"api.query", givenDefault{api: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"http.requiredHeaders", http, ``, ``, []string{`"0"`}},
		{"http.defaultOptions", givenDefault{api: `"http":{§"__":0},`, see: run}, ``, ``, []string{`"0"`}},
		{"retryConfig.http", retries(`§`), ``, ``, []string{`"0"`}},
		{"retryConfig.curl", retries(`§`), ``, ``, []string{`"0"`}},
		{"config.onIncomplete", givenDefault{config: `§`, see: model}, ``, ``, []string{`"0"`}},
		{"config.driftWarning", givenDefault{config: `§`, see: model}, ``, ``, nil},
		{"config.http", givenDefault{config: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"jobs[].headers", givenDefault{job: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"jobs[].dataField", givenDefault{job: `§`, see: run}, ``, ``, nil},
		{"jobs[].placeholders", givenDefault{job: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"jobs[].recursionFilter", givenDefault{job: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"iterations", givenDefault{beside: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"aws", givenDefault{beside: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"authorization", givenDefault{outside: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"image_parameters", givenDefault{outside: `§`, see: run}, ``, ``, []string{`"0"`}},
		{"mappings.*.*.type", givenDefault{config: `"mappings":{"items":{"id":{"mapping":{"destination":"id"},§"__":0}}},`, see: run}, ``, ``, []string{`"0"`}},
		{"mappings.*.*.delimiter", givenDefault{config: `"mappings":{"items":{"deep.flat":{"mapping":{"destination":"flat"},§"__":0}}},`, see: run}, ``, ``, nil},
		{"mappings.*.*.mapping.primaryKey", givenDefault{config: `"mappings":{"items":{"id":{"mapping":{"destination":"id",§"__":0}}}},`, see: run}, ``, ``, nil},
	}
}

// place is the place of a setting in an event.
var place = regexp.MustCompile(`/parameters/[^ }"]*`)

// paged is a run without the places of settings in its events.
func paged(t *testing.T, text string) string { return place.ReplaceAllString(run(t, text), "") }

// TestEmptyValues: an empty value means the same as in the original.
func TestEmptyValues(t *testing.T) {
	slowtest.Skip(t, "it tries every setting")
	for _, row := range emptySettings() {
		t.Run(row.name, func(t *testing.T) {
			key, _, _ := strings.Cut(row.name[strings.LastIndexByte(row.name, '.')+1:], " ")
			see := func(text string) string {
				member := ""
				if text != "" {
					member = fmt.Sprintf("%q:%s,", key, text)
				}
				return row.setting.see(t, row.setting.document(member))
			}
			absent, empty := see(""), see(row.means)
			if row.null == "" && see("null") != absent {
				t.Errorf("null is not as absent:\n%s\nwant\n%s", see("null"), absent)
			}
			if row.null != "" && see("null") != see(row.null) {
				t.Errorf("null is not %s:\n%s\nwant\n%s", row.null, see("null"), see(row.null))
			}
			for _, text := range []string{`""`, `"0"`, `0`, `false`, `[]`, `{}`} {
				if slices.Contains(row.not, text) || text == `"0"` && row.means == `""` {
					continue // a header could have that name
				}
				if got := see(text); got != empty {
					t.Errorf("%s:\n%s\nwant what %q gives:\n%s", text, got, row.means, empty)
				}
			}
		})
	}
}
