package schema_test

import (
	"slices"
	"strings"
	"testing"
)

type brokenDocument struct {
	name string
	in   given
	want []string
}

// TestBrokenDocuments: all problems of a document are reported, in the order of the
// document, each with its place.
func TestBrokenDocuments(t *testing.T) {
	for _, row := range brokenDocuments() {
		t.Run(row.name, func(t *testing.T) {
			_, problems, _ := compiled(t, row.in.document(), false)
			sameLines(t, "problems", problems, row.want)
		})
	}
}

func broken(name string, in given, want ...string) brokenDocument {
	return brokenDocument{name, in, want}
}

func brokenDocuments() []brokenDocument {
	return slices.Concat(brokenAPIs(), brokenConfigs(), brokenEnvelopes())
}

func brokenConfigs() []brokenDocument {
	return []brokenDocument{
		broken("config list", given{raw: `{"parameters":{"api":{"baseUrl":"https://h.test"},"config":["x"]}}`},
			`/parameters/config: expected an object, found a list of 1; write an object, {"name": value}, instead of the list`),
		broken("if", given{jobs: `[
			{"endpoint":"a","if":"status==paid"},
			{"endpoint":"b","if":[1]},
			{"endpoint":"c","if":{"status":"paid"}},
			{"endpoint":"d","if":{"parentItem":"x"}},
			{"endpoint":"e","if":{"window":"end"},"windows":{"from":"2024-01-01","step":"1 day"}},
			{"endpoint":"f","if":{"function":"iff","args":[]}},
			{"endpoint":"g","if":{"attr":"nope"}},
			{"endpoint":"h","if":"false"},{"endpoint":"h","if":"1"},{"endpoint":"i","if":""},{"endpoint":"j","if":null},{"endpoint":"k","if":0},
			{"endpoint":"l","children":[{"endpoint":"m","if":{"parentItem":"x"}},{"endpoint":"n","if":true}]}]`},
			`/parameters/config/jobs/0/if: expected true, false or an expression, because a text is always true, found "status==paid"; a condition on the parent's item, such as "type==company", is "recursionFilter"`,
			`/parameters/config/jobs/1/if: expected true, false or an expression, found a list of 1`,
			`/parameters/config/jobs/2/if: expected true, false or an expression, found an object; such as {"attr": "name"} or {"parentItem": "path"}`,
			`/parameters/config/jobs/3/if/parentItem: expected a path in the item of a job above this one, found "x"; a root job has no parent; if the object is data, write {"literal": {…}}`,
			`/parameters/config/jobs/4/if/window: expected "windows" in this job or in one above it, found "end"; what decides about the windows of a job cannot refer to them`,
			`/parameters/config/jobs/5/if/function: expected the name of a function, found "iff"; did you mean "if"?`,
			`/parameters/config/jobs/6/if/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
			`/parameters/config/jobs/7/if: expected true, false or an expression, because a text is always true, found "false"; leave out the quotes; a variable, which is a text, has to be 1 or 0`),
		broken("windows", given{jobs: `[
			{"endpoint":"a","params":{"f":{"window":"start"}}},
			{"endpoint":"b","windows":{"from":"2024-13-45","step":"tomorrow","format":"%Y-%m-%d","timezone":"Prague","end":"incl"}},
			{"endpoint":"c","windows":{"step":"-7 days","format":"H:i"}},
			{"endpoint":"d","windows":{"from":{"remembered":"x"},"step":"6 hours","lookback":"0 days","format":"Y-m-d"}},
			{"endpoint":"e","windows":{"from":{"window":"start"},"step":"1 weekday","to":true}},
			{"endpoint":"f","windows":"1 day"},
			{"endpoint":"g","windows":{"from":"2024-13-45","step":"1 day"}},
			{"endpoint":"h","windows":{"from":{"remembered":"x"},"to":{"function":"strtotime","args":["gibberish"]},"step":"1 day"}},
			{"endpoint":"i","windows":{"from":"{{since}}","step":"1 day"}},
			{"endpoint":"one","windows":{"from":{"remembered":"x"},"lookback":"1 day"}},
			{"endpoint":"wrong","windows":{"from":"2024-13-45","to":{"remembered":"x"}}},
			{"endpoint":"j","windows":{"from":{"remembered":"x","default":"2024-01-99"},"step":"1 day"},"children":[
				{"endpoint":"k/{id}","placeholders":{"id":"id"},"windows":{"from":{"window":"start"},"to":{"parentItem":"2:x"},"step":"1 sec","format":"YYYY"}}]}]`},
			`/parameters/config/jobs/0/params/f/window: expected "windows" in this job or in one above it, found "start"; add "windows" to the job; if the object is data, write {"literal": {…}}`,
			`/parameters/config/jobs/1/windows/step: expected a span of time in words, above zero, found "tomorrow"; such as 7 days, 1 month, 6 hours, 1 year`,
			`/parameters/config/jobs/1/windows/format: expected a format of the function date, found "%Y-%m-%d"; write the letters without %: Y-m-d H:i:s`,
			`/parameters/config/jobs/1/windows/timezone: expected the name of a time zone such as Europe/Prague, found "Prague"`,
			`/parameters/config/jobs/1/windows/end: expected one of "exclusive", "inclusive", found "incl"`,
			`/parameters/config/jobs/2/windows: expected the key "from"`,
			`/parameters/config/jobs/2/windows/step: expected a span of time in words, above zero, found "-7 days"; such as 7 days, 1 month, 6 hours, 1 year`,
			`/parameters/config/jobs/2/windows/format: expected a format of the function date, found "H:i"; it writes no part of a date: Y-m-d is 2024-01-31`,
			`/parameters/config/jobs/3/windows/step: expected a step of a day or more, because "format" writes no time, found "6 hours"; add the time to the format: Y-m-d H:i:s`,
			`/parameters/config/jobs/3/windows/lookback: expected a span of time in words, above zero, found "0 days"; such as 7 days, 1 month, 6 hours, 1 year`,
			`/parameters/config/jobs/4/windows/from/window: expected "windows" in this job or in one above it, found "start"; what decides about the windows of a job cannot refer to them`,
			`/parameters/config/jobs/4/windows/step: expected a span of time in words, above zero, found "1 weekday"; such as 7 days, 1 month, 6 hours, 1 year`,
			`/parameters/config/jobs/4/windows/to: expected a time or an expression, found true`,
			`/parameters/config/jobs/5/windows: expected an object, found "1 day"`,
			`/parameters/config/jobs/6/windows/from: expected a time: a number of seconds since 1970, or a text that strtotime understands, found "2024-13-45"; such as 2024-01-31, 2024-01-31 10:00, yesterday, -7 days`,
			`/parameters/config/jobs/7/windows/from: expected a time, and there is no value, found an object; give it a "default", which also is for the first run`,
			`/parameters/config/jobs/7/windows/to: expected a time: a number of seconds since 1970, or a text that strtotime understands, found an object; the function strtotime gives false for a text that it does not understand`,
			`/parameters/config/jobs/8/windows/from: expected a time: a number of seconds since 1970, or a text that strtotime understands, found "{{since}}"; such as 2024-01-31, 2024-01-31 10:00, yesterday, -7 days`,
			`/parameters/config/jobs/10/windows/from: expected a time: a number of seconds since 1970, or a text that strtotime understands, found "2024-13-45"; such as 2024-01-31, 2024-01-31 10:00, yesterday, -7 days`,
			`/parameters/config/jobs/10/windows/to: expected a time, and there is no value, found an object; give it a "default", which also is for the first run`,
			`/parameters/config/jobs/11/windows/from: expected a time: a number of seconds since 1970, or a text that strtotime understands, found an object; such as 2024-01-31, 2024-01-31 10:00, yesterday, -7 days`,
			`/parameters/config/jobs/11/children/0/windows/to/parentItem: expected a level between 1 (the parent) and 1 in front of the path, found "2:x"; there is 1 job above this one`,
			`/parameters/config/jobs/11/children/0/windows/format: expected a format of the function date, found "YYYY"; each letter means a whole part of the time: Y-m-d H:i:s is 2024-01-31 23:59:00`),
		broken("limits of jobs", given{jobs: `[{"endpoint":"a","rateLimit":{"requests":0,"perSeconds":0}},{"endpoint":"b","rateLimit":5},{"endpoint":"c","rateLimit":{"requests":1}}]`},
			`/parameters/config/jobs/0/rateLimit/requests: expected a number of requests, at least 1, found 0`,
			`/parameters/config/jobs/0/rateLimit/perSeconds: expected a number of seconds above 0, found 0`,
			`/parameters/config/jobs/1/rateLimit: expected an object, found 5; write an object with the keys "requests", "perSeconds"`,
			`/parameters/config/jobs/2/rateLimit: expected the key "perSeconds"`),
		broken("jobs missing", given{jobs: `null`}, `/parameters/config: expected the key "jobs"`),
		broken("jobs empty", given{jobs: `[]`}, `/parameters/config/jobs: expected a list with at least one job, found an empty list`),
		broken("jobs empty object", given{jobs: `{}`}, `/parameters/config/jobs: expected a list with at least one job, found an empty object`),
		broken("jobs string", given{jobs: `"users"`}, `/parameters/config/jobs: expected a list with at least one job, found "users"`),
		broken("job string", given{jobs: `["users",null]`},
			`/parameters/config/jobs/0: expected an object, found "users"`,
			`/parameters/config/jobs/1: expected an object, found null`),
		broken("bucket with the name of temporary files", given{config: `"outputBucket":".extractor-a",`},
			`/parameters/config/outputBucket: expected a name that does not begin with .extractor-, found ".extractor-a"; temporary files of a run begin with it, and the next run would remove the tables`),
		broken("bucket of an iteration with the name of temporary files", given{config: `"outputBucket":"b",`, parameters: `"iterations":[{},{"outputBucket":".extractor-"}],`},
			`/parameters/iterations/1/outputBucket: expected a name that does not begin with .extractor-, found ".extractor-"; temporary files of a run begin with it, and the next run would remove the tables`),
		broken("bucket with a slash", given{config: `"outputBucket":"a/../b",`}, `/parameters/config/outputBucket: expected a string without a slash, found "a/../b"`),
		broken("endpoint missing", given{jobs: `[{"endpont":"users"}]`}, `/parameters/config/jobs/0: expected the key "endpoint"; is "endpont" meant to be it?`),
		broken("endpoint empty", given{jobs: `[{"endpoint":""},{"endpoint":5},{"endpoint":{"path":"x"}}]`},
			`/parameters/config/jobs/0/endpoint: expected a path or an expression, found an empty string`,
			`/parameters/config/jobs/1/endpoint: expected a path or an expression, found 5`,
			`/parameters/config/jobs/2/endpoint: expected a path or an expression, found an object`),
		broken("job method", given{job: `"method":"GTE",`},
			`/parameters/config/jobs/0/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "GTE"; did you mean "GET"?`),
		broken("job params scalar", given{job: `"params":"a=1",`}, `/parameters/config/jobs/0/params: expected an object of parameters, found a string`),
		broken("job params expression", given{job: `"params":{"a":{"function":"concat","args":[{"attr":"nope"}]}},`},
			`/parameters/config/jobs/0/params/a/args/0/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`),
		broken("job headers", given{job: `"headers":{"A":{"b":{"c":1}},"B":[],"C:":"x"},`},
			`/parameters/config/jobs/0/headers/A: expected a list of texts, one for each line of the header, found an object`,
			`/parameters/config/jobs/0/headers/B: expected the text of a header, or a list of texts, found an empty list`,
			`/parameters/config/jobs/0/headers/C:: expected the name of a header: letters, digits and -, found "C:"`),
		broken("job texts", given{job: `"id":["a"],"dataType":{"a":1},"scroller":[1],"recursionFilter":{"a":1},"responseFilterDelimiter":[1],`},
			`/parameters/config/jobs/0/id: expected a string, found a list of 1`,
			`/parameters/config/jobs/0/dataType: expected a name or an expression, found an object`,
			`/parameters/config/jobs/0/scroller: expected a string, found a list of 1`,
			`/parameters/config/jobs/0/recursionFilter: expected a string, found an object`,
			`/parameters/config/jobs/0/responseFilterDelimiter: expected a string, found a list of 1`),
		broken("dataField list", given{job: `"dataField":["a"],`},
			`/parameters/config/jobs/0/dataField: expected a path or an object with "path", found a list of 1; write "a"`),
		broken("dataField without path", given{job: `"dataField":{"delimiter":"/"},`}, `/parameters/config/jobs/0/dataField: expected the key "path"`),
		broken("responseFilter", given{job: `"responseFilter":{"a":1},`}, `/parameters/config/jobs/0/responseFilter: expected a path or a list of paths, found an object`),
		broken("responseFilter item", given{job: `"responseFilter":["a",["b"]],`}, `/parameters/config/jobs/0/responseFilter/1: expected a string, found a list of 1`),
		broken("children string", given{job: `"children":"a",`}, `/parameters/config/jobs/0/children: expected a list of jobs, found "a"`),
		broken("children items", given{job: `"children":[5,{"endpoint":"a/{id}","placeholders":{"id":"id"},"children":[{"method":"PUSH"}]}],`},
			`/parameters/config/jobs/0/children/0: expected an object, found 5`,
			`/parameters/config/jobs/0/children/1/children/0: expected the key "endpoint"`,
			`/parameters/config/jobs/0/children/1/children/0/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "PUSH"`),
		broken("placeholders", given{job: `"children":[{"endpoint":"a","placeholders":{"a":{"function":"urlencode"},"b":["x"],"c":{"path":"x","function":5}}}],`},
			`/parameters/config/jobs/0/children/0/placeholders/a: expected the key "path"`,
			`/parameters/config/jobs/0/children/0/placeholders/b: expected a path or an object with "path" and "function", found a list of 1; write "x"`,
			`/parameters/config/jobs/0/children/0/placeholders/c/function: expected the name of a function, found 5`),
		broken("placeholders string", given{job: `"children":[{"endpoint":"a","placeholders":"id"}],`},
			`/parameters/config/jobs/0/children/0/placeholders: expected an object, found "id"`),
		broken("mappings", given{config: `"mappings":{"a":{},"b":[],"c":5,"d":{"x":{"type":"colum"},"y":[1],"z":{"type":"table","tableMapping":"t","parentKey":"p"}}},`},
			`/parameters/config/mappings/a: expected a mapping with at least one path, found an empty object`,
			`/parameters/config/mappings/b: expected a mapping with at least one path, found an empty list`,
			`/parameters/config/mappings/c: expected a mapping with at least one path, found 5`,
			`/parameters/config/mappings/d/x/type: expected one of "column", "user", "table", found "colum"; did you mean "column"?`,
			`/parameters/config/mappings/d/y: expected the name of a column or a mapping setting, found a list of 1`,
			`/parameters/config/mappings/d/z/tableMapping: expected a mapping with at least one path, found "t"`,
			`/parameters/config/mappings/d/z/parentKey: expected an object, found "p"; write an object with the keys "destination", "primaryKey", "disable"`),
		broken("compatLevel 1", given{config: `"compatLevel":1,`},
			`/parameters/config/compatLevel: expected 2 or 3, because the first table parser (1) is not supported, found 1; remove the key, or set 2 to keep the older form of responseFilter; columns may get other names`),
		broken("onIncomplete word", given{config: `"onIncomplete":"error",`}, `/parameters/config/onIncomplete: expected one of "warn", "hold", "fail", found "error"`),
		broken("compatLevel word", given{config: `"compatLevel":"old",`}, `/parameters/config/compatLevel: expected an integer, found "old"`),
		broken("outputBucket list", given{config: `"outputBucket":["a"],"debug":{"a":1},"incrementalOutput":[false],`},
			`/parameters/config/outputBucket: expected a string without a slash, found a list of 1`,
			`/parameters/config/debug: expected true or false, found an object`,
			`/parameters/config/incrementalOutput: expected true or false, found a list of 1`),
		broken("encrypted values", given{config: `"#token":"KBC::ProjectSecure::abc","db":{"#password":"KBC::x"},`, top: `"authorization":{"oauth_api":{"credentials":{"#data":"KBC::y"}}},`},
			`/authorization/oauth_api/credentials/#data: expected the decrypted value, found a value that is still encrypted; write the secret itself for a run outside the platform`,
			`/parameters/config/#token: expected the decrypted value, found a value that is still encrypted; write the secret itself for a run outside the platform`,
			`/parameters/config/db/#password: expected the decrypted value, found a value that is still encrypted; write the secret itself for a run outside the platform`),
		broken("iterations object", given{parameters: `"iterations":{"a":1},`}, `/parameters/iterations: expected a list, found an object`),
		broken("iteration items", given{parameters: `"iterations":["a",{"jobs":null},{"jobs":""},{"jobs":[]},{"compatLevel":1},{"jobs":[{"endpoint":"x","method":"Y"}]},{"http":{"headers":{"A":{"attr":"nope"}}}}],`},
			`/parameters/iterations/0: expected an object, found "a"`,
			`/parameters/iterations/1/jobs: expected a list with at least one job`,
			`/parameters/iterations/2/jobs: expected a list with at least one job, found an empty string`,
			`/parameters/iterations/3/jobs: expected a list with at least one job, found an empty list`,
			`/parameters/iterations/4/compatLevel: expected 2 or 3, because the first table parser (1) is not supported, found 1; remove the key, or set 2 to keep the older form of responseFilter; columns may get other names`,
			`/parameters/iterations/5/jobs/0/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "Y"`,
			`/parameters/iterations/6/http/headers/A/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`),
		broken("iterations without wrapper", given{bare: true, parameters: `"iterations":[{"jobs":[{}]}],`, job: `"params":1,`},
			`/iterations/0/jobs/0: expected the key "endpoint"`,
			`/config/jobs/0/params: expected an object of parameters, found a number`),
		broken("same fault in all iterations is reported once", given{parameters: `"iterations":[{},{}],`, job: `"params":{"a":{"attr":"nope"}},`},
			`/parameters/config/jobs/0/params/a/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`),
	}
}

