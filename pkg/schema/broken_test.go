package schema_test

import (
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
	for _, rows := range [][]brokenDocument{brokenAPIs(), brokenConfigs(), brokenEnvelopes()} {
		for _, row := range rows {
			t.Run(row.name, func(t *testing.T) {
				_, problems, _ := compiled(t, row.in.document(), false)
				sameLines(t, "problems", problems, row.want)
			})
		}
	}
}

func brokenConfigs() []brokenDocument {
	return []brokenDocument{
		{"config list", given{raw: `{"parameters":{"api":{"baseUrl":"https://h.test"},"config":["x"]}}`}, []string{
			`/parameters/config: expected an object, found a list of 1; write an object, {"name": value}, instead of the list`,
		}},
		{"if", given{jobs: `[
			{"endpoint":"a","if":"status==paid"},
			{"endpoint":"b","if":[1]},
			{"endpoint":"c","if":{"status":"paid"}},
			{"endpoint":"d","if":{"parentItem":"x"}},
			{"endpoint":"e","if":{"window":"end"},"windows":{"from":"2024-01-01","step":"1 day"}},
			{"endpoint":"f","if":{"function":"iff","args":[]}},
			{"endpoint":"g","if":{"attr":"nope"}},
			{"endpoint":"h","if":"false"},{"endpoint":"h","if":"1"},{"endpoint":"i","if":""},{"endpoint":"j","if":null},{"endpoint":"k","if":0},
			{"endpoint":"l","children":[{"endpoint":"m","if":{"parentItem":"x"}},{"endpoint":"n","if":true}]}]`}, []string{
			`/parameters/config/jobs/0/if: expected true, false or an expression, because a text is always true, found "status==paid"; a condition on the parent's item, such as "type==company", is "recursionFilter"`,
			`/parameters/config/jobs/1/if: expected true, false or an expression, found a list of 1`,
			`/parameters/config/jobs/2/if: expected true, false or an expression, found an object; such as {"attr": "name"} or {"parentItem": "path"}`,
			`/parameters/config/jobs/3/if/parentItem: expected a path in the item of a job above this one, found "x"; a root job has no parent; if the object is data, write {"literal": {…}}`,
			`/parameters/config/jobs/4/if/window: expected "windows" in this job or in one above it, found "end"; what decides about the windows of a job cannot refer to them`,
			`/parameters/config/jobs/5/if/function: expected the name of a function, found "iff"; did you mean "if"?`,
			`/parameters/config/jobs/6/if/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
			`/parameters/config/jobs/7/if: expected true, false or an expression, because a text is always true, found "false"; leave out the quotes; a variable, which is a text, has to be 1 or 0`,
		}},
		{"windows", given{jobs: `[
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
				{"endpoint":"k/{id}","placeholders":{"id":"id"},"windows":{"from":{"window":"start"},"to":{"parentItem":"2:x"},"step":"1 sec","format":"YYYY"}}]}]`}, []string{
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
			`/parameters/config/jobs/11/children/0/windows/format: expected a format of the function date, found "YYYY"; each letter means a whole part of the time: Y-m-d H:i:s is 2024-01-31 23:59:00`,
		}},
		{"limits of jobs", given{jobs: `[{"endpoint":"a","rateLimit":{"requests":0,"perSeconds":0}},{"endpoint":"b","rateLimit":5},{"endpoint":"c","rateLimit":{"requests":1}}]`}, []string{
			`/parameters/config/jobs/0/rateLimit/requests: expected a number of requests, at least 1, found 0`,
			`/parameters/config/jobs/0/rateLimit/perSeconds: expected a number of seconds above 0, found 0`,
			`/parameters/config/jobs/1/rateLimit: expected an object, found 5; write an object with the keys "requests", "perSeconds"`,
			`/parameters/config/jobs/2/rateLimit: expected the key "perSeconds"`,
		}},
		{"jobs missing", given{jobs: `null`}, []string{
			`/parameters/config: expected the key "jobs"`,
		}},
		{"jobs empty", given{jobs: `[]`}, []string{
			`/parameters/config/jobs: expected a list with at least one job, found an empty list`,
		}},
		{"jobs empty object", given{jobs: `{}`}, []string{
			`/parameters/config/jobs: expected a list with at least one job, found an empty object`,
		}},
		{"jobs string", given{jobs: `"users"`}, []string{
			`/parameters/config/jobs: expected a list with at least one job, found "users"`,
		}},
		{"job string", given{jobs: `["users",null]`}, []string{
			`/parameters/config/jobs/0: expected an object, found "users"`,
			`/parameters/config/jobs/1: expected an object, found null`,
		}},
		{"bucket with the name of temporary files", given{config: `"outputBucket":".extractor-a",`}, []string{
			`/parameters/config/outputBucket: expected a name that does not begin with .extractor-, found ".extractor-a"; temporary files of a run begin with it, and the next run would remove the tables`,
		}},
		{"bucket of an iteration with the name of temporary files", given{config: `"outputBucket":"b",`, parameters: `"iterations":[{},{"outputBucket":".extractor-"}],`}, []string{
			`/parameters/iterations/1/outputBucket: expected a name that does not begin with .extractor-, found ".extractor-"; temporary files of a run begin with it, and the next run would remove the tables`,
		}},
		{"bucket with a slash", given{config: `"outputBucket":"a/../b",`}, []string{
			`/parameters/config/outputBucket: expected a string without a slash, found "a/../b"`,
		}},
		{"endpoint missing", given{jobs: `[{"endpont":"users"}]`}, []string{
			`/parameters/config/jobs/0: expected the key "endpoint"; is "endpont" meant to be it?`,
		}},
		{"endpoint empty", given{jobs: `[{"endpoint":""},{"endpoint":5},{"endpoint":{"path":"x"}}]`}, []string{
			`/parameters/config/jobs/0/endpoint: expected a path or an expression, found an empty string`,
			`/parameters/config/jobs/1/endpoint: expected a path or an expression, found 5`,
			`/parameters/config/jobs/2/endpoint: expected a path or an expression, found an object`,
		}},
		{"job method", given{job: `"method":"GTE",`}, []string{
			`/parameters/config/jobs/0/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "GTE"; did you mean "GET"?`,
		}},
		{"job params scalar", given{job: `"params":"a=1",`}, []string{
			`/parameters/config/jobs/0/params: expected an object of parameters, found a string`,
		}},
		{"job params expression", given{job: `"params":{"a":{"function":"concat","args":[{"attr":"nope"}]}},`}, []string{
			`/parameters/config/jobs/0/params/a/args/0/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
		}},
		{"job headers", given{job: `"headers":{"A":{"b":{"c":1}},"B":[],"C:":"x"},`}, []string{
			`/parameters/config/jobs/0/headers/A: expected a list of texts, one for each line of the header, found an object`,
			`/parameters/config/jobs/0/headers/B: expected the text of a header, or a list of texts, found an empty list`,
			`/parameters/config/jobs/0/headers/C:: expected the name of a header: letters, digits and -, found "C:"`,
		}},
		{"job texts", given{job: `"id":["a"],"dataType":{"a":1},"scroller":[1],"recursionFilter":{"a":1},"responseFilterDelimiter":[1],`}, []string{
			`/parameters/config/jobs/0/id: expected a string, found a list of 1`,
			`/parameters/config/jobs/0/dataType: expected a string, found an object`,
			`/parameters/config/jobs/0/scroller: expected a string, found a list of 1`,
			`/parameters/config/jobs/0/recursionFilter: expected a string, found an object`,
			`/parameters/config/jobs/0/responseFilterDelimiter: expected a string, found a list of 1`,
		}},
		{"dataField list", given{job: `"dataField":["a"],`}, []string{
			`/parameters/config/jobs/0/dataField: expected a path or an object with "path", found a list of 1; write "a"`,
		}},
		{"dataField without path", given{job: `"dataField":{"delimiter":"/"},`}, []string{
			`/parameters/config/jobs/0/dataField: expected the key "path"`,
		}},
		{"responseFilter", given{job: `"responseFilter":{"a":1},`}, []string{
			`/parameters/config/jobs/0/responseFilter: expected a path or a list of paths, found an object`,
		}},
		{"responseFilter item", given{job: `"responseFilter":["a",["b"]],`}, []string{
			`/parameters/config/jobs/0/responseFilter/1: expected a string, found a list of 1`,
		}},
		{"children string", given{job: `"children":"a",`}, []string{
			`/parameters/config/jobs/0/children: expected a list of jobs, found "a"`,
		}},
		{"children items", given{job: `"children":[5,{"endpoint":"a/{id}","placeholders":{"id":"id"},"children":[{"method":"PUSH"}]}],`}, []string{
			`/parameters/config/jobs/0/children/0: expected an object, found 5`,
			`/parameters/config/jobs/0/children/1/children/0: expected the key "endpoint"`,
			`/parameters/config/jobs/0/children/1/children/0/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "PUSH"`,
		}},
		{"placeholders", given{job: `"children":[{"endpoint":"a","placeholders":{"a":{"function":"urlencode"},"b":["x"],"c":{"path":"x","function":5}}}],`}, []string{
			`/parameters/config/jobs/0/children/0/placeholders/a: expected the key "path"`,
			`/parameters/config/jobs/0/children/0/placeholders/b: expected a path or an object with "path" and "function", found a list of 1; write "x"`,
			`/parameters/config/jobs/0/children/0/placeholders/c/function: expected the name of a function, found 5`,
		}},
		{"placeholders string", given{job: `"children":[{"endpoint":"a","placeholders":"id"}],`}, []string{
			`/parameters/config/jobs/0/children/0/placeholders: expected an object, found "id"`,
		}},
		{"mappings", given{config: `"mappings":{"a":{},"b":[],"c":5,"d":{"x":{"type":"colum"},"y":[1],"z":{"type":"table","tableMapping":"t","parentKey":"p"}}},`}, []string{
			`/parameters/config/mappings/a: expected a mapping with at least one path, found an empty object`,
			`/parameters/config/mappings/b: expected a mapping with at least one path, found an empty list`,
			`/parameters/config/mappings/c: expected a mapping with at least one path, found 5`,
			`/parameters/config/mappings/d/x/type: expected one of "column", "user", "table", found "colum"; did you mean "column"?`,
			`/parameters/config/mappings/d/y: expected the name of a column or a mapping setting, found a list of 1`,
			`/parameters/config/mappings/d/z/tableMapping: expected a mapping with at least one path, found "t"`,
			`/parameters/config/mappings/d/z/parentKey: expected an object, found "p"; write an object with the keys "destination", "primaryKey", "disable"`,
		}},
		{"compatLevel 1", given{config: `"compatLevel":1,`}, []string{
			`/parameters/config/compatLevel: expected 2 or 3, because the first table parser (1) is not supported, found 1; remove the key, or set 2 to keep the older form of responseFilter; columns may get other names`,
		}},
		{"onIncomplete word", given{config: `"onIncomplete":"error",`}, []string{
			`/parameters/config/onIncomplete: expected one of "warn", "hold", "fail", found "error"`,
		}},
		{"compatLevel word", given{config: `"compatLevel":"old",`}, []string{
			`/parameters/config/compatLevel: expected an integer, found "old"`,
		}},
		{"outputBucket list", given{config: `"outputBucket":["a"],"debug":{"a":1},"incrementalOutput":[false],`}, []string{
			`/parameters/config/outputBucket: expected a string without a slash, found a list of 1`,
			`/parameters/config/debug: expected true or false, found an object`,
			`/parameters/config/incrementalOutput: expected true or false, found a list of 1`,
		}},
		{"encrypted values", given{config: `"#token":"KBC::ProjectSecure::abc","db":{"#password":"KBC::x"},`, top: `"authorization":{"oauth_api":{"credentials":{"#data":"KBC::y"}}},`}, []string{
			`/authorization/oauth_api/credentials/#data: expected the decrypted value, found a value that is still encrypted; write the secret itself for a run outside the platform`,
			`/parameters/config/#token: expected the decrypted value, found a value that is still encrypted; write the secret itself for a run outside the platform`,
			`/parameters/config/db/#password: expected the decrypted value, found a value that is still encrypted; write the secret itself for a run outside the platform`,
		}},
		{"iterations object", given{parameters: `"iterations":{"a":1},`}, []string{
			`/parameters/iterations: expected a list, found an object`,
		}},
		{"iteration items", given{parameters: `"iterations":["a",{"jobs":null},{"jobs":""},{"jobs":[]},{"compatLevel":1},{"jobs":[{"endpoint":"x","method":"Y"}]},{"http":{"headers":{"A":{"attr":"nope"}}}}],`}, []string{
			`/parameters/iterations/0: expected an object, found "a"`,
			`/parameters/iterations/1/jobs: expected a list with at least one job`,
			`/parameters/iterations/2/jobs: expected a list with at least one job, found an empty string`,
			`/parameters/iterations/3/jobs: expected a list with at least one job, found an empty list`,
			`/parameters/iterations/4/compatLevel: expected 2 or 3, because the first table parser (1) is not supported, found 1; remove the key, or set 2 to keep the older form of responseFilter; columns may get other names`,
			`/parameters/iterations/5/jobs/0/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "Y"`,
			`/parameters/iterations/6/http/headers/A/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
		}},
		{"iterations without wrapper", given{bare: true, parameters: `"iterations":[{"jobs":[{}]}],`, job: `"params":1,`}, []string{
			`/iterations/0/jobs/0: expected the key "endpoint"`,
			`/config/jobs/0/params: expected an object of parameters, found a number`,
		}},
		{"same fault in all iterations is reported once", given{parameters: `"iterations":[{},{}],`, job: `"params":{"a":{"attr":"nope"}},`}, []string{
			`/parameters/config/jobs/0/params/a/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
		}},
	}
}

