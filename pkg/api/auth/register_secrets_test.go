package auth

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/keboola/configurable-extractor/internal/slowtest"
	"github.com/keboola/configurable-extractor/pkg/config"
)

func TestSecretsOfALogin(t *testing.T) {
	const conf = `{"user":"evan","#pw":"s3cret-pw"}`
	tests := []struct {
		name, keys, res string
		hidden, shown   []string
	}{
		{"every leaf of the response", ``, `{"token":"tok-123","deep":[{"id":987654}],"role":"admin"}`,
			[]string{"tok-123", "987654", "admin"}, nil},
		{"from four characters on", ``, `{"four":"abcd","three":"xyz"}`, []string{"abcd"}, []string{"xyz"}},
		{"in other spellings", ``, `{"token":"a/b c\"d"}`, []string{`a/b c"d`, "a%2Fb+c%22d", "a%2Fb%20c%22d", `a\/b c\"d`, "YS9iIGMiZA==", "612f6220632264"}, nil},
		{"but for short ones and booleans", ``, `{"status":"ok","n":12,"flag":true,"off":false}`, nil, []string{"ok", "12", "true", "false"}},
		{"short ones, also when a request carries them", `"apiRequest":{"query":{"pin":{"response":"pin"},"n":"n"}}`, `{"pin":"42","n":7,"x":"ok"}`, nil, []string{"42", "7", "ok", "n"}},
		{"in the spelling of a request too", `"apiRequest":{"query":{"f":{"response":"f"}}}`, `{"f":12.50}`, []string{"12.50", "12.5"}, nil},
		{"but for the time of expiry", `"expires":{"response":"until"}`, `{"until":"2031-05-01T10:00:00Z","token":"tok-123"}`, []string{"tok-123"}, []string{"2031-05-01T10:00:00Z"}},
		{"what is computed", `"apiRequest":{"headers":{"A":{"function":"concat","args":["x-by-",{"attr":"user"}]}}}`, `{}`, []string{"x-by-evan"}, []string{"evan"}},
		{"not when it is short", `"apiRequest":{"headers":{"A":{"function":"concat","args":["x-",{"attr":"user"}]}}}`, `{}`, nil, []string{"x-evan"}},
		{"what is computed on the way", `"apiRequest":{"headers":{"A":{"function":"concat","args":["Basic ",{"function":"base64_encode","args":[{"function":"concat","args":["u:",{"response":"t"}]}]}]}}}`,
			`{"t":"tok-123"}`, []string{"dTp0b2stMTIz"}, []string{"Basic"}},
		{"but not literals and references", `"apiRequest":{"headers":{"A":"application/x","B":{"attr":"user"}},"query":{"v":2}}`, `{}`, nil, []string{"application/x", "evan", "2"}},
		{"nor what is only true", `"apiRequest":{"query":{"v":{"response":"b"}}}`, `{"b":true}`, nil, []string{"1", "true"}},
		{"JSON in a text", ``, `{"json":"{\"a\":[\"inner-88\",\"{\\\"b\\\":\\\"deeper-99\\\"}\"]}"}`, []string{"inner-88", "deeper-99"}, nil},
		{"parameters in a text", `"format":"text"`, "access_token=tok-123&n=1", []string{"tok-123"}, []string{"access_token"}},
		{"names that are data", ``, `{"sessions":{"a7f3c-99812":true},"access_token":"x"}`, []string{"a7f3c-99812"}, []string{"sessions", "access_token"}},
		{"text response", `"format":"text"`, "tok-123\n", []string{"tok-123"}, nil},
		{"scalar response", `"format":"json"`, `"tok-123"`, []string{"tok-123"}, nil},
		{"answer under an empty name", ``, `{"":"tok-123"}`, []string{"tok-123"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.res)
			keys := []string{}
			if tt.keys != "" {
				keys = append(keys, tt.keys)
			}
			authenticated(t, w.start(mustCompile(t, loginWith(keys...), conf)), requestTo(t, "http://a.test/"))
			wantMasked(t, w, tt.hidden, tt.shown)
		})
	}
}

// wantMasked checks which words are masked and which are not.
func wantMasked(t *testing.T, w *world, hidden, shown []string) {
	t.Helper()
	for _, s := range hidden {
		if got := w.secrets.Mask("<" + s + ">"); got != "<[hidden]>" {
			t.Errorf("%s is shown as %s", s, got)
		}
	}
	for _, s := range shown {
		if got := w.secrets.Mask("<" + s + ">"); got != "<"+s+">" {
			t.Errorf("%s is shown as %s", s, got)
		}
	}
}

