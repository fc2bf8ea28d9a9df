package functional

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
)

// splitCanary holds everything at which an address is taken apart.
const splitCanary = canaryMark + "-1/" + canaryMark + "-2?" + canaryMark + "-3=" + canaryMark + "-4&" + canaryMark + "-5#" + canaryMark + "-6"

// TestSecretsInAddresses: a secret that is in an address as it is, so that one
// part of it is the path and another the query, is shown nowhere, no matter what becomes
// of the request.
func TestSecretsInAddresses(t *testing.T) {
	slowtest.Skip(t, "it tries every place of a secret")
	t.Parallel()
	quoted := jsonText(splitCanary)
	ways := map[string]struct{ api, config string }{
		"base address":   {`"baseUrl":{"attr":"#url"}`, `"jobs":[{"endpoint":"t"}]`},
		"endpoint":       {`"baseUrl":"http://api.test/"`, `"jobs":[{"endpoint":` + jsonText("a/"+splitCanary) + `}]`},
		"with a query":   {`"baseUrl":"http://api.test/"`, `"jobs":[{"endpoint":` + jsonText("a/"+splitCanary) + `,"params":{"x":1}}]`},
		"another host":   {`"baseUrl":"http://api.test/"`, `"jobs":[{"endpoint":` + jsonText("http://"+hostUnknown+"/"+splitCanary) + `}]`},
		"next page":      {`"baseUrl":"http://api.test/","pagination":{"method":"response.url","urlKey":"next"}`, `"jobs":[{"endpoint":"pages","dataField":"rows"}]`},
		"child":          {`"baseUrl":"http://api.test/"`, `"jobs":[{"endpoint":"rows","dataField":"rows","children":[{"endpoint":"c/{id}","placeholders":{"id":"id"}}]}]`},
		"redirect":       {`"baseUrl":"http://api.test/"`, `"jobs":[{"endpoint":"redirect"}]`},
		"login":          {`"baseUrl":"http://api.test/","authentication":{"type":"login","loginRequest":{"endpoint":` + jsonText("l/"+splitCanary) + `}}`, `"jobs":[{"endpoint":"t"}]`},
		"name of a host": {`"baseUrl":"http://api.test/"`, `"jobs":[{"endpoint":` + jsonText("http://"+canaryHost+"."+hostUnknown+"/x") + `}]`},
	}
	for name, way := range ways {
		for _, code := range []int{200, 400, 503} {
			for _, allowed := range []string{`[]`, `[{"host":"api.test","endpoint":"none"}]`} {
				t.Run(fmt.Sprintf("%s/%d/%d", name, code, len(allowed)), func(t *testing.T) {
					t.Parallel()
					document := `{"image_parameters":{"allowed_hosts":` + allowed + `},"parameters":{"api":{` + way.api + `,"retryConfig":{"maxRetries":1}},
						"config":{"debug":true,"outputBucket":"b","#url":` + jsonText("http://api.test/"+splitCanary) + `,"#secret":` + quoted + `,"#host":"` + canaryHost + `",` + way.config + `}}}`
					addressRun(t, document, code)
				})
			}
		}
	}
}

// canaryHost is a secret that is part of the name of a host, which is shown in
// lower case.
const canaryHost = "X" + canaryMark

// addressRun runs a document with everything that can be kept of it, and plans it.
func addressRun(t *testing.T, document string, code int) {
	w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/rows":
			write(out, `{"rows":[{"id":`+jsonText(splitCanary)+`}]}`)
		case "/pages":
			write(out, `{"next":`+jsonText("/n/"+splitCanary)+`,"rows":[{"id":1}]}`)
		case "/redirect":
			out.Header().Set("Location", "/r/"+splitCanary)
			out.WriteHeader(http.StatusFound)
		default:
			out.WriteHeader(code)
			write(out, jsonText([]any{map[string]any{"error": "Cannot GET " + r.URL.Path}}))
		}
	}))
	w.options.LogFormat = "json"
	_, said := w.showing(t, document)
	searchCanaries(t, said)
}
