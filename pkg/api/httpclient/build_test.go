package httpclient

import (
	"net/url"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/config"
	"github.com/keboola/configurable-extractor/pkg/failure"
	"github.com/keboola/configurable-extractor/pkg/secret"
	"github.com/keboola/configurable-extractor/pkg/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	if text == "" {
		return value.Value{}
	}
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func baseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestResolve(t *testing.T) {
	tests := []struct{ base, endpoint, want string }{
		// The last segment of the base stays, slash or no slash.
		{"https://h/v3/", "c", "https://h/v3/c"},
		{"https://h/v3", "c", "https://h/v3/c"},
		{"https://h", "c", "https://h/c"},
		{"https://h/", "c", "https://h/c"},
		{"https://h/v3/", "c/", "https://h/v3/c/"},
		{"https://h/v3/", "c//d", "https://h/v3/c//d"},
		{"https://h/v3/", "0", "https://h/v3/0"},
		// From the root of the host, dots, queries, fragments.
		{"https://h/v3/", "/c", "https://h/c"},
		{"https://h/v3", "/c", "https://h/c"},
		{"https://h/v3/", "../c", "https://h/c"},
		{"https://h/v3/", "../../../c", "https://h/c"},
		{"https://h/v3/", "c/./d/../e", "https://h/v3/c/e"},
		{"https://h/v3/", "c/..", "https://h/v3/"},
		{"https://h/v3/", "%2e%2E/c", "https://h/c"},
		{"https://h/v3/", "%2e/c%2e", "https://h/v3/c%2e"},
		{"https://h/v3/", "?q=1", "https://h/v3/?q=1"},
		{"https://h/a/b?x=1", "c", "https://h/a/b/c"},
		{"https://h/a/b?x=1", "?q=1", "https://h/a/b?q=1"},
		{"https://h/v3/", "c#frag", "https://h/v3/c"},
		{"https://h/v3/", "c?x=1#frag?y=2", "https://h/v3/c?x=1"},
		{"https://h", "?q=1", "https://h/?q=1"},
		// Absolute addresses.
		{"https://h/v3/", "https://o/x?y=1", "https://o/x?y=1"},
		{"https://h/v3/", "HTTP://O:8080/x/../y", "http://o:8080/y"},
		{"https://h/v3/", "http://o", "http://o/"},
		{"https://h/v3/", "//o/x", "https://o/x"},
		{"http://h:80/v3/", "c", "http://h/v3/c"},
		{"https://H:443/", "c", "https://h/c"},
		{"https://u:p@h:8443/a/", "c", "https://u:p@h:8443/a/c"},
		// Only http and https are schemes.
		{"https://h/v3/", "users:list", "https://h/v3/users:list"},
		{"https://h/v3/", "users:80", "https://h/v3/users:80"},
		{"https://h/v3/", "ftp://o/x", "https://h/v3/ftp://o/x"},
		// Characters.
		{"https://h/", "a b/ž{x}\"", "https://h/a%20b/%C5%BE%7Bx%7D%22"},
		{"https://h/", "a%2Fb%C5%BE", "https://h/a%2Fb%C5%BE"},
		{"https://h/", "100%", "https://h/100%25"},
		{"https://h/", "a%zzb+c", "https://h/a%25zzb+c"},
		{"https://h/ž/", "c", "https://h/%C5%BE/c"},
	}
	for _, tt := range tests {
		u, err := Resolve(baseURL(t, tt.base), tt.endpoint)
		if err != nil {
			t.Errorf("%s + %s: %v", tt.base, tt.endpoint, err)
			continue
		}
		if got := u.String(); got != tt.want {
			t.Errorf("%s + %s: got %s, want %s", tt.base, tt.endpoint, got, tt.want)
		}
	}
	for _, endpoint := range []string{"http:", "https://", "http:x", "//", "https://:80/x", "http://a b/c"} {
		if u, err := Resolve(baseURL(t, "https://h/"), endpoint); failure.KindOf(err) != failure.User || err == nil {
			t.Errorf("%s: got %v, %v, want a user error", endpoint, u, err)
		}
	}
}

