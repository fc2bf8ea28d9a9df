package functional

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/clock"
	"github.com/keboola/configurable-extractor/internal/slowtest"
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
	slowtest.SkipRace(t, "it tries every place of a secret")
	t.Parallel()
	var places []string
	texts(t, wideDocument, func(pointer string) string { places = append(places, pointer); return "" })
	secret := strings.Repeat(canaryMark+"/", 12)
	for i, place := range places {
		for j, before := range []string{"", "x "} {
			if !slowtest.Turn(i+2*j, 4) {
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
				given := []string{"token=" + before + secret}
				searchCanaries(t, saidOf(t, []byte(document), given, false, defaultStart))
				for _, action := range []string{"run", "validate", "testRequest"} {
					w := newWorld(t, &cannedAPI{clock: clock.At(defaultStart), fault: status(200, `[{"id":1}]`)})
					w.options.Variables, w.options.LogFormat, w.options.Limits.Requests = given, "json", 5
					got := w.runs(t, strings.Replace(document, `"action":"run"`, `"action":"`+action+`"`, 1))
					searchCanaries(t, map[string]string{"events of " + action: got.stdout, "stderr of " + action: got.stderr})
				}
			})
		}
	}
}

// texts visits every text of a document, names too, and returns the document with
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

// kindsOfSecrets are secrets that are hard to find: long ones, some in another one,
// some of characters that nothing can carry as they are.
func kindsOfSecrets() map[string][]string {
	const part = canaryMark + ` /+?="&\<`
	return map[string][]string{
		"10 kB":              {strings.Repeat(part, 10_000/len(part))},
		"10 kB of one word":  {strings.Repeat(canaryMark+"-", 1_000)},
		"no ASCII":           {"žluť" + canaryMark + "ÿ😀\u202e" + canaryMark},
		"no text":            {"\xff\xfe" + canaryMark + "\xc3" + canaryMark},
		"control characters": {canaryMark + "\r\n\x01\a\t\x7f" + canaryMark},
		"one in another":     {canaryMark + "-in", "x" + canaryMark + "-in?" + canaryMark, canaryMark, canaryMark + "-in" + canaryMark + "-in"},
	}
}

// notDisguised are the kinds that are not found in every disguise of a body, which
// docs/understand/security.md says: long ones, which the end of an excerpt cuts.
var notDisguised = []string{"10 kB"}

// TestKindsOfSecrets sends each kind of secret to an API that returns it in
// every way.
func TestKindsOfSecrets(t *testing.T) {
	slowtest.SkipRace(t, "it tries every place of a secret")
	t.Parallel()
	ways := []string{"header", "GET", "POST", "FORM", "endpoint"}
	number := 0
	for _, kind := range slices.Sorted(maps.Keys(kindsOfSecrets())) {
		number++ // so that each fault meets another way
		faults := canaryFaults()
		if slices.Contains(notDisguised, kind) {
			faults = plainFaults()
		}
		for i, fault := range faults {
			for j, way := range ways {
				if everyWay := slices.Contains(notDisguised, kind); !everyWay && j != (number+i)%len(ways) || !slowtest.Turn(number+i+j, 10) {
					continue
				}
				t.Run(kind+"/"+fault.name+"/"+way, func(t *testing.T) {
					t.Parallel()
					kindRun(t, kindsOfSecrets()[kind], fault, way)
				})
			}
		}
	}
}

