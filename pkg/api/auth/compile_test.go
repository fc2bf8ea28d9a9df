package auth

import (
	"strings"
	"testing"
)

func TestNoAuthentication(t *testing.T) {
	for _, text := range []string{`null`, `{}`, `[]`, `{"type":""}`, `{"type":null,"query":{"a":1}}`} {
		m, problems := compile(t, text, `{}`)
		if m != nil || len(problems) > 0 {
			t.Errorf("%s: got %v, %v", text, m, problems)
		}
	}
}

func TestProblemsOfTheConfiguration(t *testing.T) {
	type row struct {
		name, authentication string
		want                 []string // pointers below /parameters/api/authentication, each with a word of the problem
	}
	tests := []row{
		{"unknown type", `{"type":"logon"}`, []string{"/type login"}},
		{"not an object", `"login"`, []string{" object"}},
		{"basic without anything", `{"type":"basic"}`, []string{" config.username", " config.#password"}},

		{"format", loginWith(`"format":"xml"`), []string{"/format json"}},
		{"format in capitals", loginWith(`"format":"JSON"`), []string{"/format json"}},
		{"no login request", `{"type":"login"}`, []string{"/loginRequest loginRequest"}},
		{"empty login request", `{"type":"login","loginRequest":{}}`, []string{"/loginRequest loginRequest"}},
		{"no endpoint", `{"type":"login","loginRequest":{"method":"GET"}}`, []string{"/loginRequest/endpoint endpoint"}},
		{"endpoint that counts as empty", `{"type":"login","loginRequest":{"endpoint":"0"}}`, []string{"/loginRequest/endpoint endpoint"}},
		{"endpoint that is a list", `{"type":"login","loginRequest":{"endpoint":["x"]}}`, []string{"/loginRequest/endpoint"}},
		{"method", `{"type":"login","loginRequest":{"endpoint":"x","method":"BREW"}}`, []string{"/loginRequest/method FORM"}},
		{"parameters that are a text", `{"type":"login","loginRequest":{"endpoint":"x","params":"a=b"}}`, []string{"/loginRequest/params object"}},
		{"headers that are a text", `{"type":"login","loginRequest":{"endpoint":"x","headers":"a: b"}}`, []string{"/loginRequest/headers object"}},
		{"headers that are a list", `{"type":"login","loginRequest":{"endpoint":"x","headers":["a: b"]}}`, []string{"/loginRequest/headers object"}},
		{"name of a header", `{"type":"login","loginRequest":{"endpoint":"x","headers":{"X:Y":"1"}}}`, []string{"/loginRequest/headers/X:Y header"}},
		{"unknown attribute", `{"type":"login","loginRequest":{"endpoint":"x","params":{"a":{"attr":"#nothing"}},"headers":{"b":{"attr":"none"}}}}`,
			[]string{"/loginRequest/params/a/attr #nothing", "/loginRequest/headers/b/attr none"}},
		{"unknown function", `{"type":"login","loginRequest":{"endpoint":"x","params":{"a":{"function":"sha3","args":["x"]}}}}`, []string{"/loginRequest/params/a/function sha3"}},

		{"later headers that are a text", loginWith(`"apiRequest":{"headers":"X: y"}`), []string{"/apiRequest/headers object"}},
		{"later headers that are a list", loginWith(`"apiRequest":{"headers":["X: y"]}`), []string{"/apiRequest/headers object"}},
		{"later query that is a text", loginWith(`"apiRequest":{"query":"a=b"}`), []string{"/apiRequest/query object"}},
		{"later query that is a list", loginWith(`"apiRequest":{"query":["a"]}`), []string{"/apiRequest/query object"}},
		{"name of a later header", loginWith(`"apiRequest":{"headers":{"X:Y":"1"}}`), []string{"/apiRequest/headers/X:Y header"}},
		{"null", loginWith(`"apiRequest":{"headers":{"X":null},"query":{"y":null}}`), []string{"/apiRequest/headers/X text", "/apiRequest/query/y text"}},
		{"objects that are not an expression", loginWith(`"apiRequest":{"headers":{"X":{"a":1}},"query":{"x":{"a":1,"b":2}}}`),
			[]string{"/apiRequest/headers/X expressions here have the key attr, response, responseCookie, responseHeader, function", "/apiRequest/query/x text"}},
		{"lists that are not a list of texts", loginWith(`"apiRequest":{"headers":{"X":[]},"query":{"x":["a",["b"]]}}`), []string{"/apiRequest/headers/X text", "/apiRequest/query/x text"}},
		{"object as header of the login", `{"type":"login","loginRequest":{"endpoint":"x","headers":{"X":{"a":"b"}}}}`, []string{"/loginRequest/headers/X text"}},
		{"unknown attribute later", loginWith(`"apiRequest":{"query":{"a":{"function":"md5","args":[{"attr":"nix"}]}}}`), []string{"/apiRequest/query/a/args/0/attr nix"}},

		{"several at once", `{"type":"login","format":"csv","loginRequest":{"method":"GET"},"expires":"soon"}`, []string{"/format json", "/loginRequest/endpoint endpoint", "/expires seconds"}},
	}
	for _, text := range []string{`5.5`, `"5.5"`, `"1e3"`, `"007"`, `"0x1A"`, `"abc"`, `"--5"`, `"1 0"`, `1e30`, `"99999999999999999999"`} {
		tests = append(tests, row{"expires " + text, loginWith(`"expires":` + text), []string{"/expires number of seconds"}})
	}
	for _, text := range []string{`{"response":""}`, `{"relative":true}`, `{"response":["a"]}`, `{"response":5}`, `{}`, `[]`, `["a"]`} {
		tests = append(tests, row{"expires " + text, loginWith(`"expires":` + text), []string{"/expires "}})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := compile(t, tt.authentication, `{"known":"k"}`)
			for _, want := range tt.want {
				pointer, word, _ := strings.Cut(want, " ")
				found := false
				for _, p := range problems {
					found = found || strings.HasPrefix(p.Pointer, "/parameters/api/authentication"+pointer) && strings.Contains(p.String(), word)
				}
				if !found {
					t.Errorf("no problem at %s with %q in %v", pointer, word, problems)
				}
			}
			if len(problems) != len(tt.want) {
				t.Errorf("got %d problems: %v", len(problems), problems)
			}
		})
	}
}
