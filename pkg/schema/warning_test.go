package schema_test

import "testing"

// TestWarnings: the warnings about documents that can run.
func TestWarnings(t *testing.T) {
	rows := []struct {
		name string
		in   given
		want []string
	}{
		{"none", given{}, nil},
		{"none without wrapper", given{bare: true}, nil},
		{"keys of the platform", given{top: `"storage":{},"processors":{},"runtime":{},"artifacts":{},"shared_code_id":"1","shared_code_row_ids":[],"variables_id":"1","variables_values_id":"2","variableValuesId":"3","variableValuesData":{"values":[]},"image_parameters":{"__x":1},"authorization":{"workspace":{},"oauth_api":{"credentials":{"id":"x"},"version":3}},`}, nil},
		{"unknown in image_parameters", given{top: `"image_parameters":{"vendor_flag":{"allowedHosts":1},"allowed_hosts":[]},`}, []string{`/image_parameters/vendor_flag: unknown key`}},
		{"unknown at the root", given{top: `"paramters":{},`}, []string{`/paramters: unknown key; did you mean "parameters"?`}},
		{"unknown under parameters", given{parameters: `"iteration":[],"zzz":1,`}, []string{
			`/parameters/iteration: unknown key; did you mean "iterations"?`, `/parameters/zzz: unknown key`}},
		{"unknown in api", given{api: `"baseurl":1,"http":{"header":{}},"retryConfig":{"http":{"code":[]}},`}, []string{
			`/parameters/api/baseurl: unknown key; did you mean "baseUrl"?`,
			`/parameters/api/http/header: unknown key; did you mean "headers"?`,
			`/parameters/api/retryConfig/http/code: unknown key; did you mean "codes"?`}},
		{"unknown in a child job", given{job: `"children":[{"endpoint":"a","placeholders":{"a":"b"},"paramz":{}}],`}, []string{
			`/parameters/config/jobs/0/children/0/paramz: unknown key; did you mean "params"?`}},
		{"limits of jobs", given{api: `"http":{"rateLimit":{"requests":2,"perSeconds":1}},`, jobs: `[
			{"endpoint":"a","rateLimit":{"requests":2,"perSeconds":1}},{"endpoint":"b","rateLimit":{"requests":5,"perSeconds":0.5}},
			{"endpoint":"c","rateLimit":{"requests":1,"perSeconds":1}},{"endpoint":"d","rateLimit":{"requests":100,"perSeconds":60}}]`}, []string{
			`/parameters/config/jobs/0/rateLimit: has no effect: "api.http.rateLimit" allows fewer requests; remove it, or allow fewer requests`,
			`/parameters/config/jobs/1/rateLimit: has no effect: "api.http.rateLimit" allows fewer requests; remove it, or allow fewer requests`}},
		{"unknown in a mapping", given{config: `"mappings":{"users":{"id":{"mapping":{"destination":"x","primarykey":true}}}},`}, []string{
			`/parameters/config/mappings/users/id/mapping/primarykey: unknown key; did you mean "primaryKey"?`}},
		{"what form editors leave in a mapping", given{config: `"mappings":{"users":{"id":{"mapping":{"destination":"x","propertyOrder":1}},"c":{"type":"table","destination":"c","tableMapping":{"a":{"mapping":{"destination":"a","propertyOrder":"2"}}}}}},`}, nil},
		{"and nowhere else", given{config: `"mappings":{"users":{"id":{"propertyOrder":1,"mapping":{"destination":"x"}}}},`, job: `"propertyOrder":1,`}, []string{
			`/parameters/config/mappings/users/id/propertyOrder: unknown key`, `/parameters/config/jobs/0/propertyOrder: unknown key`}},
		{"unknown in a scroller", given{api: `"pagination":{"method":"multiple","scrollers":{"default":{"method":"offset","limits":1}}},`}, []string{
			`/parameters/api/pagination/scrollers/default/limits: unknown key; did you mean "limit"?`}},
		{"unknown without wrapper", given{bare: true, job: `"parms":{},`}, []string{`/config/jobs/0/parms: unknown key; did you mean "params"?`}},
		{"keys of editors", given{top: `"__A":1,`, parameters: `"__B":1,`, api: `"__C":1,"authentication":{"__D":1},"pagination":{"__E":1},`, config: `"__NAME":"x","__AUTH_METHOD":"basic",`, job: `"__F":{"unknown":1},`}, nil},
		{"attribute without a reference", given{config: `"#token":"x","regio":"eu",`}, []string{
			`/parameters/config/#token: unknown key, and no expression refers to it`,
			`/parameters/config/regio: unknown key, and no expression refers to it`}},
		{"attributes in use", given{
			config:  `"#token":"x","db":{"name":"n"},"list":["a"],"iter":1,"legacy":"h.test","a.b":5,`,
			api:     `"http":{"headers":{"A":{"attr":"#token"}}},"authentication":{"type":"query","query":{"x":{"function":"concat","args":[{"attr":"db.name"}]}}},`,
			job:     `"params":{"l":{"attr":"list.0"},"ab":{"attr":"a.b"}},"userData":{"i":{"attr":"iter"}},`,
			baseURL: `"{\"function\":\"concat\",\"args\":[\"https://\",{\"attr\":\"legacy\"}]}"`,
		}, []string{`/parameters/api/baseUrl: an expression inside a string is the old form; write it as an object`}},
		{"attribute whose prefix is referred to", given{config: `"db":"x","d":"y",`, job: `"params":{"d":{"attr":"d"}},`}, []string{
			`/parameters/config/db: unknown key, and no expression refers to it`}},
		{"attributes of iterations", given{config: `"a":1,`, parameters: `"iterations":[{"a":2},{"b":3}],`, job: `"params":{"a":{"attr":"a"}},`}, []string{
			`/parameters/iterations/1/b: unknown key, and no expression refers to it`}},
		{"inside an attribute in use", given{config: `"http":{"proxy":"x","headers":{}},`, job: `"params":{"a":{"attr":"http.proxy"}},`}, nil},
		{"unknown key inside a known attribute", given{config: `"http":{"proxy":"x"},`}, []string{
			`/parameters/config/http/proxy: unknown key`}},
		{"both forms", given{top: `"config":{"jobs":5},"api":{},`}, []string{
			`/api: ignored, because the settings under "parameters" have precedence: "api", "config"; remove one of the two`}},
		{"keys without effect", given{api: `"query":{"a":"b"},"clientCertificate":"x","http":{"params":{"a":1}},"retryConfig":{"http":{"maxRetries":3}},"pagination":{"pages":"2"},`}, []string{
			`/parameters/api/query: is the old place of this setting; use "authentication.query"`,
			`/parameters/api/clientCertificate: has no effect; use "#clientCertificate"`,
			`/parameters/api/http/params: has no effect; use "defaultOptions.params"`,
			`/parameters/api/retryConfig/http/maxRetries: has no effect here; put it directly under "retryConfig"`,
			`/parameters/api/pagination/pages: has no effect; use "forceStop.pages"`}},
		{"old type", given{api: `"authentication":{"type":"url.query"},`}, []string{
			`/parameters/api/authentication/type: "url.query" is the old name of "query"`}},
		{"mixed retry spellings", given{api: `"retryConfig":{"httpCodes":[1],"http":{"codes":[2]},"curlCodes":[],"curl":{"codes":[3]}},`}, []string{
			`/parameters/api/retryConfig/http: ignored because of "headerName" or "httpCodes", its old spelling`,
			`/parameters/api/retryConfig/curl: ignored because of "curlCodes", its old spelling`}},
		{"objects in headers", given{job: `"headers":{"A":{"query":"x"}},`, api: `"http":{"defaultOptions":{"headers":{"B":{"state":"y"}}}},`}, []string{
			`/parameters/api/http/defaultOptions/headers/B: the object is not an expression, so the values in it are sent as they are; write a text, a list of texts, or an expression`,
			`/parameters/config/jobs/0/headers/A: the object is not an expression, so the values in it are sent as they are; write a text, a list of texts, or an expression`}},
		{"two spellings of a header", given{api: `"http":{"headers":{"x-a":"1","X-A":"2","Y":"3"}},`, config: `"http":{"headers":{"y":"4","X-B":"5"}},`}, []string{
			`/parameters/api/http/headers/x-a: this header is not sent: "X-A" is another spelling of it, and the last one counts; remove one of the two`,
			`/parameters/api/http/headers/Y: this header is not sent: "y" is another spelling of it, and the last one counts; remove one of the two`}},
		{"child without placeholders", given{jobs: `[{"endpoint":"a","placeholders":{"id":"id"},"children":[{"endpoint":"b","children":[{"endpoint":"c"}]}]}]`}, []string{
			`/parameters/config/jobs/0/children/0: this child job never runs: it has no "placeholders", nor has a job above it`,
			`/parameters/config/jobs/0/children/0/children/0: this child job never runs: it has no "placeholders", nor has a job above it`}},
		{"child whose windows refer to the parent", given{jobs: `[{"endpoint":"a","children":[{"endpoint":"b","windows":{"from":{"parentItem":"t"},"step":"1 day"}}]}]`}, nil},
		{"child with inherited placeholders", given{jobs: `[{"endpoint":"a","children":[{"endpoint":"b/{id}","placeholders":{"id":"id"},"children":[{"endpoint":"c","placeholders":[]}]}]}]`}, nil},
		{"same id", given{jobs: `[{"id":"a","endpoint":"x"},{"endpoint":"y"},{"id":"a","endpoint":"z"}]`}, []string{
			`/parameters/config/jobs/2: has the id of /parameters/config/jobs/0 and runs in its place; give it another id`}},
		{"same job", given{jobs: `[{"endpoint":"x"},{"endpoint":"x"}]`}, []string{
			`/parameters/config/jobs/1: is the same as /parameters/config/jobs/0, it runs once; give one of them an id to run both`}},
		{"same child", given{jobs: `[{"endpoint":"x","children":[{"endpoint":"y","placeholders":{"a":"a"}},{"endpoint":"y","placeholders":{"a":"a"}}]}]`}, []string{
			`/parameters/config/jobs/0/children/1: is the same as /parameters/config/jobs/0/children/0, it runs once; give one of them an id to run both`}},
		{"reported once for all iterations", given{parameters: `"iterations":[{},{}],`, jobs: `[{"endpoint":"x"},{"endpoint":"x"}]`}, []string{
			`/parameters/config/jobs/1: is the same as /parameters/config/jobs/0, it runs once; give one of them an id to run both`}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, problems, warnings := compiled(t, row.in.document(), false)
			sameLines(t, "problems", problems, nil)
			sameLines(t, "warnings", warnings, row.want)
		})
	}
}

// TestStrict: unknown keys become problems, other warnings do not.
func TestStrict(t *testing.T) {
	in := given{top: `"paramters":1,`, config: `"unused":1,"used":2,"__x":3,`, job: `"params":{"a":{"attr":"used"}},`, api: `"query":{"a":"b"},`}
	_, problems, warnings := compiled(t, in.document(), true)
	sameLines(t, "problems", problems, []string{
		`/paramters: unknown key; did you mean "parameters"?`,
		`/parameters/config/unused: unknown key, and no expression refers to it`,
	})
	sameLines(t, "warnings", warnings, []string{`/parameters/api/query: is the old place of this setting; use "authentication.query"`})
}
