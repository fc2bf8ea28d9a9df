package functional

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatIsMadeOfSecretsIsHidden: what a configuration makes of a secret is shown
// nowhere, neither by the request itself nor when the API returns it. A short
// one ("p7") is masked where a request carries it, and nowhere else.
func TestWhatIsMadeOfSecretsIsHidden(t *testing.T) {
	t.Parallel()
	const (
		word  = "sesame-word-1"
		conf  = `"#pw":"sesame-word-1","db":{"#pw":"sesame-word-1","#pin":"7"},"#auth":"Bearer {{token}}","#pin":"7"`
		made  = `{"function":"concat","args":["Basic ",{"function":"base64_encode","args":[{"function":"concat","args":["u:",%s]}]}]}`
		short = `{"function":"concat","args":["p",%s]}`
	)
	login := func(request, use string) string {
		return `"authentication":{"type":"login","loginRequest":{"endpoint":"login",` + request + `},"apiRequest":{` + use + `}}`
	}
	// both is an object of a long and a short secret that are made of these.
	both := func(word, pin string) string {
		return fmt.Sprintf(`{"made":`+made+`,"short":`+short+`}`, word, pin)
	}
	attributes := both(`{"attr":"#pw"}`, `{"attr":"#pin"}`)
	deep := both(`{"attr":"db.#pw"}`, `{"attr":"db.#pin"}`)
	variable := both(`"{{token}}"`, `"{{pin}}"`)
	response := both(`{"response":"a.token"}`, `{"response":"a.pin"}`)
	tests := map[string]struct{ api, config, job string }{
		"headers":                {api: `"http":{"headers":` + attributes + `}`},
		"headers of config":      {config: `"http":{"headers":` + deep + `}`},
		"headers of variables":   {api: `"http":{"headers":` + variable + `}`},
		"parameters":             {job: `"params":` + attributes},
		"nested parameters":      {job: `"params":{"a":{"b":[` + deep + `]}}`},
		"a body":                 {job: `"method":"POST","params":{"a":` + attributes + `}`},
		"a form":                 {job: `"method":"FORM","params":` + deep},
		"variables":              {job: `"params":` + variable},
		"default parameters":     {api: `"http":{"defaultOptions":{"params":{"made":"u:{{token}}","short":"p{{pin}}"}}}`},
		"default headers":        {api: `"http":{"defaultOptions":{"headers":{"made":"u:{{token}}","short":"p{{pin}}"}}}`},
		"headers of a job":       {job: `"headers":{"made":["u:{{token}}"],"short":"p{{pin}}"}`},
		"query authentication":   {api: `"authentication":{"type":"query","query":` + attributes + `}`},
		"a login":                {api: login(`"params":`+attributes+`,"headers":`+deep, "")},
		"a login that is posted": {api: login(`"method":"POST","params":`+attributes, "")},
		"what a login returned":  {api: login(`"method":"POST"`, `"headers":`+response+`,"query":`+response)},
		"an authorization":       {api: `"authentication":{"type":"oauth20","format":"json","headers":` + both(`{"authorization":"data.token"}`, `{"authorization":"data.pin"}`) + `}`},
		"a login with one":       {api: `"authentication":{"type":"oauth20.login","loginRequest":{"endpoint":"login","params":` + both(`{"user":"token"}`, `{"user":"pin"}`) + `},"apiRequest":{"query":` + response + `}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			carried := 0
			w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				for _, text := range []string{r.URL.Query().Encode(), fmt.Sprint(r.Header), string(body)} {
					if strings.Contains(text, "p7") {
						carried++
					}
				}
				if r.URL.Path == "/login" {
					write(out, `{"a":{"token":"`+word+`","pin":"7"}}`)
					return
				}
				out.WriteHeader(http.StatusBadRequest)
				echo := fmt.Sprint(r.Header, r.URL.Query().Encode(), string(body))
				write(out, "p7 is page 7: "+strings.ReplaceAll(echo, "p7", ""))
			}))
			api, job := `"baseUrl":"http://api.test/"`, `"endpoint":"t"`
			if tt.api != "" {
				api += "," + tt.api
			}
			if tt.job != "" {
				job += "," + tt.job
			}
			config := conf
			if tt.config != "" {
				config += "," + tt.config
			}
			document := `{"parameters":{"api":{` + strings.ReplaceAll(api, `"apiRequest":{}`, `"apiRequest":{"headers":{"X":"y"}}`) + `},"config":{"debug":true,"outputBucket":"b",` + config + `,"#used":"{{pin}}","jobs":[{` + job + `}]}},
				"authorization":{"oauth_api":{"credentials":{"#data":"{\"token\":\"sesame-word-1\",\"pin\":\"7\"}","appKey":"app","#appSecret":"s3cret-2"}}},
				"variableValuesData":{"values":[{"name":"token","value":"sesame-word-1"},{"name":"pin","value":"7"}]}}`
			got, said := w.showing(t, document)
			if got.exit != 1 || carried == 0 {
				t.Fatalf("exit code %d, carried %d times: %s", got.exit, carried, got.stderr)
			}
			hides(t, said, word, strings.TrimRight(base64.StdEncoding.EncodeToString([]byte("u:"+word)), "="), "short=p7", "short%5D=p7", `short":"p7`, `"short","value":"p7`, "short: p7")
			if !strings.Contains(got.stderr, "p7 is page") {
				t.Errorf("a harmless word is hidden: %s", got.stderr)
			}
		})
	}
}

