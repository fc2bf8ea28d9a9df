package schema_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/api/httpclient"
	"github.com/keboola/configurable-extractor/pkg/app"
	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/env"
	"github.com/keboola/configurable-extractor/pkg/schema"
	"github.com/keboola/configurable-extractor/pkg/value"
)

// given is one default of the schema and a document that shows it.
type givenDefault struct {
	pointer string // of the subschema that states it
	// api, config and job are members of these objects, ended by commas, and
	// beside those of `parameters` or, with outside, of the document. In one of
	// them is a §, the place of the key.
	api, config, job, beside, outside string
	// with is the text with the value in the place of %s; empty is the key alone.
	// without is the text that says nothing about it.
	with, without string
	other         string // another value that is allowed
	see           func(t *testing.T, text string) string
}

func (g givenDefault) document(text string) string {
	doc := `{` + g.outside + `"parameters":{` + g.beside + `"api":{"baseUrl":"http://api.test/",` + g.api + `"__":0},"config":{` + g.config +
		`"jobs":[{"endpoint":"items","dataField":"items",` + g.job + `"__":0}]}}}`
	return strings.ReplaceAll(doc, "§", text)
}

// defaults has a row for every default of the schema.
func defaults() []givenDefault {
	login := func(members string) string {
		return `"authentication":{"type":"login","loginRequest":{"endpoint":"login",` + members + `"__":0},"apiRequest":{"headers":{"X-Token":{"response":"token"}}}},`
	}
	apiRequest := `"authentication":{"type":"login","loginRequest":{"endpoint":"login"},"apiRequest":{§"__":0}},`
	paging := func(members string) string { return `"pagination":{` + members + `"__":0},` }
	mapping := func(members string) string { return `"mappings":{"items":{"id":{` + members + `"__":0}}},` }
	kids := func(members string) string {
		return `"mappings":{"items":{"id":{"mapping":{"destination":"id","primaryKey":true}},"kids":{"type":"table","destination":"kids","tableMapping":{"k":"k"},"parentKey":{` + members + `"__":0}}}},`
	}
	const p = "/$defs/pagination/properties/"
	return []givenDefault{
		{pointer: "/properties/action", outside: `§`, other: `"validate"`, see: model},
		{pointer: "/properties/cache", outside: `"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"items"}]},§`, other: `true`, see: unwrapped},
		{pointer: "/$defs/parameters/properties/cache", beside: `§`, other: `true`, see: model},
		{pointer: "/$defs/cache/properties/ttl", beside: `§`, with: `"cache":{"ttl":%s},`, without: `"cache":true,`, other: `3600`, see: model},
		{pointer: "/$defs/api/properties/name", api: `§`, config: `"id":"1",`, other: `"crm"`, see: model},
		{pointer: "/$defs/http/properties/connectTimeout", api: `"http":{§"__":0},`, other: `10`, see: model},
		{pointer: "/$defs/http/properties/requestTimeout", api: `"http":{§"__":0},`, other: `10`, see: model},
		{pointer: "/$defs/http/properties/maxResponseBytes", api: `"http":{§"__":0},`, other: `10`, see: model},
		{pointer: "/$defs/http/properties/ignoreErrors", api: `"http":{§"__":0},`, other: `[404]`, see: model},
		{pointer: "/$defs/http/properties/trustedOrigins", api: `"http":{§"__":0},`, other: `["https://files.test"]`, see: model},
		{pointer: "/$defs/http/properties/concurrency", api: `"http":{§"__":0},`, other: `2`, see: model},
		{pointer: "/$defs/http/properties/lookahead", api: `"http":{§"__":0},`, other: `2`, see: model},
		{pointer: "/$defs/rule/properties/timeout", api: `"http":{"rules":[{"status":200,"do":"poll",§"__":0}]},`, other: `7200`, see: model},
		{pointer: "/$defs/response/properties/format", api: `"response":{§"__":0},`, job: `"dataField":".",`, other: `"csv"`, see: run},
		{pointer: "/$defs/response/properties/delimiter", api: csv(`§`), job: `"dataField":".",`, other: `";"`, see: run},
		{pointer: "/$defs/response/properties/quote", api: csv(`§`), job: `"dataField":".",`, other: `false`, see: run},
		{pointer: "/$defs/response/properties/header", api: csv(`§`), job: `"dataField":".",`, other: `false`, see: run},
		{pointer: "/$defs/response/properties/skip", api: csv(`§`), job: `"dataField":".",`, other: `1`, see: run},
		{pointer: "/$defs/defaultOptions/properties/method", api: `"http":{"defaultOptions":{§"__":0}},`, other: `"POST"`, see: run},
		{pointer: "/$defs/retryConfig/properties/maxRetries", api: `"retryConfig":{§"__":0},`, other: `3`, see: model},
		{pointer: "/$defs/retryConfig/properties/maxWait", api: `"retryConfig":{§"__":0},`, other: `3`, see: model},
		{pointer: "/$defs/retryConfig/properties/http/properties/retryHeader", api: `"retryConfig":{"http":{§"__":0}},`, other: `"X-Reset"`, see: model},
		{pointer: "/$defs/retryConfig/properties/http/properties/codes", api: `"retryConfig":{"http":{§"__":0}},`, other: `[]`, see: model},
		{pointer: "/$defs/retryConfig/properties/curl/properties/codes", api: `"retryConfig":{"curl":{§"__":0}},`, other: `[60]`, see: model},
		{pointer: "/$defs/loginRequest/properties/method", api: login(`§`), other: `"POST"`, see: run},
		{pointer: "/$defs/loginRequest/properties/params", api: login(`§`), other: `{"a":1}`, see: run},
		{pointer: "/$defs/loginRequest/properties/headers", api: login(`§`), other: `{"X-A":"1"}`, see: run},
		{pointer: "/$defs/apiRequest/properties/headers", api: apiRequest, other: `{"X-A":"1"}`, see: run},
		{pointer: "/$defs/apiRequest/properties/query", api: apiRequest, other: `{"a":"1"}`, see: run},
		{pointer: "/$defs/expires/properties/relative", api: paging(`"method":"response.url",`) + `"authentication":{"type":"login","loginRequest":{"endpoint":"login"},"apiRequest":{},"expires":{"response":"expires_in",§"__":0}},`, other: `true`, see: run},
		{pointer: p + "limitParam", api: paging(`"method":"offset","limit":2,§`), other: `"count"`, see: run},
		{pointer: p + "offsetParam", api: paging(`"method":"offset","limit":2,§`), other: `"start"`, see: run},
		{pointer: p + "pageParam", api: paging(`"method":"pagenum","limit":2,§`), other: `"p"`, see: run},
		{pointer: p + "firstPage", api: paging(`"method":"pagenum","limit":2,§`), other: `0`, see: run},
		{pointer: p + "firstPageParams", api: paging(`"method":"pagenum","limit":2,§`), other: `false`, see: run},
		{pointer: p + "firstPageParams", api: paging(`"method":"offset","limit":2,§`), other: `false`, see: run},
		{pointer: p + "offsetFromJob", api: paging(`"method":"offset","limit":2,§`), job: `"params":{"offset":10},`, other: `true`, see: run},
		{pointer: p + "urlKey", api: paging(`"method":"response.url",§`), other: `"more.next"`, see: run},
		{pointer: p + "urlKey", api: paging(`"method":"zendesk.response.url",§`), other: `"more"`, see: run},
		{pointer: p + "delimiter", api: paging(`"method":"response.url","urlKey":"more.next",§`), other: `"/"`, see: run},
		{pointer: p + "includeParams", api: paging(`"method":"response.url",§`), job: `"params":{"x":1},`, other: `true`, see: run},
		{pointer: p + "includeParams", api: paging(`"method":"zendesk.response.url",§`), job: `"params":{"x":1},`, other: `true`, see: run},
		{pointer: p + "includeParams", api: paging(`"method":"response.param","responseParam":"token","queryParam":"t",§`), job: `"params":{"x":1},`, other: `true`, see: run},
		{pointer: p + "includeParams", api: paging(`"method":"link",§`), job: `"params":{"x":1},`, other: `true`, see: run},
		{pointer: p + "rel", api: paging(`"method":"link",§`), other: `"older"`, see: run},
		{pointer: p + "paramsInQuery", api: paging(`"method":"offset","limit":1,§`), job: `"method":"POST",`, other: `true`, see: run},
		{pointer: p + "paramIsQuery", api: paging(`"method":"response.url","urlKey":"query",§`), other: `true`, see: run},
		{pointer: p + "paramIsQuery", api: paging(`"method":"zendesk.response.url","urlKey":"query",§`), other: `true`, see: run},
		{pointer: p + "lastPage", api: paging(`"method":"pagenum","limit":3,§`), other: `"empty"`, see: run},
		{pointer: p + "lastPage", api: paging(`"method":"offset","limit":3,§`), other: `"empty"`, see: run},
		{pointer: p + "firstOffset", api: paging(`"method":"offset","limit":2,§`), other: `1`, see: run},
		{pointer: p + "increment", api: paging(`"method":"cursor","idKey":"id","param":"since",§`), other: `1`, see: run},
		{pointer: p + "idType", api: paging(`"method":"cursor","idKey":"id","param":"since",§`), other: `"text"`, see: run},
		{pointer: p + "reverse", api: paging(`"method":"cursor","idKey":"id","param":"since",§`), other: `true`, see: run},
		{pointer: "/$defs/settings/properties/incrementalOutput", config: `§`, other: `true`, see: model},
		{pointer: "/$defs/settings/properties/debug", config: `§`, other: `true`, see: model},
		{pointer: "/$defs/settings/properties/onIncomplete", config: `§`, other: `"fail"`, see: model},
		{pointer: "/$defs/settings/properties/onFailure", config: `§`, other: `"keepOthers"`, see: model},
		{pointer: "/$defs/settings/properties/driftWarning", config: `§`, other: `true`, see: model},
		{pointer: "/$defs/settings/properties/booleans", config: `§`, other: `"text"`, see: model},
		{pointer: "/$defs/settings/properties/http/properties/headers", config: `"http":{§"__":0},`, other: `{"X-A":"1"}`, see: run},
		{pointer: "/$defs/settings/properties/compatLevel", config: `§`, other: `2`, see: model},
		{pointer: "/$defs/job/properties/method", job: `§`, other: `"POST"`, see: run},
		{pointer: "/$defs/job/properties/params", job: `§`, other: `{"a":1}`, see: run},
		{pointer: "/$defs/job/properties/headers", job: `§`, other: `{"X-A":"1"}`, see: run},
		{pointer: "/$defs/job/properties/responseFilterDelimiter", job: `"responseFilter":"deep.list",§`, other: `"/"`, see: run},
		{pointer: "/$defs/file/properties/permanent", job: `"response":{"format":"file"},"dataField":".","file":{§"__":0},`, other: `true`, see: run},
		{pointer: "/$defs/windows/properties/to", job: windowed(`§`), other: `"2023-11-12"`, see: run},
		{pointer: "/$defs/windows/properties/format", job: windowed(`§`), other: `"U"`, see: run},
		{pointer: "/$defs/windows/properties/timezone", job: windowed(`§`), other: `"Europe/Prague"`, see: run},
		{pointer: "/$defs/windows/properties/end", job: windowed(`§`), other: `"inclusive"`, see: run},
		{pointer: "/$defs/job/properties/store", job: `§`, other: `false`, see: run},
		{pointer: "/$defs/job/properties/if", job: `§`, other: `false`, see: run},
		{pointer: "/$defs/job/properties/credentials", api: login(``), job: `§`, other: `false`, see: run},
		{pointer: "/$defs/batch/properties/across", api: paging(`"method":"response.url",`), job: `"children":[{"endpoint":"c/{id}","dataField":"items","placeholders":{"id":"id"},"batch":{"size":3,§"__":0}}],`, other: `true`, see: run},
		{pointer: "/$defs/dataField/properties/delimiter", job: `§`, with: `"dataField":{"path":"nested.items","delimiter":%s},`, without: `"dataField":{"path":"nested.items"},`, other: `"/"`, see: run},
		{pointer: "/$defs/dataField/properties/parallel", job: `§`, with: `"dataField":{"path":".","parallel":%s},`, without: `"dataField":{"path":"."},`, other: `true`, see: run},
		{pointer: "/$defs/mappingSetting/properties/type", config: mapping(`"mapping":{"destination":"id"},§`), other: `"user"`, see: run},
		{pointer: "/$defs/mappingSetting/properties/mapping/properties/primaryKey", config: mapping(`"mapping":{"destination":"id",§"__":0},`), other: `true`, see: run},
		{pointer: "/$defs/mappingSetting/properties/mapping/properties/nullable", config: `"mappings":{"items":{"missing":{"mapping":{"destination":"m","type":"STRING",§"__":0}}}},`, other: `false`, see: run},
		{pointer: "/$defs/mappingSetting/properties/mapping/properties/onMismatch", config: `"mappings":{"items":{"missing":{"mapping":{"destination":"m","type":"STRING","nullable":false,§"__":0}}}},`, other: `"warn"`, see: run},
		{pointer: "/$defs/mappingSetting/properties/forceType", config: `"mappings":{"items":{"kids":{"mapping":{"destination":"kids"},§"__":0}}},`, other: `true`, see: run},
		{pointer: "/$defs/mappingSetting/properties/delimiter", config: `"mappings":{"items":{"deep.flat":{"mapping":{"destination":"flat"},§"__":0}}},`, other: `"/"`, see: run},
		{pointer: "/$defs/mappingSetting/properties/optional", config: `"mappings":{"items":{"id":{"mapping":{"destination":"id","primaryKey":true}},"missing":{"type":"table","destination":"kids","tableMapping":{"k":"k"},§"__":0}}},`, other: `true`, see: run},
		{pointer: "/$defs/mappingSetting/properties/parentKey/properties/primaryKey", config: kids(`§`), other: `true`, see: run},
		{pointer: "/$defs/mappingSetting/properties/parentKey/properties/disable", config: kids(`§`), other: `true`, see: run},
	}
}

