package auth

import (
	"strings"
	"testing"
)

// The response holds everything that is taken from it, so that a dry run gets
// credentials of stand-ins.
func TestResponse(t *testing.T) {
	const conf = `{"username":"eva","#password":"s3cret"}`
	tests := []struct{ name, authentication, want string }{
		{"no login", `{"type":"basic"}`, ""},
		{"nothing is taken", `{"type":"login","loginRequest":{"endpoint":"s"}}`, `{}`},
		{"references", `{"type":"login","loginRequest":{"endpoint":"s"},"apiRequest":{"headers":{"A":{"response":"a.b"},"B":{"function":"concat","args":[{"response":"c"},{"attr":"username"}]}},"query":{"C":{"response":"a.b"}}}}`,
			`{"a.b":"<a.b>","c":"<c>"}`},
		{"words that may be paths", `{"type":"login","loginRequest":{"endpoint":"s"},"apiRequest":{"headers":{"A":"token","B":"text/plain","C":7,"D":"two words"},"query":{"E":"data.id"}}}`,
			`{"token":"<token, or \"token\">","data.id":"<data.id, or \"data.id\">"}`},
		{"text", `{"type":"login","format":"text","loginRequest":{"endpoint":"s"},"apiRequest":{"headers":{"A":"other","B":{"response":"data"}}}}`, `<data>`},
		{"text that is not taken", `{"type":"login","format":"text","loginRequest":{"endpoint":"s"},"apiRequest":{"headers":{"A":"other"}}}`, `{}`},
		{"the end of the credentials", `{"type":"login","loginRequest":{"endpoint":"s"},"expires":{"response":"end"},"apiRequest":{"headers":{"A":{"response":"t"}}}}`, `{"t":"<t>"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := DryRunResponse(mustCompile(t, tt.authentication, conf), func(name string) string {
				return "<" + strings.TrimPrefix(name, "login: ") + ">"
			})
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	if _, body := DryRunResponse(nil, nil); body != nil {
		t.Error("no authentication has a response")
	}
}