// kindRun runs a configuration that sends secrets in one way.
func kindRun(t *testing.T, secrets []string, fault canaryFault, way string) {
	config := map[string]any{"debug": true, "outputBucket": "b", "#unused": map[string]any{"list": secrets}}
	all := map[string]any{}
	for i, secret := range secrets {
		name := fmt.Sprintf("#key%d", i)
		config[name] = secret
		all[fmt.Sprintf("X-%d", i)] = map[string]any{"attr": name}
	}
	job := map[string]any{"endpoint": "t", "params": all, "method": way}
	api := map[string]any{"baseUrl": "http://api.test/", "retryConfig": map[string]any{"maxRetries": 1}}
	switch way {
	case "header":
		job = map[string]any{"endpoint": "t"}
		api["http"] = map[string]any{"headers": all}
	case "endpoint":
		job = map[string]any{"endpoint": "t/" + secrets[0]}
	}
	config["jobs"] = []any{job}
	document := jsonText(map[string]any{"parameters": map[string]any{"api": api, "config": config}})
	w := newWorld(t, fault.api)
	w.options.LogFormat, w.options.Limits.Requests, w.env["KBC_TOKEN"] = "json", 5, platformCanary
	if fault.sleep != nil {
		w.options.Sleep = fault.sleep
	}
	_, said := w.showing(t, document)
	searchCanaries(t, said)
}

// TestSecretsAsNamesOfHeaders: an API may give a secret back as the name of a
// header, which net/http spells in its own way.
func TestSecretsAsNamesOfHeaders(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{canaryMark, canaryMark + "-in-" + canaryMark, strings.ToLower(canaryMark)} {
		for _, form := range []string{
			"HTTP/1.1 200 OK\r\n%s: 1\r\nX-%[1]s: 2\r\nx%[1]s: 3\r\nContent-Length: 2\r\n\r\n[]",
			"HTTP/1.1 503 %s\r\n%[1]s: 1\r\n-%[1]s-: 2\r\nContent-Length: 2\r\n\r\n[]",
			"HTTP/1.1 200 OK\r\nTrailer: %s\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n%[1]s: %[1]s\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%s: 1\r\n %[1]s\r\n\r\n[]",
			"HTTP/1.1 200 OK\r\n%s\x01: 1\r\n\r\n[]",
		} {
			kindRun(t, []string{secret}, canaryFault{api: rawResponse(form, func(*http.Request) string { return secret })}, "header")
		}
	}
}

// TestSecretsInBrokenText: of a document that is not JSON by one character no one
// knows for sure what in it is a secret; what validate, plan and a run say of it
// shows none.
func TestSecretsInBrokenText(t *testing.T) {
	slowtest.SkipRace(t, "it breaks a document at every character")
	t.Parallel()
	compact := strings.ReplaceAll(`{"parameters":{"api":{"baseUrl":"http://api.test/"},"config":{"#a":"SECRET","#b":{"c":["SECRET",{"d":"x SECRET"}]},"#e":"{\"f\":\"SECRET\"}","outputBucket":"b","jobs":[{"endpoint":"t"}]}}}`, "SECRET", canaryMark+"."+canaryMark)
	spread := strings.NewReplacer(",", ",\n  ", "{", "{\n ", "[", "[\n").Replace(compact)
	for _, document := range []string{compact, spread} {
		for at := range len(document) {
			if !slowtest.Turn(at, 5) {
				continue
			}
			for _, put := range []string{"", `"`, ",", `\`, "{", "]", "\n", "'", ":", "#", "\x00", "\xff"} {
				broken := document[:at] + put + document[at+1:]
				if document[at] == '#' || inside(broken) {
					continue // without its hash sign it is not a secret
				}
				searchCanaries(t, saidOf(t, []byte(broken), nil, false, defaultStart))
				if t.Failed() {
					t.Fatalf("%q in the place of %q: %s", put, document[at:at+1], broken)
				}
			}
		}
	}
}

// inside reports whether a canary is in a document that is JSON after all where
// it is not a secret.
func inside(document string) bool {
	var root any
	if decodeJSON([]byte(document), &root) != nil {
		return false
	}
	open := false
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, item := range v {
				open = open || strings.Contains(name, canaryMark)
				if !strings.HasPrefix(name, "#") {
					walk(item)
				}
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		case string:
			open = open || strings.Contains(v, canaryMark)
		}
	}
	walk(root)
	return open
}
