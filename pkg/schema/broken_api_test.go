package schema_test

func brokenAPIs() []brokenDocument {
	return []brokenDocument{
		{"baseUrl missing", given{baseURL: `null`}, []string{
			`/parameters/api: expected the key "baseUrl"`,
		}},
		{"baseUrl empty", given{baseURL: `""`}, []string{
			`/parameters/api/baseUrl: expected a URL or an expression, found an empty string`,
		}},
		{"baseUrl zero", given{baseURL: `"0"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found "0"; an address begins with http:// or https://`,
		}},
		{"baseUrl an expression that fails", given{baseURL: `{"function":"hash_hmac","args":[{"attr":"algorithm"},"a","b"]}`, config: `"algorithm":"nope",`}, []string{
			`/parameters/api/baseUrl: hash_hmac: argument 1 is not the name of a hash algorithm`,
		}},
		{"baseUrl empty list", given{baseURL: `[]`}, []string{
			`/parameters/api/baseUrl: expected a URL or an expression, found an empty list`,
		}},
		{"baseUrl list", given{baseURL: `["https://h"]`}, []string{
			`/parameters/api/baseUrl: expected a URL or an expression, found a list of 1`,
		}},
		{"baseUrl number", given{baseURL: `5`}, []string{
			`/parameters/api/baseUrl: expected a URL or an expression, found 5`,
		}},
		{"baseUrl without scheme", given{baseURL: `"h.test/v1"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found "h.test/v1"; an address begins with http:// or https://`,
		}},
		{"baseUrl with another scheme", given{baseURL: `"ftp://h.test/"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found "ftp://h.test/"`,
		}},
		{"baseUrl with a blank", given{baseURL: `" https://h.test/"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found " https://h.test/"`,
		}},
		{"baseUrl with a placeholder left over", given{baseURL: `"https://{{host}}/"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found "https://{{host}}/"; it still contains a variable that has no value`,
		}},
		{"baseUrl with credentials", given{baseURL: `"https://ann:s3cret@h.test/{x}?key=abc"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found "https://[hidden]@h.test/{x}?[hidden]"`,
		}},
		{"baseUrl plain object", given{baseURL: `{"a":"https://h.test/"}`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found an object; an address begins with http:// or https://`,
		}},
		{"baseUrl refers to nothing", given{baseURL: `{"attr":"server.adress"}`, config: `"server":{"address":"https://h.test/"},`}, []string{
			`/parameters/api/baseUrl/attr: expected the path of a string, number or boolean that exists in "attr", found "server.adress"; did you mean "server.address"?`,
		}},
		{"baseUrl refers to a number", given{baseURL: `{"attr":"id"}`, config: `"id":5,`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found 5; an address begins with http:// or https://`,
		}},
		{"baseUrl as JSON inside a string", given{baseURL: `"{\"attr\":\"nope\"}"`}, []string{
			`/parameters/api/baseUrl: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
		}},
		{"baseUrl from a secret", given{baseURL: `{"attr":"#url"}`, config: `"#url":"s3cret",`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found a string; an address begins with http:// or https://`,
		}},
		{"baseUrl from a nested secret", given{baseURL: `{"function":"concat","args":["x",{"attr":"db.password"}]}`, config: `"db":{"password":"s3cret"},`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found a string; an address begins with http:// or https://`,
		}},
		{"baseUrl port", given{baseURL: `"https://h.test:70000/"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found "https://h.test:70000/"`,
		}},
		{"baseUrl ipv6", given{baseURL: `"https://[1::2::3]/"`}, []string{
			`/parameters/api/baseUrl: expected a valid http or https address, found "https://[1::2::3]/"`,
		}},
		{"api.name list", given{api: `"name":["a"],`}, []string{
			`/parameters/api/name: expected a string, found a list of 1`,
		}},
		{"http string", given{api: `"http":"x",`}, []string{
			`/parameters/api/http: expected an object, found "x"`,
		}},
		{"headers string", given{api: `"http":{"headers":"X: 1"},`}, []string{
			`/parameters/api/http/headers: expected an object, found a string`,
		}},
		{"header line break", given{api: `"http":{"headers":{"X-A":"a\nb"}},`}, []string{
			`/parameters/api/http/headers/X-A: expected the text of a header without line breaks and control characters, found a string`,
		}},
		{"header line break of an expression", given{api: `"http":{"headers":{"X-A":{"attr":"#k"}}},`, config: `"#k":"a\r\nX: 1",`}, []string{
			`/parameters/api/http/headers/X-A: expected the text of a header without line breaks and control characters, found a string`,
		}},
		{"header name", given{api: `"http":{"headers":{"X A":"a"}},`}, []string{
			`/parameters/api/http/headers/X A: expected the name of a header: letters, digits and -, found "X A"`,
		}},
		{"header empty list", given{api: `"http":{"headers":{"X-A":[]}},`}, []string{
			`/parameters/api/http/headers/X-A: expected the text of a header, or a list of texts, found an empty list`,
		}},
		{"header plain object", given{api: `"http":{"headers":{"X-A":{"a":"b"}}},`}, []string{
			`/parameters/api/http/headers/X-A: expected the text of a header, or a list of texts, found an object`,
		}},
		{"header list of lists", given{api: `"http":{"headers":{"X-A":["a",["b"]]}},`}, []string{
			`/parameters/api/http/headers/X-A: expected a list of texts, one for each line of the header, found a list of 2`,
		}},
		{"header unknown function", given{api: `"http":{"headers":{"X-A":{"function":"md6","args":["a"]}}},`}, []string{
			`/parameters/api/http/headers/X-A/function: expected the name of a function, found "md6"; did you mean "md5"?`,
		}},
		{"header of config", given{config: `"http":{"headers":{"X-A":{"attr":"nope"}}},`}, []string{
			`/parameters/config/http/headers/X-A/attr: expected the path of a string, number or boolean that exists in "attr", found "nope"`,
		}},
		{"required header", given{api: `"http":{"requiredHeaders":["X-A","X-B"],"headers":{"X-A":"1"}},`, config: `"http":{"headers":{"X-B":"0"}},`}, []string{
			`/parameters/config/http/headers: expected the header "X-A" in "config.http.headers"; "api.http.requiredHeaders" requires it`,
			`/parameters/config/http/headers: expected the header "X-B" in "config.http.headers"; "api.http.requiredHeaders" requires it`,
		}},
		{"required headers string", given{api: `"http":{"requiredHeaders":"X-A"},`}, []string{
			`/parameters/api/http/requiredHeaders: expected a list, found "X-A"`,
		}},
		{"defaultOptions", given{api: `"http":{"defaultOptions":{"method":"FETCH","params":"a=1","headers":{"A":"b\u0000c"}}},`}, []string{
			`/parameters/api/http/defaultOptions/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "FETCH"`,
			`/parameters/api/http/defaultOptions/params: expected an object of parameters, found a string`,
			`/parameters/api/http/defaultOptions/headers/A: expected the text of a header without line breaks and control characters, found a string`,
		}},
		{"timeouts", given{api: `"http":{"connectTimeout":"soon","requestTimeout":-1},`}, []string{
			`/parameters/api/http/connectTimeout: expected a number, found "soon"`,
			`/parameters/api/http/requestTimeout: expected a number of seconds above 0, found -1`,
		}},
		{"concurrency and rate limit", given{api: `"http":{"concurrency":65,"lookahead":65,"rateLimit":{"requests":0,"perSeconds":0}},`}, []string{
			`/parameters/api/http/concurrency: expected an integer from 1 to 64, found 65`,
			`/parameters/api/http/lookahead: expected an integer from 0 to 64, found 65`,
			`/parameters/api/http/rateLimit/requests: expected a number of requests, at least 1, found 0`,
			`/parameters/api/http/rateLimit/perSeconds: expected a number of seconds above 0, found 0`,
		}},
		{"negative size", given{api: `"http":{"maxResponseBytes":-1},`}, []string{
			`/parameters/api/http/maxResponseBytes: expected a number of bytes above 0, found -1`,
		}},
		{"size that is not a number", given{api: `"http":{"maxResponseBytes":"1 GB"},`}, []string{
			`/parameters/api/http/maxResponseBytes: expected an integer, found "1 GB"`,
		}},
		{"no concurrency", given{api: `"http":{"concurrency":0,"rateLimit":{"requests":"many","perSeconds":-1}},`}, []string{
			`/parameters/api/http/concurrency: expected an integer from 1 to 64, found 0`,
			`/parameters/api/http/rateLimit/requests: expected an integer, found "many"`,
			`/parameters/api/http/rateLimit/perSeconds: expected a number of seconds above 0, found -1`,
		}},
		{"half a rate limit", given{api: `"http":{"concurrency":"all","lookahead":-1,"rateLimit":{"requests":10}},`}, []string{
			`/parameters/api/http/concurrency: expected an integer, found "all"`,
			`/parameters/api/http/lookahead: expected an integer from 0 to 64, found -1`,
			`/parameters/api/http/rateLimit: expected the key "perSeconds"`,
		}},
		{"trustedOrigins", given{api: `"http":{"trustedOrigins":["h.test","ftp://h.test","https://h.test/v1","https://u@h.test","https://*","https://a.*.test",7,"https://h.test?a=b"]},`}, []string{
			`/parameters/api/http/trustedOrigins/0: expected scheme and host of an address, optionally with a port, found "h.test"; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
			`/parameters/api/http/trustedOrigins/1: expected scheme and host of an address, optionally with a port, found "ftp://h.test"; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
			`/parameters/api/http/trustedOrigins/2: expected scheme and host of an address, optionally with a port, found "https://h.test/v1"; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
			`/parameters/api/http/trustedOrigins/3: expected scheme and host of an address, optionally with a port, found "https://[hidden]@h.test"; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
			`/parameters/api/http/trustedOrigins/4: expected scheme and host of an address, optionally with a port, found "https://*"; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
			`/parameters/api/http/trustedOrigins/5: expected scheme and host of an address, optionally with a port, found "https://a.*.test"; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
			`/parameters/api/http/trustedOrigins/6: expected scheme and host of an address, optionally with a port, found 7; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
			`/parameters/api/http/trustedOrigins/7: expected scheme and host of an address, optionally with a port, found "https://h.test?[hidden]"; for example "https://files.example.com", or "https://*.example.com" for all hosts below it`,
		}},
		{"ignoreErrors number", given{api: `"http":{"ignoreErrors":404},`}, []string{
			`/parameters/api/http/ignoreErrors: expected a list, found 404`,
		}},
		{"ignoreErrors item", given{api: `"http":{"ignoreErrors":[404,"all"]},`}, []string{
			`/parameters/api/http/ignoreErrors/1: expected an integer, found "all"`,
		}},
		{"integers out of range", given{api: `"http":{"ignoreErrors":[1e99]},"retryConfig":{"maxRetries":1e99},`}, []string{
			`/parameters/api/http/ignoreErrors/0: expected an integer, found 1e99`,
			`/parameters/api/retryConfig/maxRetries: expected an integer, found 1e99`,
		}},
		{"retryConfig string", given{api: `"retryConfig":"never",`}, []string{
			`/parameters/api/retryConfig: expected an object, found "never"`,
		}},
		{"limitStop without a limit", given{api: `"pagination":{"method":"multiple","limitStop":{"number":1},"scrollers":{"a":{"method":"pagenum","limitStop":{"rows":5}},"b":{"method":"pagenum","limitStop":{}}}},`}, []string{
			`/parameters/api/pagination/limitStop: expected the key "count" or the key "field"`,
			`/parameters/api/pagination/scrollers/a/limitStop: expected the key "count" or the key "field"`,
		}},
		{"longest wait", given{api: `"retryConfig":{"maxWait":-1},`}, []string{
			`/parameters/api/retryConfig/maxWait: expected a number of seconds above 0, found -1`,
		}},
		{"retries", given{api: `"retryConfig":{"maxRetries":"many","http":{"codes":[500,"5xx"],"retryHeader":[1]},"curl":{"codes":"6"}},`}, []string{
			`/parameters/api/retryConfig/maxRetries: expected an integer, found "many"`,
			`/parameters/api/retryConfig/http/codes/1: expected an integer, found "5xx"`,
			`/parameters/api/retryConfig/http/retryHeader: expected a string, found a list of 1`,
			`/parameters/api/retryConfig/curl/codes: expected a list, found "6"`,
		}},
		{"certificates", given{api: `"caCertificate":"","#clientCertificate":7,`}, []string{
			`/parameters/api/caCertificate: expected certificates in PEM form, found an empty string`,
			`/parameters/api/#clientCertificate: expected a certificate and its private key in PEM form, found a number`,
		}},
		{"authentication string", given{api: `"authentication":"basic",`}, []string{
			`/parameters/api/authentication: expected an object, found a string`,
		}},
		{"authentication type", given{api: `"authentication":{"type":"logn"},`}, []string{
			`/parameters/api/authentication/type: expected one of "basic", "query", "url.query", "login", "oauth10", "oauth20", "oauth20.login", found "logn"; did you mean "login"?`,
		}},
		{"authentication type number", given{api: `"authentication":{"type":1},`}, []string{
			`/parameters/api/authentication/type: expected one of "basic", "query", "url.query", "login", "oauth10", "oauth20", "oauth20.login", found 1`,
		}},
		{"authentication format", given{api: `"authentication":{"type":"login","format":"JSON"},`}, []string{
			`/parameters/api/authentication/format: expected one of "json", "text", found "JSON"; did you mean "json"?`,
		}},
		{"login request", given{api: `"authentication":{"type":"login","loginRequest":{"endpoint":7,"method":"SEND","params":"a","headers":1}},`}, []string{
			`/parameters/api/authentication/loginRequest/endpoint: expected a path, found 7`,
			`/parameters/api/authentication/loginRequest/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "SEND"`,
			`/parameters/api/authentication/loginRequest/params: expected an object of parameters, found a string`,
			`/parameters/api/authentication/loginRequest/headers: expected an object, found a number`,
		}},
		{"login apiRequest", given{api: `"authentication":{"type":"login","apiRequest":{"headers":"X","query":["a"]}},`}, []string{
			`/parameters/api/authentication/apiRequest/headers: expected an object, found a string`,
			`/parameters/api/authentication/apiRequest/query: expected an object, found a list of 1; write an object, {"name": value}, instead of the list`,
		}},
		{"expires word", given{api: `"authentication":{"type":"login","expires":"1e3"},`}, []string{
			`/parameters/api/authentication/expires: expected a number of seconds or an object with "response", found "1e3"`,
		}},
		{"expires fraction", given{api: `"authentication":{"type":"login","expires":5.5},`}, []string{
			`/parameters/api/authentication/expires: expected a number of seconds or an object with "response", found 5.5`,
		}},
		{"expires empty object", given{api: `"authentication":{"type":"login","expires":{}},`}, []string{
			`/parameters/api/authentication/expires: expected the key "response"`,
		}},
		{"expires response", given{api: `"authentication":{"type":"login","expires":{"response":5,"relative":[1]}},`}, []string{
			`/parameters/api/authentication/expires/response: expected a path, found 5`,
			`/parameters/api/authentication/expires/relative: expected true or false, found a list of 1`,
		}},
		{"pagination string", given{api: `"pagination":"offset",`}, []string{
			`/parameters/api/pagination: expected an object, found "offset"`,
		}},
		{"pagination method", given{api: `"pagination":{"method":"pagenumber"},`}, []string{
			`/parameters/api/pagination/method: expected one of "offset", "pagenum", "response.url", "response.param", "link", "cursor", "zendesk.response.url", "multiple", found "pagenumber"; did you mean "pagenum"?`,
		}},
		{"pagination values", given{api: `"pagination":{"method":"offset","limit":"ten","limitParam":{"a":1},"firstPageParams":{"a":1}},`}, []string{
			`/parameters/api/pagination/limit: expected an integer, found "ten"`,
			`/parameters/api/pagination/limitParam: expected a string, found an object`,
			`/parameters/api/pagination/firstPageParams: expected true or false, found an object`,
		}},
		{"pagination increment", given{api: `"pagination":{"method":"cursor","increment":"1,5"},`}, []string{
			`/parameters/api/pagination/increment: expected an integer, found "1,5"`,
		}},
		{"totals", given{api: `"pagination":{"method":"pagenum","total":["meta","total"],"totalPages":{"path":"pages"}},`}, []string{
			`/parameters/api/pagination/total: expected a string, found a list of 2`,
			`/parameters/api/pagination/totalPages: expected a string, found an object`,
		}},
		{"scrollers", given{api: `"pagination":{"method":"multiple","scrollers":{"a":"offset","b":{"method":"curser"}}},`}, []string{
			`/parameters/api/pagination/scrollers/a: expected an object, found "offset"`,
			`/parameters/api/pagination/scrollers/b/method: expected one of "offset", "pagenum", "response.url", "response.param", "link", "cursor", "zendesk.response.url", "multiple", found "curser"; did you mean "cursor"?`,
		}},
		{"nextPageFlag", given{api: `"pagination":{"nextPageFlag":{"feild":"more","stopOn":"false"}},`}, []string{
			`/parameters/api/pagination/nextPageFlag: expected the key "field"; is "feild" meant to be it?`,
			`/parameters/api/pagination/nextPageFlag/stopOn: expected true or false, found "false"`,
		}},
		{"forceStop", given{api: `"pagination":{"forceStop":{"pages":"x","time":{"a":1},"volume":true}},`}, []string{
			`/parameters/api/pagination/forceStop/pages: expected an integer, found "x"`,
			`/parameters/api/pagination/forceStop/time: expected a number of seconds or a span of time, found an object`,
			`/parameters/api/pagination/forceStop/volume: expected an integer, found true`,
		}},
		{"scrollRequest", given{api: `"pagination":{"method":"response.param","scrollRequest":{"method":"X","endpoint":"","params":3}},`}, []string{
			`/parameters/api/pagination/scrollRequest/method: expected one of "GET", "POST", "FORM", "PUT", "PATCH", "DELETE", found "X"`,
			`/parameters/api/pagination/scrollRequest/endpoint: expected a path, found an empty string`,
			`/parameters/api/pagination/scrollRequest/params: expected an object of parameters, found a number`,
		}},
	}
}