func brokenEnvelopes() []brokenDocument {
	return []brokenDocument{
		{"allowed hosts", given{top: `"image_parameters":{"allowed_hosts":["h.test",{"scheme":"https","port":"x"}]},`}, []string{
			`/image_parameters/allowed_hosts/0: expected an object, found "h.test"; write an object with the keys "host", "scheme", "port", "endpoint"`,
			`/image_parameters/allowed_hosts/1: expected the key "host"`,
			`/image_parameters/allowed_hosts/1/port: expected an integer, found "x"`,
		}},
		{"misspelt guards", given{top: `"image_parameters":{"allowedHosts":[],"__note":"x","allowed_hosts":[{"host":"h.test","path":"/v1","ports":1,"Scheme":"https","x":1,"__note":"x"}]},`}, []string{
			`/image_parameters/allowedHosts: unknown key, so nothing is restricted by it; did you mean "allowed_hosts"?`,
			`/image_parameters/allowed_hosts/0/path: unknown key, so nothing is restricted by it; the key for that is "endpoint"`,
			`/image_parameters/allowed_hosts/0/ports: unknown key, so nothing is restricted by it; did you mean "port"?`,
			`/image_parameters/allowed_hosts/0/Scheme: unknown key, so nothing is restricted by it; did you mean "scheme"?`,
			`/image_parameters/allowed_hosts/0/x: unknown key, so nothing is restricted by it; the known keys are "host", "scheme", "port", "endpoint"`,
		}},
		{"empty guards", given{top: `"image_parameters":{"allowed_hosts":[{"host":"h.test","scheme":"","port":""},{"host":"h.test","scheme":[],"port":0},{"host":"h.test","port":"0"},{"host":""},{"host":"h.test","scheme":null,"port":null,"endpoint":""}]},`}, []string{
			`/image_parameters/allowed_hosts/0/scheme: expected a value, because an empty one restricts nothing, found an empty string; write a scheme, or leave the key out to allow every scheme`,
			`/image_parameters/allowed_hosts/0/port: expected a value, because an empty one restricts nothing, found an empty string; write a port, or leave the key out to allow every port`,
			`/image_parameters/allowed_hosts/1/scheme: expected a value, because an empty one restricts nothing, found an empty list; write a scheme, or leave the key out to allow every scheme`,
			`/image_parameters/allowed_hosts/1/port: expected a value, because an empty one restricts nothing, found 0; write a port, or leave the key out to allow every port`,
			`/image_parameters/allowed_hosts/2/port: expected a value, because an empty one restricts nothing, found "0"; write a port, or leave the key out to allow every port`,
			`/image_parameters/allowed_hosts/3: expected the key "host"`,
		}},
		{"guards in another place", given{top: `"imageParameters":{},"allowed_hosts":[],`, parameters: `"image_parameters":{},"allowedHosts":[],`}, []string{
			`/imageParameters: unknown key, so nothing is restricted by it; write "image_parameters", at the top of the document`,
			`/allowed_hosts: unknown key, so nothing is restricted by it; write "allowed_hosts" in the section "image_parameters", at the top of the document`,
			`/parameters/image_parameters: unknown key, so nothing is restricted by it; write "image_parameters", at the top of the document`,
			`/parameters/allowedHosts: unknown key, so nothing is restricted by it; write "allowed_hosts" in the section "image_parameters", at the top of the document`,
		}},
		{"action", given{top: `"action":"testrequest",`}, []string{
			`/action: expected one of "run", "testRequest", "testConnection", "test_request", "validate", found "testrequest"; did you mean "testRequest"?`,
		}},
		{"sshProxy", given{parameters: `"sshProxy":{"host":"h","port":"ssh"},`}, []string{
			`/parameters/sshProxy: expected the key "user"`,
			`/parameters/sshProxy: expected the key "#privateKey"`,
			`/parameters/sshProxy/port: expected an integer, found a string`,
		}},
		{"sshProxy empty", given{parameters: `"sshProxy":[],`}, []string{
			`/parameters/sshProxy: expected the key "host"`,
			`/parameters/sshProxy: expected the key "port"`,
			`/parameters/sshProxy: expected the key "user"`,
			`/parameters/sshProxy: expected the key "#privateKey"`,
		}},
		{"aws", given{parameters: `"aws":{"signature":{"credentials":{"accessKeyId":"","#secretKey":["x"],"serviceName":"s3"}}},`}, []string{
			`/parameters/aws/signature/credentials: expected the key "accessKeyId"`,
			`/parameters/aws/signature/credentials: expected the key "regionName"`,
			`/parameters/aws/signature/credentials/#secretKey: expected a string, found a list of 1`,
		}},
		{"cache", given{parameters: `"cache":{"ttl":"week"},`}, []string{
			`/parameters/cache/ttl: expected an integer, found "week"`,
		}},
		{"authorization", given{top: `"authorization":{"oauth_api":{"credentials":{"#data":{"a":1},"appKey":["x"]}}},`}, []string{
			`/authorization/oauth_api/credentials/#data: expected a string, found an object`,
			`/authorization/oauth_api/credentials/appKey: expected a string, found a list of 1`,
		}},
		{"parameters string", given{raw: `{"parameters":"x"}`}, []string{
			`/parameters: expected an object, found "x"`,
		}},
		{"empty document", given{raw: `{}`}, []string{
			`the document: expected the key "parameters" with the sections "api" and "config"`,
		}},
		{"empty wrapper", given{raw: `{"parameters":[],"image_parameters":[],"authorization":[],"action":"run"}`}, []string{
			`the document: expected the key "parameters" with the sections "api" and "config"`,
		}},
		{"only api", given{raw: `{"api":{"baseUrl":"https://h.test"}}`}, []string{
			`the document: expected the key "config"`,
		}},
		{"only config, and a misspelt api", given{raw: `{"apo":{"baseUrl":"https://h.test"},"config":{"jobs":[{"endpoint":"x"}]}}`}, []string{
			`the document: expected the key "api"; is "apo" meant to be it?`,
		}},
		{"empty sections in the wrapper", given{raw: `{"parameters":{"api":{},"config":""}}`}, []string{
			`/parameters: expected the key "config"`,
			`/parameters/api: expected the key "baseUrl"`,
		}},
		{"empty sections without the wrapper", given{raw: `{"api":[],"config":{}}`}, []string{
			`the document: expected the key "api"`,
			`the document: expected the key "config"`,
		}},
		{"misspelt sections", given{raw: `{"parameters":{"API":{},"confg":{}}}`}, []string{
			`/parameters: expected the key "api"; is "API" meant to be it?`,
			`/parameters: expected the key "config"; is "confg" meant to be it?`,
		}},
		{"slash and tilde in a key", given{config: `"userData":{"a/b~c":{"attr":"nope"}},`, job: `"params":{"a/b~c":{"attr":"nope"}},`}, []string{
			`/parameters/config/jobs/0/params/a~1b~0c/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
		}},
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
