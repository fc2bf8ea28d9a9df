package auth

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestBasic(t *testing.T) {
	tests := []struct{ name, conf, want string }{
		{"worked example", `{"username":"ann","#password":"s3"}`, "ann:s3"},
		{"secret user name", `{"#username":"ann","#password":"s3"}`, "ann:s3"},
		{"plain password", `{"username":"ann","password":"s3"}`, "ann:s3"},
		{"plain spellings come first", `{"username":"ann","#username":"bob","password":"p","#password":"s3"}`, "ann:p"},
		{"empty plain spellings do not count", `{"username":"","#username":"bob","password":"0","#password":"s3"}`, "bob:s3"},
		{"an empty password", `{"username":"key","#password":""}`, "key:"},
		{"an empty password in the clear", `{"#username":"key","password":""}`, "key:"},
		{"an empty list for a password", `{"username":"key","#password":[]}`, "key:"},
		{"a password of zero", `{"username":"ann","#password":"0"}`, "ann:0"},
		{"an empty password does not hide another", `{"username":"ann","#password":"","password":"p"}`, "ann:p"},
		{"numbers", `{"username":5,"#password":12.50}`, "5:12.5"},
		{"colon and UTF-8", `{"username":"a:b","#password":"č"}`, "a:b:č"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newWorld(t).start(mustCompile(t, `{"type":"basic"}`, tt.conf))
			r := authenticated(t, a, requestTo(t, "http://a.test/x?q=a+b", "Authorization: configured", "X-Other: o"))
			if got, want := headersOf(r), "Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte(tt.want))+"; X-Other: o"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if r.URL.RawQuery != "q=a+b" {
				t.Errorf("the query was changed to %s", r.URL.RawQuery)
			}
		})
	}
}

func TestBasicNeedsNameAndPassword(t *testing.T) {
	const user, password = "'config.username' or 'config.#username'", "'config.#password'"
	tests := []struct {
		name, conf string
		want       []string
	}{
		{"neither", `{}`, []string{user, password}},
		{"no user", `{"#password":"s3"}`, []string{user}},
		{"no password", `{"username":"ann"}`, []string{password}},
		{"a password of null", `{"username":"ann","#password":null}`, []string{password}},
		{"an empty user", `{"username":"","#password":""}`, []string{user}},
		{"a user of zero", `{"username":"0","#password":"0"}`, []string{user}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := compile(t, `{"type":"basic"}`, tt.conf)
			if len(problems) != len(tt.want) {
				t.Fatalf("got %v", problems)
			}
			for i, want := range tt.want {
				if p := problems[i]; p.Pointer != "/parameters/api/authentication" || !strings.Contains(p.Expected.String(), want) || strings.Contains(p.String(), "s3") {
					t.Errorf("got %v, want %s", p, want)
				}
			}
		})
	}
}