func TestWhatALoginRequestComputesIsHiddenBeforeItIsSent(t *testing.T) {
	w := newWorld(t, `{}`)
	m := mustCompile(t, `{"type":"login","loginRequest":{"endpoint":"s","headers":{"Authorization":{"function":"base64_encode","args":[{"function":"concat","args":[{"attr":"user"},":",{"attr":"#pw"}]}]}},
		"params":{"sig":{"function":"concat","args":["sig-",{"attr":"#pw"}]},"user":{"attr":"user"},"grant":"password","deep":{"list":[{"function":"concat","args":["deep-",{"attr":"#pw"}]}]}}}}`,
		`{"user":"evan","#pw":"s3cret-pw"}`)
	sent := false
	a := w.startWith(m, func(ctx context.Context, r config.RequestSpec) (LoginResponse, error) {
		sent = true
		wantMasked(t, w, []string{"ZXZhbjpzM2NyZXQtcHc=", "sig-s3cret-pw", "deep-s3cret-pw"}, []string{"evan", "password"})
		return w.login(ctx, r)
	})
	authenticated(t, a, requestTo(t, "http://a.test/"))
	if !sent {
		t.Error("no login was sent")
	}
}

func TestComputedItemsOfAListAreHidden(t *testing.T) {
	w := newWorld(t, `{}`)
	m := mustCompile(t, `{"type":"login","loginRequest":{"endpoint":"s","method":"POST","params":["plain",{"function":"concat","args":["sig-",{"attr":"#pw"}]}]}}`, `{"#pw":"s3cret-pw"}`)
	authenticated(t, w.start(m), requestTo(t, "http://a.test/"))
	wantMasked(t, w, []string{"sig-s3cret-pw"}, []string{"plain"})
}

// TestSecretsOutliveThoseOfRequests: signatures are forgotten after thousands of
// others, what serves all requests is not.
func TestSecretsOutliveThoseOfRequests(t *testing.T) {
	const (
		credentials = `{"#data":"{\"oauth_token\":\"token-of-oauth\",\"oauth_token_secret\":\"s3cret\",\"more\":\"more-of-oauth\"}","appKey":"k","#appSecret":"s"}`
		signed      = `{"sig":{"function":"md5","args":[{"request":"url"}]}}`
	)
	tests := []struct{ name, authentication, hidden string }{
		{"the response of a login", loginWith(tokenLogin), "token-of-the-login"},
		{"an authorization", `{"type":"oauth20","format":"json","query":` + signed + `}`, "token-of-oauth"},
		{"an authorization with signatures", `{"type":"oauth10"}`, "more-of-oauth"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, `{"t":"token-of-the-login","s":"sid"}`)
			a := trial{authentication: tt.authentication, credentials: credentials}.start(t, w)
			authenticated(t, a, requestTo(t, "http://a.test/"))
			for n := range 20_000 {
				w.secrets.AddTemporary(fmt.Sprintf("signature-%08d", n))
			}
			wantMasked(t, w, []string{tt.hidden}, []string{"signature-00000000"})
		})
	}
}

// many is the response of a login with a token before and after thousands of texts.
func many(login int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"t":"token-%d","all":[`, login)
	for n := range 20_000 {
		fmt.Fprintf(&b, `"text-%d-%d",`, login, n)
	}
	fmt.Fprintf(&b, `0],"s":"sid-%d"}`, login)
	return b.String()
}

// TestLargeResponsesAreRemembered: nothing that the last login brought is forgotten
// because of how much it was, and nothing that requests use because of how many
// logins others needed.
func TestLargeResponsesAreRemembered(t *testing.T) {
	slowtest.Skip(t, "its responses are large")
	w := newWorld(t, many(0), many(1), many(2), many(3))
	m := mustCompile(t, loginWith(tokenLogin), `{}`)
	first, second := w.start(m), w.start(m)
	authenticated(t, first, requestTo(t, "http://a.test/"))
	wantMasked(t, w, []string{"token-0", "text-0-0", "text-0-9999", "text-0-19999", "sid-0"}, nil)
	for n := range 3 {
		authenticated(t, second, requestTo(t, "http://a.test/"))
		authenticated(t, first, requestTo(t, "http://a.test/"))
		login := n + 1
		wantMasked(t, w, []string{"token-0", fmt.Sprintf("text-%d-0", login), fmt.Sprintf("text-%d-19999", login), fmt.Sprintf("token-%d", login)}, nil)
		second = w.start(m)
	}
	wantMasked(t, w, nil, []string{"text-0-0"})
}

func TestResponsesWithTooManyTexts(t *testing.T) {
	w := newWorld(t, "["+strings.Repeat(`"abcd",`, maxTexts)+`"abcd"]`, `{"a":[`+strings.Repeat(`"abcd",`, maxTexts)+`"abcd"]}`)
	a := w.start(mustCompile(t, loginWith(tokenLogin), `{}`))
	wantUserError(t, a.Authenticate(t.Context(), requestTo(t, "http://a.test/")), "/parameters/api/authentication", "JSON object")
	wantUserError(t, a.Authenticate(t.Context(), requestTo(t, "http://a.test/")), "/parameters/api/authentication", "65537 texts, expected at most 65536")
}