// csv are settings of responses in CSV.
func csv(settings string) string { return `"response":{"format":"csv",` + settings + `"__":0},` }

// windowed are parameters and windows of a job.
func windowed(settings string) string {
	return `"params":{"from":{"window":"start"},"to":{"window":"end"}},"windows":{"from":"2023-11-10","step":"3 days",` + settings + `"__":0},`
}

// TestDefaults: without a key the program behaves as with the schema's default, and
// another value changes the behaviour.
func TestDefaults(t *testing.T) {
	slowtest.Skip(t, "it tries every setting")
	stated := statedDefaults(t)
	for _, row := range defaults() {
		t.Run(row.pointer, func(t *testing.T) {
			d, ok := stated[row.pointer]
			if !ok {
				t.Fatal("the schema states no default here any more")
			}
			if row.with == "" {
				row.with = `"` + row.pointer[strings.LastIndexByte(row.pointer, '/')+1:] + `":%s,`
			}
			without := row.see(t, row.document(row.without))
			if with := row.see(t, row.document(fmt.Sprintf(row.with, d.JSON()))); with != without {
				t.Errorf("with the default %s:\n%s\nwithout the key:\n%s", d.JSON(), with, without)
			}
			if row.see(t, row.document(fmt.Sprintf(row.with, row.other))) == without {
				t.Errorf("%s makes no difference to this:\n%s", row.other, without)
			}
		})
	}
	for pointer := range stated {
		if !slices.ContainsFunc(defaults(), func(row givenDefault) bool { return row.pointer == pointer }) {
			t.Errorf("nothing shows whether the default at %s is true", pointer)
		}
	}
}

