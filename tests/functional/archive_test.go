package functional

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// archiveSchema is the JSON Schema of HTTP Archive 1.2. It is made a little
// stricter: names that the format does not know must begin with an underscore.
var archiveSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	files, err := filepath.Glob(filepath.Join("..", "..", "pkg", "api", "har", "testdata", "har-schema", "*.json"))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		part, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		members := part.(map[string]any)
		if members["properties"] != nil {
			members["additionalProperties"] = false
			members["patternProperties"] = map[string]any{"^_": true}
		}
		if err := compiler.AddResource(filepath.Base(file), part); err != nil {
			return nil, err
		}
	}
	return compiler.Compile("har.json")
})

// checkArchive checks that a text is an archive as other tools expect it.
func checkArchive(t *testing.T, archive []byte) {
	t.Helper()
	for _, wrong := range archiveProblems(archive) {
		t.Error("the recording is not a valid archive: " + wrong)
	}
}

func archiveProblems(archive []byte) []string {
	schema, err := archiveSchema()
	if err != nil {
		return []string{err.Error()}
	}
	var document map[string]any
	if err := json.Unmarshal(archive, &document); err != nil {
		return []string{err.Error()}
	}
	if err := schema.Validate(document); err != nil {
		return []string{err.Error()}
	}
	var wrong []string
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

// entryProblems checks what the schema cannot express.
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
		wrong = append(wrong, "its address is not a URL: "+address)
	}
	return wrong
}

func TestArchiveProblems(t *testing.T) {
	const good = `{"log":{"version":"1.2","creator":{"name":"n","version":"1"},"pages":[{"startedDateTime":"2026-01-02T03:04:05Z","id":"p","title":"t","pageTimings":{}}],"entries":[` +
		`{"pageref":"p","_unsent":true,"startedDateTime":"2026-01-02T03:04:05Z","time":2,"cache":{},"timings":{"send":1,"wait":1,"receive":0},` +
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
		"kind of ours":  {`"_unsent":true`, `"unsent":true`},
		"size":          {`"headersSize":-1,"bodySize":0`, `"headersSize":-1.5,"bodySize":0`},
		"not a URL":     {`"url":"http://h/"`, `"url":"h"`},
		"end of a file": {`}]}}`, ``},
	} {
		if broken := strings.Replace(good, change[0], change[1], 1); broken == good || len(archiveProblems([]byte(broken))) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
}
