package functional

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// archiveShape is HTTP Archive 1.2: what each object must have, and what it may
// have. A name with an underscore is always allowed.
var archiveShape = map[string]struct{ required, optional string }{
	"document":    {"log", ""},
	"log":         {"version creator entries", "browser pages comment"},
	"creator":     {"name version", "comment"},
	"pages":       {"startedDateTime id title pageTimings", "comment"},
	"pageTimings": {"", "onContentLoad onLoad comment"},
	"entries":     {"startedDateTime time request response cache timings", "pageref serverIPAddress connection comment"},
	"request":     {"method url httpVersion cookies headers queryString headersSize bodySize", "postData comment"},
	"response":    {"status statusText httpVersion cookies headers content redirectURL headersSize bodySize", "comment"},
	"headers":     {"name value", "comment"},
	"queryString": {"name value", "comment"},
	"cookies":     {"name value", "path domain expires httpOnly secure comment"},
	"postData":    {"mimeType", "params text comment"},
	"content":     {"size mimeType", "compression text encoding comment"},
	"cache":       {"", "beforeRequest afterRequest comment"},
	"timings":     {"send wait receive", "blocked dns connect ssl comment"},
}

// archiveKinds are the JSON kinds of members; texts when not named.
var archiveKinds = map[string]reflect.Kind{
	"log": reflect.Map, "creator": reflect.Map, "pageTimings": reflect.Map, "request": reflect.Map, "response": reflect.Map,
	"cache": reflect.Map, "timings": reflect.Map, "postData": reflect.Map, "content": reflect.Map,
	"pages": reflect.Slice, "entries": reflect.Slice, "cookies": reflect.Slice, "headers": reflect.Slice, "queryString": reflect.Slice,
	"time": reflect.Float64, "status": reflect.Float64, "headersSize": reflect.Float64, "bodySize": reflect.Float64, "size": reflect.Float64,
	"send": reflect.Float64, "wait": reflect.Float64, "receive": reflect.Float64, "blocked": reflect.Float64,
	"_errorCode": reflect.Float64, "_unsent": reflect.Bool, "_capped": reflect.Bool,
}

// checkArchive checks that a text is an archive as other tools expect it.
func checkArchive(t *testing.T, archive []byte) {
	t.Helper()
	for _, wrong := range archiveProblems(archive) {
		t.Error("the recording is no valid archive: " + wrong)
	}
}

func archiveProblems(archive []byte) []string {
	var document map[string]any
	if err := json.Unmarshal(archive, &document); err != nil {
		return []string{err.Error()}
	}
	wrong := shapeProblems("document", document)
	if len(wrong) > 0 {
		return wrong
	}
	log := document["log"].(map[string]any)
	if log["version"] != "1.2" {
		wrong = append(wrong, fmt.Sprintf("version %v", log["version"]))
	}
	pages := map[any]bool{}
	for _, page := range log["pages"].([]any) {
		pages[page.(map[string]any)["id"]] = true
	}
	for i, item := range log["entries"].([]any) {
		for _, problem := range entryProblems(item.(map[string]any), pages) {
			wrong = append(wrong, fmt.Sprintf("entry %d: %s", i, problem))
		}
	}
	return wrong
}

// shapeProblems checks the members of an object, and everything below.
func shapeProblems(what string, object map[string]any) []string {
	var wrong []string
	required := strings.Fields(archiveShape[what].required)
	optional := strings.Fields(archiveShape[what].optional)
	for _, name := range required {
		if _, ok := object[name]; !ok {
			wrong = append(wrong, what+" lacks "+name)
		}
	}
	for name, member := range object {
		if !slices.Contains(required, name) && !slices.Contains(optional, name) && !strings.HasPrefix(name, "_") {
			wrong = append(wrong, what+" has the unknown "+name)
		}
		kind, ok := archiveKinds[name]
		if !ok {
			kind = reflect.String
		}
		if got := reflect.ValueOf(member).Kind(); got != kind {
			wrong = append(wrong, fmt.Sprintf("%s of %s is a %s, want a %s", name, what, got, kind))
			continue
		}
		switch member := member.(type) {
		case map[string]any:
			wrong = append(wrong, shapeProblems(name, member)...)
		case []any:
			for _, item := range member {
				object, ok := item.(map[string]any)
				if !ok {
					wrong = append(wrong, name+" holds something else than objects")
					continue
				}
				wrong = append(wrong, shapeProblems(name, object)...)
			}
		}
	}
	return wrong
}

// entryProblems checks what the shape does not tell.
func entryProblems(entry map[string]any, pages map[any]bool) []string {
	var wrong []string
	if _, err := time.Parse(time.RFC3339Nano, entry["startedDateTime"].(string)); err != nil {
		wrong = append(wrong, err.Error())
	}
	if !pages[entry["pageref"]] {
		wrong = append(wrong, "its page is unknown")
	}
	sum := 0.0
	for name, part := range entry["timings"].(map[string]any) {
		if part.(float64) < 0 {
			wrong = append(wrong, name+" is negative")
		}
		sum += part.(float64)
	}
	if took := entry["time"].(float64); sum < took-0.001 || sum > took+0.001 {
		wrong = append(wrong, fmt.Sprintf("its timings make %v of %v milliseconds", sum, took))
	}
	address := entry["request"].(map[string]any)["url"].(string)
	if u, err := url.ParseRequestURI(address); err != nil || !u.IsAbs() || strings.ContainsAny(address, "[] ") {
		wrong = append(wrong, "its address is no URL: "+address)
	}
	return wrong
}

func TestArchiveProblems(t *testing.T) {
	const good = `{"log":{"version":"1.2","creator":{"name":"n","version":"1"},"pages":[{"startedDateTime":"2026-01-02T03:04:05Z","id":"p","title":"t","pageTimings":{}}],"entries":[` +
		`{"pageref":"p","startedDateTime":"2026-01-02T03:04:05Z","time":2,"cache":{},"timings":{"send":1,"wait":1,"receive":0},` +
		`"request":{"method":"GET","url":"http://h/","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"a","value":"b"}],"queryString":[],"headersSize":-1,"bodySize":0},` +
		`"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"redirectURL":"","headersSize":-1,"bodySize":-1,"content":{"size":2,"mimeType":"","text":"[]"}}}]}}`
	if wrong := archiveProblems([]byte(good)); len(wrong) > 0 {
		t.Errorf("a good archive: %q", wrong)
	}
	for name, change := range map[string][2]string{
		"version":       {`"version":"1.2"`, `"version":"1.1"`},
		"missing":       {`"cache":{},`, ``},
		"unknown":       {`"cache":{},`, `"cache":{},"more":"x",`},
		"kind":          {`"status":200`, `"status":"200"`},
		"kind of item":  {`"headers":[{"name":"a","value":"b"}]`, `"headers":["a"]`},
		"time":          {`"startedDateTime":"2026-01-02T03:04:05Z","time"`, `"startedDateTime":"today","time"`},
		"timings":       {`"send":1`, `"send":2`},
		"negative":      {`"send":1,"wait":1`, `"send":3,"wait":-1`},
		"address":       {`http://h/`, `http://h/[hidden]`},
		"page":          {`"pageref":"p"`, `"pageref":"q"`},
		"end of a file": {`}]}}`, ``},
	} {
		if broken := strings.Replace(good, change[0], change[1], 1); broken == good || len(archiveProblems([]byte(broken))) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
}
