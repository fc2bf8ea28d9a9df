package functional

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/variables"
)

// wideDocument uses most of what a configuration can hold.
const wideDocument = `{
"storage": {"input": {"tables": [], "files": []}}, "action": "run",
"authorization": {"oauth_api": {"credentials": {"#data": "{\"access_token\":\"x\"}", "appKey": "key", "#appSecret": "s"}}},
"image_parameters": {"allowed_hosts": [{"host": "api.test", "scheme": "http", "endpoint": "a"}]},
"parameters": {
 "api": {
  "baseUrl": "http://api.test/a/", "name": "n", "caCertificate": "c",
  "http": {"headers": {"X-A": "b", "X-B": {"function": "concat", "args": ["a", {"attr": "attribute"}]}}, "rateLimit": {"requests": 1, "seconds": 1},
    "defaultOptions": {"params": {"p": "q"}, "headers": {"h": "i"}}, "ignoreErrors": [404]},
  "retryConfig": {"maxRetries": 1, "httpHeader": "Retry-After", "curl": {"codes": [6]}},
  "pagination": {"method": "multiple", "scrollers": {"s1": {"method": "offset", "limit": "10", "offsetParam": "o", "nextPageFlag": {"field": "more", "stopOn": false}}, "s2": {"method": "response.param", "responseParam": "next", "queryParam": "page"}}},
  "authentication": {"type": "login", "format": "json", "loginRequest": {"endpoint": "login", "method": "POST", "params": {"u": {"attr": "attribute"}}, "headers": {"x": "y"}},
    "apiRequest": {"headers": {"X-T": {"response": "token"}}, "query": {"t": {"response": "token"}}}, "expires": {"response": "exp", "relative": true}}
 },
 "sshProxy": {"host": "h", "port": 22, "user": "u", "#privateKey": "k", "hostKey": "k"},
 "aws": {"signature": {"credentials": {"accessKeyId": "a", "#secretKey": "b", "serviceName": "c", "regionName": "d"}}},
 "config": {
  "debug": true, "outputBucket": "b", "incrementalOutput": false, "attribute": "value", "nested": {"deep": "v"}, "http": {"headers": {"X-C": "d"}},
  "userData": {"when": {"function": "date", "args": ["Y", {"time": "currentStart"}]}, "what": "d"},
  "mappings": {"users": {"id": {"type": "column", "mapping": {"destination": "id", "primaryKey": true}}, "n": {"mapping": {"destination": "n"}}, "t": {"type": "table", "destination": "sub", "parentKey": {"destination": "p"}, "tableMapping": {"a": {"mapping": {"destination": "a"}}}}}},
  "jobs": [{"endpoint": "t", "dataType": "users", "dataField": {"path": "a.b", "delimiter": "."}, "responseFilter": ["x", "y.z"], "responseFilterDelimiter": ".", "method": "GET", "scroller": "s1",
    "params": {"a": {"function": "md5", "args": [{"attr": "attribute"}]}, "b": ["c", {"d": "e"}]}, "userData": {"k": "l"},
    "children": [{"endpoint": "t/{1:id}/x", "placeholders": {"1:id": {"path": "id", "function": "urlencode", "args": [{"placeholder": "value"}]}}, "recursionParams": {}, "recursionFilter": "id>5&name==x", "dataField": "."}]}]
 }
}}`

// TestSecretsAnywhere: a secret that a variable brings to a place where none
// belongs is not shown by the message about it, nor is its beginning.
func TestSecretsAnywhere(t *testing.T) {
	t.Parallel()
	var places []string
	texts(t, wideDocument, func(pointer string) string { places = append(places, pointer); return "" })
	secret := strings.Repeat(canaryMark+"/", 12)
	for _, place := range places {
		for _, before := range []string{"", "x "} {
			if leftOut(place) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%q", place, before), func(t *testing.T) {
				t.Parallel()
				document := texts(t, wideDocument, func(pointer string) string {
					if pointer == place {
						return "{{token}}"
					}
					return ""
				})
				document = strings.Replace(document, `{`, `{"#token":"{{token}}",`, 1)
				given := []variables.Value{{Name: "token", Text: before + secret}}
				n := &nest{t: t, tally: &canaryTally{kinds: map[string]int{}}}
				n.looks([]byte(document), given, false, defaultStart)
				for _, action := range []string{"run", "validate", "testRequest"} {
					w := newWorld(t, &cannedAPI{clock: newClock(defaultStart), fault: status(200, `[{"id":1}]`)})
					w.options.Variables, w.options.LogFormat, w.options.MaxRequests = []string{"token=" + given[0].Text}, "json", 5
					writeFile(t, filepath.Join(w.dir, "config.json"), strings.Replace(document, `"action":"run"`, `"action":"`+action+`"`, 1))
					got := w.run(t.Context())
					n.search("events of "+action, got.stdout)
					n.search("stderr of "+action, got.stderr)
				}
			})
		}
	}
}

// texts visits every text of a document, names too, and gives the document with
// those replaced that the visitor gives another for.
func texts(t *testing.T, document string, visit func(pointer string) string) string {
	t.Helper()
	var root any
	if err := decodeJSON([]byte(document), &root); err != nil {
		t.Fatal(err)
	}
	var walk func(v any, pointer string) any
	walk = func(v any, pointer string) any {
		switch v := v.(type) {
		case map[string]any:
			for name, item := range maps.Clone(v) {
				v[name] = walk(item, pointer+"/"+name)
				if other := visit(pointer + "/" + name + " (name)"); other != "" {
					v[other] = v[name]
					delete(v, name)
				}
			}
		case []any:
			for i, item := range v {
				v[i] = walk(item, fmt.Sprintf("%s/%d", pointer, i))
			}
		case string:
			if text := visit(pointer); text != "" {
				return text
			}
		}
		return v
	}
	return jsonText(walk(root, ""))
}