func brokenEnvelopes() []brokenDocument {
	return []brokenDocument{
		broken("allowed hosts", given{top: `"image_parameters":{"allowed_hosts":["h.test",{"scheme":"https","port":"x"}]},`},
			`/image_parameters/allowed_hosts/0: expected an object, found "h.test"; write an object with the keys "host", "scheme", "port", "endpoint"`,
			`/image_parameters/allowed_hosts/1: expected the key "host"`,
			`/image_parameters/allowed_hosts/1/port: expected an integer, found "x"`),
		broken("misspelt guards", given{top: `"image_parameters":{"allowedHosts":[],"__note":"x","allowed_hosts":[{"host":"h.test","path":"/v1","ports":1,"Scheme":"https","x":1,"__note":"x"}]},`},
			`/image_parameters/allowedHosts: unknown key, so nothing is restricted by it; did you mean "allowed_hosts"?`,
			`/image_parameters/allowed_hosts/0/path: unknown key, so nothing is restricted by it; the key for that is "endpoint"`,
			`/image_parameters/allowed_hosts/0/ports: unknown key, so nothing is restricted by it; did you mean "port"?`,
			`/image_parameters/allowed_hosts/0/Scheme: unknown key, so nothing is restricted by it; did you mean "scheme"?`,
			`/image_parameters/allowed_hosts/0/x: unknown key, so nothing is restricted by it; the known keys are "host", "scheme", "port", "endpoint"`),
		broken("empty guards", given{top: `"image_parameters":{"allowed_hosts":[{"host":"h.test","scheme":"","port":""},{"host":"h.test","scheme":[],"port":0},{"host":"h.test","port":"0"},{"host":""},{"host":"h.test","scheme":null,"port":null,"endpoint":""}]},`},
			`/image_parameters/allowed_hosts/0/scheme: expected a value, because an empty one restricts nothing, found an empty string; write a scheme, or leave the key out to allow every scheme`,
			`/image_parameters/allowed_hosts/0/port: expected a value, because an empty one restricts nothing, found an empty string; write a port, or leave the key out to allow every port`,
			`/image_parameters/allowed_hosts/1/scheme: expected a value, because an empty one restricts nothing, found an empty list; write a scheme, or leave the key out to allow every scheme`,
			`/image_parameters/allowed_hosts/1/port: expected a value, because an empty one restricts nothing, found 0; write a port, or leave the key out to allow every port`,
			`/image_parameters/allowed_hosts/2/port: expected a value, because an empty one restricts nothing, found "0"; write a port, or leave the key out to allow every port`,
			`/image_parameters/allowed_hosts/3: expected the key "host"`),
		broken("guards in another place", given{top: `"imageParameters":{},"allowed_hosts":[],`, parameters: `"image_parameters":{},"allowedHosts":[],`},
			`/imageParameters: unknown key, so nothing is restricted by it; write "image_parameters", at the top of the document`,
			`/allowed_hosts: unknown key, so nothing is restricted by it; write "allowed_hosts" in the section "image_parameters", at the top of the document`,
			`/parameters/image_parameters: unknown key, so nothing is restricted by it; write "image_parameters", at the top of the document`,
			`/parameters/allowedHosts: unknown key, so nothing is restricted by it; write "allowed_hosts" in the section "image_parameters", at the top of the document`),
		broken("action", given{top: `"action":"testrequest",`},
			`/action: expected one of "run", "testRequest", "testConnection", "test_request", "validate", found "testrequest"; did you mean "testRequest"?`),
		broken("sshProxy", given{parameters: `"sshProxy":{"host":"h","port":"ssh"},`},
			`/parameters/sshProxy: expected the key "user"`,
			`/parameters/sshProxy: expected the key "#privateKey"`,
			`/parameters/sshProxy/port: expected an integer, found a string`),
		broken("sshProxy empty", given{parameters: `"sshProxy":[],`},
			`/parameters/sshProxy: expected the key "host"`,
			`/parameters/sshProxy: expected the key "port"`,
			`/parameters/sshProxy: expected the key "user"`,
			`/parameters/sshProxy: expected the key "#privateKey"`),
		broken("aws", given{parameters: `"aws":{"signature":{"credentials":{"accessKeyId":"","#secretKey":["x"],"serviceName":"s3"}}},`},
			`/parameters/aws/signature/credentials: expected the key "accessKeyId"`,
			`/parameters/aws/signature/credentials: expected the key "regionName"`,
			`/parameters/aws/signature/credentials/#secretKey: expected a string, found a list of 1`),
		broken("cache", given{parameters: `"cache":{"ttl":"week"},`}, `/parameters/cache/ttl: expected an integer, found "week"`),
		broken("authorization", given{top: `"authorization":{"oauth_api":{"credentials":{"#data":{"a":1},"appKey":["x"]}}},`},
			`/authorization/oauth_api/credentials/#data: expected a string, found an object`,
			`/authorization/oauth_api/credentials/appKey: expected a string, found a list of 1`),
		broken("parameters string", given{raw: `{"parameters":"x"}`}, `/parameters: expected an object, found "x"`),
		broken("empty document", given{raw: `{}`}, `the document: expected the key "parameters" with the sections "api" and "config"`),
		broken("empty wrapper", given{raw: `{"parameters":[],"image_parameters":[],"authorization":[],"action":"run"}`},
			`the document: expected the key "parameters" with the sections "api" and "config"`),
		broken("only api", given{raw: `{"api":{"baseUrl":"https://h.test"}}`}, `the document: expected the key "config"`),
		broken("only config, and a misspelt api", given{raw: `{"apo":{"baseUrl":"https://h.test"},"config":{"jobs":[{"endpoint":"x"}]}}`},
			`the document: expected the key "api"; is "apo" meant to be it?`),
		broken("empty sections in the wrapper", given{raw: `{"parameters":{"api":{},"config":""}}`},
			`/parameters: expected the key "config"`,
			`/parameters/api: expected the key "baseUrl"`),
		broken("empty sections without the wrapper", given{raw: `{"api":[],"config":{}}`},
			`the document: expected the key "api"`,
			`the document: expected the key "config"`),
		broken("misspelt sections", given{raw: `{"parameters":{"API":{},"confg":{}}}`},
			`/parameters: expected the key "api"; is "API" meant to be it?`,
			`/parameters: expected the key "config"; is "confg" meant to be it?`),
		broken("slash and tilde in a key", given{config: `"userData":{"a/b~c":{"attr":"nope"}},`, job: `"params":{"a/b~c":{"attr":"nope"}},`},
			`/parameters/config/jobs/0/params/a~1b~0c/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`),
	}
}

