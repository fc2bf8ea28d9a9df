package auth

import (
	"slices"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/pkg/secret"
)

// TestSecretPartsOfARequest: the request knows which headers and parameters an
// authentication made of secrets, however short they are.
func TestSecretPartsOfARequest(t *testing.T) {
	const (
		conf        = `{"user":"evan","#pin":"7","password":"s3cret"}`
		credentials = `{"#data":"{\"t\":\"7\"}","appKey":"k","#appSecret":"s"}`
		expressions = `{"Pin":{"attr":"#pin"},"Made":{"function":"concat","args":["p",{"attr":"#pin"}]},"Open":"1","User":{"attr":"user"}%s}`
	)
	tests := []struct{ name, authentication, response, more string }{
		{"query", `{"type":"query","query":@}`, `{}`, `,"Signature":{"function":"md5","args":[{"request":"url"}]},"Copy":{"query":"key"},"Page":{"query":"page"}`},
		{"login", `{"type":"login","loginRequest":{"endpoint":"s"},"apiRequest":{"headers":@,"query":@}}`, `{"t":7}`, `,"Token":{"response":"t"},"Literal":"t"`},
		{"oauth20", `{"type":"oauth20","format":"json","headers":@,"query":@}`, `{}`, `,"Token":{"authorization":"data.t"},"Copy":{"query":"key"},"Url":{"request":"url"},"Path":{"request":"path"}`},
	}
	hidden := []string{"Pin", "Made", "Signature", "Copy", "Token", "Literal", "Url"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.response)
			text := strings.ReplaceAll(tt.authentication, "@", strings.ReplaceAll(expressions, "%s", tt.more))
			if tt.name == "oauth20" {
				text = strings.ReplaceAll(text, `{"attr":"#pin"}`, `{"authorization":"data.t"}`)
				text = strings.ReplaceAll(text, `{"attr":"user"}`, `"evan"`)
			}
			a := trial{authentication: text, config: conf, credentials: credentials}.start(t, w)
			r := requestTo(t, "http://a.test/?key=1&page=1")
			r.Sensitive = secret.Sensitive{}.WithParam("key")
			authenticated(t, a, r)
			sensitive := r.Sensitive
			if !sensitive.Param("key") || sensitive.Param("page") {
				t.Error("what was known before is lost")
			}
			for name := range r.Header {
				if got, want := sensitive.Header(name), slices.Contains(hidden, name); got != want {
					t.Errorf("header %s: a secret is %v, want %v", name, got, want)
				}
			}
			for name := range r.URL.Query() {
				if got, want := sensitive.Param(name), slices.Contains(hidden, name) || name == "key"; got != want {
					t.Errorf("parameter %s: a secret is %v, want %v", name, got, want)
				}
			}
		})
	}
}