// statedDefaults are the defaults of the schema by the place of their subschema.
func statedDefaults(t *testing.T) map[string]value.Value {
	t.Helper()
	schema, err := value.Parse(schema.Default().Schema())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]value.Value{}
	var walk func(node value.Value, pointer string)
	walk = func(node value.Value, pointer string) {
		if d, ok := node.Get("default"); ok {
			all[pointer] = d
		}
		for _, keyword := range []string{"properties", "$defs"} {
			for _, m := range node.Field(keyword).Members() {
				walk(m.Value, pointer+"/"+keyword+"/"+m.Name)
			}
		}
		for _, keyword := range []string{"items", "additionalProperties"} {
			if inner := node.Field(keyword); inner.Kind() == value.Object {
				walk(inner, pointer+"/"+keyword)
			}
		}
	}
	walk(schema, "")
	if len(all) < 40 {
		t.Fatalf("only %d defaults: is this the schema?", len(all))
	}
	return all
}

// model is the compiled document without parts of the document itself.
func model(t *testing.T, text string) string {
	t.Helper()
	given, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	doc, problems := config.Compile(given, config.Options{Tree: schema.Default().Tree})
	settings := httpclient.Compile(doc)
	if len(*problems) > 0 {
		t.Fatalf("%v: %s", problems, text)
	}
	it, api := doc.Iterations[0], doc.API
	return fmt.Sprintf("%s %q %v %v %v %d %v %v %d %d bucket %q, debug %v, incomplete fails %v, others kept %v, drift %v, text booleans %v, incremental %v, level %d, %+v", doc.Action, api.Name, api.Retry,
		api.ConnectTimeout, api.RequestTimeout, api.MaxResponseBytes, api.IgnoreErrors, api.TrustedOrigins, api.Concurrency, api.Lookahead,
		it.Bucket, it.Debug, it.FailIncomplete, it.KeepOthers, it.DriftWarning, it.TextBooleans, it.Incremental, it.CompatLevel, settings)
}

