package auth

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/failure"
)

// loginWith is a login with more keys.
func loginWith(keys ...string) string {
	return `{` + strings.Join(append([]string{`"type":"login","loginRequest":{"endpoint":"session"}`}, keys...), ",") + `}`
}

func TestLoginRequest(t *testing.T) {
	const conf = `{"#login":"eva","#password":"s3cret","n":{"m":5}}`
	tests := []struct{ name, request, want string }{
		{"only an endpoint", `{"endpoint":"session"}`, `session GET {} {}`},
		{"endpoint and method", `{"endpoint":"https://o.test/token?a=1","method":"post"}`, `https://o.test/token?a=1 POST {} {}`},
		{"literals", `{"endpoint":"s","method":"FORM","params":{"user":"eva","n":1.50,"on":true,"nil":null},"headers":{"X-A":"b","X-B":["c",1],"X-C":null,"X-D":" d\n"}}`,
			`s FORM {"user":"eva","n":1.50,"on":true,"nil":null} {"X-A":["b"],"X-B":["c","1"],"X-C":[""],"X-D":["d"]}`},
		{"references", `{"endpoint":"s","params":{"u":{"attr":"#login"},"m":{"attr":"n.m"}},"headers":{"X-Pass":{"attr":"#password"}}}`,
			`s GET {"u":"eva","m":5} {"X-Pass":["s3cret"]}`},
		{"functions", `{"endpoint":"s","headers":{"Authorization":{"function":"base64_encode","args":[{"function":"concat","args":[{"attr":"#login"},":",{"attr":"#password"}]}]}}}`,
			`s GET {} {"Authorization":["ZXZhOnMzY3JldA=="]}`},
		{"expressions in an object", `{"endpoint":"s","method":"POST","params":{"auth":{"user":{"attr":"#login"},"list":[{"attr":"n.m"}]}}}`,
			`s POST {"auth":{"user":"eva","list":[5]}} {}`},
		{"in a list", `{"endpoint":"s","method":"POST","params":{"list":[{"attr":"#login"}]}}`, `s POST {"list":["eva"]} {}`},
		{"list of parameters", `{"endpoint":"s","method":"PUT","params":["a",{"attr":"#login"}]}`, `s PUT ["a","eva"] {}`},
		{"empty parts", `{"endpoint":"s","params":[],"headers":[]}`, `s GET {} {}`},
		{"the clock", `{"endpoint":"s","params":{"t":{"function":"time","args":[]}}}`, `s GET {"t":1740819600} {}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, `{}`)
			authenticated(t, w.start(mustCompile(t, `{"type":"login","loginRequest":`+tt.request+`}`, conf)), requestTo(t, "http://a.test/"))
			r := w.logins[0]
			if got := strings.Join([]string{r.Endpoint, r.Method, r.Params.JSON(), r.Headers.JSON()}, " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestLoginResults(t *testing.T) {
	tests := []struct{ name, entry, response, want string }{
		{"path", `{"response":"token"}`, `{"token":"abc"}`, "abc"},
		{"path with an index", `{"response":"a.0.b"}`, `{"a":[{"b":"x"}]}`, "x"},
		{"name with a dot", `{"response":"a.b"}`, `{"a.b":1}`, "1"},
		{"of two with one path the later wins", `{"response":"a.b"}`, `{"a.b":1,"a":{"b":2}}`, "2"},
		{"number", `{"response":"n"}`, `{"n":12345678901234567890}`, "12345678901234567890"},
		{"true", `{"response":"b"}`, `{"b":true}`, "1"},
		{"false", `{"response":"b"}`, `{"b":false}`, ""},
		{"empty text", `{"response":"e"}`, `{"e":""}`, ""},
		{"name without letters", `{"response":""}`, `{"":"x"}`, "x"},
		{"name of a dot", `{"response":"."}`, `{".":"x"}`, "x"},
		{"last of equal names", `{"response":"a"}`, `{"a":1,"a":2}`, "2"},
		{"scalar response", `{"response":"data"}`, `"abc"`, "abc"},
		{"number as response", `{"response":"data"}`, `77`, "77"},
		{"true as response", `{"response":"data"}`, `true`, "1"},
		{"attribute", `{"attr":"zone"}`, `{}`, "eu"},
		{"function", `{"function":"concat","args":["Bearer ",{"response":"t"},"-",{"attr":"zone"}]}`, `{"t":"abc"}`, "Bearer abc-eu"},
		{"nested functions", `{"function":"sha1","args":[{"function":"concat","args":["eva",":",{"response":"t"}]}]}`, `{"t":"abc"}`, "4edcfdb647ddade7b58c8d5d79257b2446e18b3a"},

		{"literal text", `"plain"`, `{"token":"abc"}`, "plain"},
		{"literal number", `7`, `{"7":"x"}`, "7"},
		{"literal boolean", `true`, `{"true":"x","1":"y"}`, "1"},
		{"literal false", `false`, `{}`, ""},
		{"literal empty text", `""`, `{}`, ""},
		{"literal dot", `"."`, `{"token":"abc"}`, "."},
		{"literal that is a path of the response", `"token"`, `{"token":"abc"}`, "abc"},
		{"literal that is a deeper path", `"auth.0.token"`, `{"auth":[{"token":"abc"}]}`, "abc"},
		{"literal that is the path of an object", `"auth"`, `{"auth":{"token":"abc"}}`, "auth"},
		{"literal that is the path of null", `"auth"`, `{"auth":null}`, "auth"},
		{"what was looked up is not looked up again", `{"response":"token"}`, `{"token":"abc","abc":"zzz"}`, "abc"},
		{"nor is the literal's value", `"token"`, `{"token":"abc","abc":"zzz"}`, "abc"},
		{"nor is what a function gives", `{"function":"concat","args":["to","ken"]}`, `{"token":"abc"}`, "token"},
		{"list", `["p",1]`, `{}`, "p|1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := mustCompile(t, loginWith(`"apiRequest":{"headers":{"X-H":`+tt.entry+`},"query":{"q":`+tt.entry+`}}`), `{"zone":"eu"}`)
			r := authenticated(t, newWorld(t, tt.response).start(m), requestTo(t, "http://a.test/"))
			if got := strings.Join(r.Header["X-H"], "|"); got != tt.want {
				t.Errorf("header: got %q, want %q", got, tt.want)
			}
			if got := strings.Join(r.URL.Query()["q"], "|"); got != tt.want {
				t.Errorf("query: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLoginResponses(t *testing.T) {
	tests := []struct{ name, format, response, header, query string }{
		{"text", "text", "abc", "abc", "q=abc"},
		{"text that looks like JSON", "text", `{"a":1}`, `{"a":1}`, "q=%7B%22a%22%3A1%7D"},
		{"text with a line break at its end", "text", " abc\r\n", "abc", "q=%20abc%0D%0A"},
		{"empty text", "text", "", "", "q="},
		{"text that is not UTF-8", "text", "a\xe9b", "a\xe9b", "q=a%E9b"},
		{"JSON text", "json", `"a\nb"`, "", "q=a%0Ab"},
		{"JSON with bytes that are not UTF-8", "json", "\"a\xe9b\"", "ab", "q=ab"},
		{"byte order mark", "json", "\ufeff\"ab\"", "ab", "q=ab"},
		{"byte order mark of a text", "text", "\ufeffab", "\ufeffab", "q=%EF%BB%BFab"},
		{"lone surrogate", "json", `"a\ud83db"`, "a\ufffdb", "q=a%EF%BF%BDb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			headers := `"headers":{"X-H":{"response":"data"}},`
			if tt.header == "" {
				headers = ""
			}
			m := mustCompile(t, loginWith(`"format":"`+tt.format+`","apiRequest":{`+headers+`"query":{"q":{"response":"data"}}}`), `{}`)
			r := authenticated(t, newWorld(t, tt.response).start(m), requestTo(t, "http://a.test/"))
			if got := strings.Join(r.Header["X-H"], "|"); got != tt.header {
				t.Errorf("header: got %q, want %q", got, tt.header)
			}
			if r.URL.RawQuery != tt.query {
				t.Errorf("query: got %s, want %s", r.URL.RawQuery, tt.query)
			}
		})
	}
}

func TestLargestResponseOfALogin(t *testing.T) {
	w := newWorld(t, "{}"+strings.Repeat(" ", maxResponse-2))
	authenticated(t, w.start(mustCompile(t, loginWith(), `{}`)), requestTo(t, "http://a.test/"))
}

func TestLoginFailures(t *testing.T) {
	const at = "/parameters/api/authentication"
	tests := []struct{ name, keys, response, pointer, words string }{
		{"list", `"format":"json"`, `[1]`, at, "the login failed: its response must be a JSON object or scalar, found array"},
		{"null", `"format":"json"`, `null`, at, "found null"},
		{"empty", `"format":"json"`, ``, at, "its response is not valid JSON: line 1, column 1"},
		{"not JSON", `"format":"json"`, `<html>`, at, "its response is not valid JSON"},
		{"more than one value", `"format":"json"`, `{} {}`, at, "its response is not valid JSON"},
		{"too large", `"format":"json"`, strings.Repeat(" ", maxResponse+1), at, "has 8388609 bytes, expected at most 8388608"},

		{"missing path", `"apiRequest":{"headers":{"X":{"response":"token"}}}`, `{"tokem":"s3cret"}`, at + "/apiRequest/headers/X", "token"},
		{"null at the path", `"apiRequest":{"query":{"x":{"response":"token"}}}`, `{"token":null}`, at + "/apiRequest/query/x", "token"},
		{"object at the path", `"apiRequest":{"query":{"x":{"response":"token"}}}`, `{"token":{"s":"s3cret"}}`, at + "/apiRequest/query/x", "token"},
		{"whole response", `"apiRequest":{"query":{"x":{"response":"."}}}`, `{"token":"s3cret"}`, at + "/apiRequest/query/x", "not found"},
		{"function that fails", `"apiRequest":{"query":{"x":{"function":"hash_hmac","args":[{"response":"a"},"t","k"]}}}`, `{"a":"s3cret"}`, at + "/apiRequest/query/x", "hash_hmac"},
		{"line break within a header", `"apiRequest":{"headers":{"X":{"response":"t"}}}`, `{"t":"s3cret\ntoken"}`, at + "/apiRequest/headers/X", "the value of the header 'X' contains a character"},
		{"unreadable expiry", `"expires":{"response":"until"}`, `{"until":"s3cret"}`, at + "/expires", "'until'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := mustCompile(t, loginWith(tt.keys), `{}`)
			r := requestTo(t, "http://a.test/?q=a+b")
			err := newWorld(t, tt.response).start(m).Authenticate(t.Context(), r)
			wantUserError(t, err, tt.pointer, "the login failed: ", tt.words)
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows what the login returned: %v", err)
			}
			if len(r.Header) > 0 || r.URL.RawQuery != "q=a+b" {
				t.Errorf("the request was changed: %v, %s", r.Header, r.URL)
			}
		})
	}
}

func TestFaultsOfTheLoginRequest(t *testing.T) {
	const at = "/parameters/api/authentication/loginRequest/"
	tests := []struct{ name, keys, pointer, words string }{
		{"line break in a header", `"headers":{"X":{"attr":"#p"}}`, at + "headers/X", "the value of the header 'X' contains a character"},
		{"function that fails in a header", `"headers":{"X":{"function":"hash_hmac","args":[{"attr":"#p"},"t","k"]}}`, at + "headers/X", "hash_hmac"},
		{"function that fails in a parameter", `"params":{"x":{"function":"hash_hmac","args":[{"attr":"#p"},"t","k"]}}`, at + "params/x", "hash_hmac"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, `{}`)
			m := mustCompile(t, `{"type":"login","loginRequest":{"endpoint":"s",`+tt.keys+`}}`, `{"#p":"s3cret\npassword"}`)
			err := w.start(m).Authenticate(t.Context(), requestTo(t, "http://a.test/"))
			wantUserError(t, err, tt.pointer, "the login failed: ", tt.words)
			if strings.Contains(err.Error(), "s3cret") || len(w.logins) > 0 {
				t.Errorf("%d logins, and the error is %v", len(w.logins), err)
			}
		})
	}
}

func TestFailedLoginIsTriedAgainForTheNextRequest(t *testing.T) {
	w := newWorld(t, `{"t":"abc"}`)
	a := w.start(mustCompile(t, loginWith(`"apiRequest":{"headers":{"X":{"response":"t"}}}`), `{}`))
	w.fail = failure.Userf("[403] Client error")
	err := a.Authenticate(t.Context(), requestTo(t, "http://a.test/"))
	wantUserError(t, err, "/parameters/api/authentication", "the login failed: [403] Client error")
	if !errors.Is(err, w.fail) {
		t.Errorf("the cause is lost: %v", err)
	}
	w.fail = nil
	if got := headersOf(authenticated(t, a, requestTo(t, "http://a.test/"))); got != "X: abc" || len(w.logins) != 2 {
		t.Errorf("got %s after %d logins", got, len(w.logins))
	}
}

func TestInterruptedLoginIsNoFailure(t *testing.T) {
	w := newWorld(t, `{}`)
	w.fail = context.Canceled
	err := w.start(mustCompile(t, loginWith(), `{}`)).Authenticate(t.Context(), requestTo(t, "http://a.test/"))
	if !errors.Is(err, context.Canceled) || failure.KindOf(err) != failure.Application {
		t.Errorf("got %v", err)
	}
}