// TestUserOfAnAddressIsHidden: user name and password in an address of the
// configuration, and the header that is made of them.
func TestUserOfAnAddressIsHidden(t *testing.T) {
	t.Parallel()
	const computed = `{"function":"concat","args":["http://ann:",{"attr":"#pw"},"@api.test/"]}`
	tests := map[string]struct{ api, endpoint, user, secret string }{
		"password":              {`"baseUrl":"http://ann:sesame-word-1@api.test/"`, "t", "ann:sesame-word-1", "sesame-word-1"},
		"key as the name":       {`"baseUrl":"http://0123456789abcdef:x@api.test/"`, "t", "0123456789abcdef:x", "0123456789abcdef"},
		"key without password":  {`"baseUrl":"http://0123456789abcdef@api.test/"`, "t", "0123456789abcdef:", "0123456789abcdef"},
		"computed":              {`"baseUrl":` + computed, "t", "ann:sesame-word-1", "sesame-word-1"},
		"address of the job":    {`"baseUrl":"http://other.test/"`, "http://ann:sesame-word-1@api.test/t", "ann:sesame-word-1", "sesame-word-1"},
		"address of the login":  {`"baseUrl":"http://api.test/","authentication":{"type":"login","loginRequest":{"endpoint":"http://ann:sesame-word-1@api.test/login"},"apiRequest":{"headers":{"X":"y"}}}`, "t", "ann:sesame-word-1", "sesame-word-1"},
		"a secret with escapes": {`"baseUrl":"http://ann:sesame%2Fword%231@api.test/"`, "t", "ann:sesame/word#1", "sesame/word#1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := base64.StdEncoding.EncodeToString([]byte(tt.user))
			carried := false
			w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				carried = carried || r.Header.Get("Authorization") == "Basic "+header
				out.WriteHeader(http.StatusBadRequest)
				write(out, `{"message":"Unlike `+header+", "+tt.secret+" is not good "+r.Header.Get("Authorization")+`"}`)
			}))
			document := `{"parameters":{"api":{` + tt.api + `},"config":{"debug":true,"outputBucket":"b","#pw":"sesame-word-1","jobs":[{"endpoint":"` + tt.endpoint + `"}]}}}`
			if name != "computed" {
				document = strings.Replace(document, `"#pw":"sesame-word-1",`, "", 1)
			}
			got, said := w.showing(t, document)
			if got.exit != 1 || !carried || !strings.Contains(got.stderr, "Unlike [hidden], [hidden] is not good Basic [hidden]") {
				t.Errorf("exit code %d, carried: %v: %s", got.exit, carried, got.stderr)
			}
			hides(t, said, tt.secret, strings.TrimRight(header, "="), "sesame%2F")
		})
	}
}

// TestWhatIsMadeOfSecretsIsReplayed: a request of which parts are masked by their
// place finds its response in a recording.
func TestWhatIsMadeOfSecretsIsReplayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		write(out, `[{"id":"`+r.URL.Query().Get("page")+r.Method+`"}]`)
	}))
	const made = `"pin":{"function":"concat","args":["p",{"attr":"#pin"}]},"deep":{"list":[{"attr":"#pin"},"p7"]}`
	writeFile(t, filepath.Join(w.dir, "config.json"), `{"parameters":{"api":{"baseUrl":"http://api.test/","http":{"headers":{"X-Made":{"function":"md5","args":[{"attr":"#pin"}]}}}},
		"config":{"outputBucket":"b","#pin":"7","jobs":[{"endpoint":"t","params":{"page":"p7",`+made+`}},{"endpoint":"t","method":"POST","params":{"page":"p7",`+made+`}},{"endpoint":"t","method":"FORM","params":{`+made+`}}]}}}`)
	archive := filepath.Join(t.TempDir(), "run.har")
	w.options.Record = archive
	if got := w.run(t.Context()); got.exit != 0 {
		t.Fatalf("exit code %d: %s", got.exit, got.stderr)
	}
	tables := readTree(t, filepath.Join(w.dir, "out", "tables"))
	recorded := filesOf(filepath.Dir(archive))["run.har"]
	for _, want := range []string{`t?page=p7&pin=%5Bhidden%5D&deep%5Blist%5D%5B0%5D=%5Bhidden%5D&deep%5Blist%5D%5B1%5D=p7"`, `{\"page\":\"p7\",\"pin\":\"[hidden]\",\"deep\":{\"list\":[\"[hidden]\",\"p7\"]}}`, `"pin=[hidden]&deep%5Blist%5D%5B0%5D=[hidden]&`} {
		if !strings.Contains(recorded, want) {
			t.Errorf("the recording lacks %s: %s", want, recorded)
		}
	}
	w.options.Record, w.options.Replay = "", archive
	if got := w.run(t.Context()); got.exit != 0 {
		t.Errorf("the replay ends with %d: %s", got.exit, got.stderr)
	}
	if again := readTree(t, filepath.Join(w.dir, "out", "tables")); fmt.Sprint(again) != fmt.Sprint(tables) {
		t.Errorf("the replay wrote %v, the run %v", again, tables)
	}
}