// unwrapped is the model of a document that has `parameters` beside its sections,
// without them.
func unwrapped(t *testing.T, text string) string {
	t.Helper()
	before, _, _ := strings.Cut(text, `"parameters"`)
	return model(t, before+`"__":0}`)
}

// run runs a document and shows the requests that arrived, the tables and how it
// ended.
func run(t *testing.T, text string) string {
	t.Helper()
	api := &arrivals{}
	server := httptest.NewServer(api)
	defer server.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	exit := app.Run(t.Context(), app.Options{
		DataDir: dir, LogFormat: "json", Stdout: io.Discard, Stderr: &stderr,
		Run: env.Run{Limits: env.Limits{Requests: 20},
			Getenv: func(string) string { return "" },
			Now:    func() time.Time { return time.Unix(1_700_000_000, 0) },
			Sleep:  func(context.Context, time.Duration) error { return nil },
			Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
			}},
	})
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d %s\n%s", exit, stderr.String(), api.seen.String())
	err := filepath.WalkDir(filepath.Join(dir, "out"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "state.json" {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s: %s\n", entry.Name(), content)
		return err
	})
	if err != nil && exit == 0 {
		t.Fatal(err)
	}
	if exit == 2 || strings.Contains(stderr.String(), "configuration:") {
		t.Fatalf("%s: %s", text, stderr.String())
	}
	return b.String()
}