// wire is what a request looks like on the wire: method, path and query, body.
func wire(t testing.TB, r config.RequestSpec) string {
	t.Helper()
	req, err := build(baseURL(t, "https://h/"), r, "test", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := req.Method + " " + req.URL.RequestURI()
	if req.Body != nil {
		text += " " + string(req.Body)
	}
	return text
}

func TestBuild(t *testing.T) {
	tests := []struct{ name, method, endpoint, params, want string }{
		{"worked example", "GET", "find", `{"q":"a b/č","tag":["x","y"],"opt":{"on":true,"off":false,"nil":null},"n":2.50,"e":""}`,
			"GET /find?q=a+b%2F%C4%8D&tag%5B0%5D=x&tag%5B1%5D=y&opt%5Bon%5D=1&opt%5Boff%5D=0&n=2.5&e="},
		{"unreserved characters", "", "f", `{"a":"A-z_0.9~*!'()"}`, "GET /f?a=A-z_0.9%7E%2A%21%27%28%29"},
		{"floats", "GET", "f", `{"a":0.30000000000000004,"b":100000.0,"c":1e15,"d":0.00001,"e":12345678901234567890}`,
			"GET /f?a=0.30000000000000004&b=100000&c=1.0E%2B15&d=1.0E-5&e=12345678901234567890"},
		{"empty and null values", "GET", "f", `{"a":[],"b":{},"c":null,"d":[1,null,2]}`, "GET /f?d%5B0%5D=1&d%5B2%5D=2"},
		{"nothing left", "GET", "f", `{"a":null}`, "GET /f"},
		{"key characters", "GET", "f", `{"a b[c]":1}`, "GET /f?a+b%5Bc%5D=1"},
		{"list of parameters", "GET", "f", `["p","q"]`, "GET /f?1=q"},
		{"unnamed parameters", "GET", "f", `{"":1,"0":2,"a":3}`, "GET /f?a=3"},
		{"deep nesting", "GET", "f", `{"a":{"b":[{"c":1}]}}`, "GET /f?a%5Bb%5D%5B0%5D%5Bc%5D=1"},

		{"query as written without parameters", "GET", "f?a[]=1&b=x y&c=+&d=%20", "", "GET /f?a%5B%5D=1&b=x%20y&c=+&d=%20"},
		{"parameters override the query in place", "GET", "f?a=1&b=2&c", `{"b":"x","d":4}`, "GET /f?a=1&b=x&c=&d=4"},
		{"repeated key of a query", "GET", "f?x=1&x=2", `{"y":1}`, "GET /f?x=2&y=1"},
		{"query values are decoded", "GET", "f?x=a+b%2Fc", `{"y":1}`, "GET /f?x=a+b%2Fc&y=1"},
		{"query values that cannot be decoded", "GET", "f?x=100%", `{"y":1}`, "GET /f?x=100%25&y=1"},
		{"query values that can be decoded in part", "GET", "f?name=a%20b%&z=%zz%C5%BE%4", `{"y":1}`, "GET /f?name=a+b%25&z=%25zz%C5%BE%254&y=1"},
		{"a percent sign without parameters", "GET", "f?name=a%20b%", "", "GET /f?name=a%20b%25"},
		{"brackets in a query are a name", "GET", "f?a[0]=1&b%5B0%5D=2", `{"a":[9]}`, "GET /f?a%5B0%5D=1&b%5B0%5D=2&a%5B0%5D=9"},
		{"absolute with query", "GET", "https://h/x?z=1", `{"y":1}`, "GET /x?z=1&y=1"},
		{"fragment with parameters", "GET", "f#x", `{"y":1}`, "GET /f?y=1"},

		{"post without parameters", "POST", "f", "", "POST /f []"},
		{"post with an empty object", "post", "f?q=a b", `{}`, "POST /f?q=a%20b []"},
		{"post", "POST", "search", `{"q":{"since":"2024-05-01"},"on":true,"tags":[]}`, `POST /search {"q":{"since":"2024-05-01"},"on":true,"tags":[]}`},
		{"post of odd values", "POST", "f", `{"e":{},"n":null,"f":1.0,"g":2.50,"h":1e25,"u":"č/","l":{"0":"a","1":"b"},"o":{"1":"a"}}`,
			`POST /f {"e":[],"n":null,"f":1,"g":2.5,"h":1.0e+25,"u":"\u010d\/","l":["a","b"],"o":{"1":"a"}}`},
		{"post of a list", "POST", "f", `["a"]`, `POST /f ["a"]`},
		{"form", "FORM", "f?x=1", `{"a":{"b":["c d"]},"":"e","n":null}`, "POST /f?x=1 a%5Bb%5D%5B0%5D=c+d&=e"},
		{"form without parameters", "Form", "f", "", "POST /f "},
		{"put", "PUT", "f", `{"a":1}`, `PUT /f {"a":1}`},
		{"patch", "PATCH", "f", `{"a":1}`, `PATCH /f {"a":1}`},
		{"delete", "DELETE", "f", "", `DELETE /f []`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := wire(t, config.RequestSpec{Endpoint: tt.endpoint, Method: tt.method, Params: parse(t, tt.params)})
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	refused := []config.RequestSpec{
		{Endpoint: "f", Method: "BREW"},
		{Endpoint: "f", Params: parse(t, `"x"`)},
		{Endpoint: "f", Headers: parse(t, `["x y"]`), Method: "GET", Params: parse(t, `5`)},
		{Endpoint: "f", Headers: parse(t, `{"X":"a\nb"}`)},
		{Endpoint: "f", Headers: parse(t, `{"X Y":"a"}`)},
		{Endpoint: "f", Headers: parse(t, `{"X":{"a":{"b":1}}}`)},
		{Endpoint: "f", Headers: parse(t, `"X"`)},
	}
	for _, r := range refused {
		if _, err := build(baseURL(t, "https://h/"), r, "test", "", nil); failure.KindOf(err) != failure.User || err == nil {
			t.Errorf("%+v: got %v, want a user error", r, err)
		}
	}
}

// TestSecretPartsOfARequest: the request knows which parts were made of secrets, in any
// encoding.
func TestSecretPartsOfARequest(t *testing.T) {
	marked := func(text string) value.Value { return parse(t, text).AsSecret() }
	member := func(name string, v value.Value) value.Member { return value.Member{Name: name, Value: v} }
	params := value.OfMembers(
		member("page", parse(t, `7`)), member("pin", marked(`7`)), member("a b", value.OfMembers(member("c", marked(`["x/ž","y"]`)), member("d", parse(t, `"y"`)))),
		member("n", marked(`1.50`)), member("yes", marked(`true`)), member("none", marked(`null`)))
	headers := value.OfMembers(member("X-Own", marked(`"a"`)), member("x-under", parse(t, `"b"`)), member("host", marked(`"h.test"`)))
	under := []config.Header{{Name: "X-Under", Values: []string{"s"}, Secret: true}, {Name: "X-Api", Values: []string{"s"}, Secret: true}, {Name: "X-Open", Values: []string{"o"}}}
	tests := map[string]string{
		"GET":  "https://h/x?page=7&pin=[hidden]&a+b%5Bc%5D%5B0%5D=[hidden]&a+b%5Bc%5D%5B1%5D=[hidden]&a+b%5Bd%5D=y&n=[hidden]&yes=[hidden] ",
		"FORM": "https://h/x page=7&pin=[hidden]&a+b%5Bc%5D%5B0%5D=[hidden]&a+b%5Bc%5D%5B1%5D=[hidden]&a+b%5Bd%5D=y&n=[hidden]&yes=[hidden]",
		"POST": `https://h/x {"page":7,"pin":[hidden],"a b":{"c":["[hidden]","[hidden]"],"d":"y"},"n":[hidden],"yes":[hidden],"none":null}`,
	}
	for method, want := range tests {
		req, err := build(baseURL(t, "https://u:p@h/"), config.RequestSpec{Endpoint: "x", Method: method, Params: params, Headers: headers}, "test", "", under)
		if err != nil {
			t.Fatal(err)
		}
		body, sensitive := req.Body, req.Sensitive
		if got := sensitive.Address(req.URL) + " " + (&secret.Registry{}).RedactWith(string(body), sensitive.Body()); got != want {
			t.Errorf("%s:\n%s, want\n%s", method, got, want)
		}
		for name, want := range map[string]bool{"X-Own": true, "X-Under": false, "X-Api": true, "X-Open": false, "Host": true, "Accept": false} {
			if got := sensitive.Header(name); got != want {
				t.Errorf("%s: a secret is %v, want %v", name, got, want)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	client := []config.Header{{Name: "X-Client", Values: []string{"c"}}, {Name: "x-both", Values: []string{"client"}}, {Name: "accept", Values: []string{"text/csv"}}}
	r := config.RequestSpec{Endpoint: "f", Method: "POST", Headers: parse(t, `{"X-Both":" job ","X-List":["a",1],"X-True":true,"X-Empty":null,"content-type":"text/x","Host":"other","X-Attr":{"attr":"k"},"X-Float":1.50}`)}
	req, err := build(baseURL(t, "https://h/"), r, "agent/1", "", client)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"User-Agent": "agent/1", "Accept": "text/csv", "Accept-Encoding": "gzip", "X-Client": "c", "X-Both": "job",
		"X-List": "a,1", "X-True": "1", "X-Empty": "", "Content-Type": "application/json", "X-Attr": "k", "X-Float": "1.5",
	}
	for name, v := range want {
		if got := strings.Join(req.Header[name], ","); got != v {
			t.Errorf("%s: got %q, want %q", name, got, v)
		}
	}
	if len(req.Header) != len(want) {
		t.Errorf("got %v", req.Header)
	}
	if req.Host != "other" {
		t.Errorf("host: got %s", req.Host)
	}
}

// TestHeadersThatCannotBeSent: headers that reading a configuration already refuses are
// refused here too.
func TestHeadersThatCannotBeSent(t *testing.T) {
	for headers, want := range map[string]string{
		`{"X-A":"a\r\nX-Evil: 1"}`: "the value of the header 'X-A' contains a character that is not allowed in a header",
		`{"X-A":["a","b\u0000"]}`:  "the value of the header 'X-A' contains a character",
		`{"X-A: 1\r\nX-Evil":"1"}`: "is not a valid header name",
		`{"":"1"}`:                 "is not a valid header name",
		`{"X-A":{"a":{"b":"c"}}}`:  "the value of the header 'X-A' must be a text, found an object",
		`["a"]`:                    "headers must be an object, found a",
	} {
		req, err := build(baseURL(t, "https://h/"), config.RequestSpec{Endpoint: "f", Headers: parse(t, headers)}, "agent/1", "", nil)
		if err == nil {
			t.Errorf("%s: sends %v", headers, req.Header)
			continue
		}
		wantUserError(t, err, want)
	}
}

// FuzzResolve checks that an endpoint stays on the host of the base address unless it
// has a host, and that addresses can be sent.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"a", "/a", "//o/x", "https://o", "../..", "%", "a?b#c", "http:x", "\x00", "ž"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, endpoint string) {
		u, err := Resolve(&url.URL{Scheme: "https", Host: "h", Path: "/v3"}, endpoint)
		if err != nil {
			return
		}
		if !hasScheme(endpoint) && !strings.HasPrefix(endpoint, "//") && u.Host != "h" {
			t.Errorf("%q leads to host %s", endpoint, u.Host)
		}
		if !strings.HasPrefix(u.EscapedPath(), "/") || strings.ContainsAny(u.EscapedPath(), " \r\n\"<>") {
			t.Errorf("%q gives the path %q", endpoint, u.EscapedPath())
		}
	})
}

// TestBodyOfItsOwn: params of a request with a body are in the query, and the type of the
// body wins over all headers.
func TestBodyOfItsOwn(t *testing.T) {
	spec := config.RequestSpec{
		Endpoint: "soap?a=1", Method: "put", Params: parse(t, `{"b":2,"l":[1]}`).With("s", value.OfString("x y").AsSecret()), Query: parse(t, `{"b":3}`),
		Headers: parse(t, `{"content-type":"text/plain","X-A":"1"}`),
		Body:    &config.RequestBody{Type: "text/xml; charset=utf-8", Text: []byte("<a>s3</a>"), Secrets: []secret.Span{{From: 3, To: 5}}},
	}
	r, err := build(baseURL(t, "https://h/v1"), spec, "agent", "", []config.Header{{Name: "Content-Type", Values: []string{"application/json"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Method+" "+r.URL.String(), "PUT https://h/v1/soap?a=1&b=3&l%5B0%5D=1&s=x+y"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := strings.Join(headerLines(r.Header, "Content-Type"), "|"); got != "text/xml; charset=utf-8" {
		t.Errorf("Content-Type %s", got)
	}
	if string(r.Body) != "<a>s3</a>" || len(r.Sensitive.Body()) != 1 || !r.Sensitive.Param("s") {
		t.Errorf("body %s, %+v", r.Body, r.Sensitive)
	}
	under := config.RequestSpec{Method: "POST", Body: spec.Body}
	for method, kept := range map[string]bool{"": true, "PATCH": true, "GET": false, "FORM": false} {
		if got := (config.RequestSpec{Method: method}).Over(under).Body; (got != nil) != kept {
			t.Errorf("a later request with the method %q has the body %+v", method, got)
		}
	}
}