// TestNoSecretInProblems puts a secret where it causes a problem.
func TestNoSecretInProblems(t *testing.T) {
	const secret = "s3cretValue"
	rows := []given{
		{config: `"#token":"KBC::` + secret + `",`},
		{api: `"#clientCertificate":["` + secret + `"],"caCertificate":{"a":"` + secret + `"},`},
		{top: `"authorization":"` + secret + `",`},
		{top: `"authorization":{"oauth_api":{"credentials":{"#data":["` + secret + `"]}}},`},
		{top: `"authorization":{"oauth_api":"` + secret + `"},`},
		{parameters: `"sshProxy":"` + secret + `",`},
		{parameters: `"sshProxy":{"host":"h","port":1,"user":"u","#privateKey":{"a":"` + secret + `"}},`},
		{parameters: `"aws":{"signature":{"credentials":"` + secret + `"}},`},
		{api: `"http":{"headers":"` + secret + `"},`},
		{api: `"http":{"headers":{"A":"` + secret + `\n"}},`},
		{api: `"http":{"headers":{"A":{"attr":"#t"}}},`, config: `"#t":"` + secret + `\n",`},
		{api: `"authentication":{"loginRequest":{"params":"` + secret + `","headers":"` + secret + `"}},`},
		{api: `"authentication":{"query":"` + secret + `"},"query":"` + secret + `",`},
		{job: `"params":"` + secret + `","headers":"` + secret + `",`},
		{baseURL: `"https://ann:` + secret + `@h.test/{x}"`},
		{baseURL: `"https://h.test/{x}?token=` + secret + `"`},
		{baseURL: `{"attr":"#url"}`, config: `"#url":"` + secret + `",`},
		{config: `"password":["` + secret + `"],"#password":{"a":"` + secret + `"},`},
	}
	for _, in := range rows {
		text := in.document()
		_, problems, warnings := compiled(t, text, false)
		if len(problems) == 0 {
			t.Errorf("no problem in %s", text)
		}
		for _, line := range append(problems, warnings...) {
			if strings.Contains(line, secret) {
				t.Errorf("%s\n  shows the secret of %s", line, text)
			}
		}
	}
}