// arrivals is an API: the first response of each path has two items, the second one, later
// ones none. The first has the next page in all forms.
type arrivals struct {
	mu    sync.Mutex
	seen  strings.Builder
	count int
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(&a.seen, "%s %s %s", r.Method, r.URL, body)
	for _, name := range []string{"X-A", "X-Token"} {
		if v := r.Header.Get(name); v != "" {
			fmt.Fprintf(&a.seen, " %s: %s", name, v)
		}
	}
	a.seen.WriteString("\n")
	if r.Header.Get("Accept") == "text/csv" {
		fmt.Fprint(w, "id,n\n\"1\",ž\n2,3\n")
		return
	}
	if r.URL.Path == "/login" {
		fmt.Fprint(w, `{"token":"t0ken","expires_in":3600}`)
		return
	}
	a.count++
	switch a.count {
	case 1:
		w.Header().Set("Link", `</items?l=2>; rel="next", </items?o=2>; rel="older"`)
		const items = `[{"id":5,"deep":{"list":[1,2],"flat":"f"},"kids":[{"k":1}]},{"id":3,"deep":{"list":[3],"flat":"g"},"kids":[{"k":2}]}]`
		fmt.Fprint(w, `{"items":`+items+`,"nested":{"items":`+items+`},"next_page":"http://api.test/items?n=2","more":{"next":"http://api.test/items?m=2"},"query":"q=2","token":"two"}`)
	case 2:
		fmt.Fprint(w, `{"items":[{"id":9,"deep":{"list":[4],"flat":"h"},"kids":[]}]}`)
	default:
		fmt.Fprint(w, `{"items":[]}`)
	}
}
